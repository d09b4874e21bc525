// RUN: not tile-opt %s --diagnostics=json 2>&1 | filecheck %s
// CHECK: "message": "use of undefined value '%x'"
// CHECK: "line": 5
entry @k() {
  %0 = negf %x : tile<f32>
}
