// Regions and terminators. A terminator without operands that text may leave out is left out.
// RUN: tile-opt %s | filecheck %s --strict-whitespace
// RUN: tile-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tile-opt %s -t tileirbc --bytecode-version 13.4 -o %t && tile-opt %t --bare | filecheck %s --strict-whitespace

// CHECK-LABEL: entry @for(
// CHECK: {{^}}  for %loopIdx in (%arg0 to %arg1, step %arg2) : tile<i32> {{[{]}}
// CHECK-NEXT: {{^}}  }
// GENERIC-LABEL: sym_name = "for"
// GENERIC: "cuda_tile.for"(%{{.*}}, %{{.*}}, %{{.*}}) ({
// GENERIC-NEXT: ^bb0(%{{.*}}: !cuda_tile.tile<i32>):
// GENERIC-NEXT: "cuda_tile.continue"() : () -> ()
// GENERIC-NEXT: }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
entry @for(%lo: tile<i32>, %hi: tile<i32>, %st: tile<i32>) {
  for %i in (%lo to %hi, step %st) : tile<i32> {
    continue
  }
}

// CHECK-LABEL: entry @for_carried(
// CHECK: %for:2 = for unsigned %loopIdx in (%arg0 to %arg1, step %arg2) : tile<i64> iter_values(%iterArg0 = %arg3, %iterArg1 = %0) -> (tile<f32>, token) {
// CHECK-NEXT: %2 = negf %iterArg0 : tile<f32>
// CHECK-NEXT: continue %2, %iterArg1 : tile<f32>, token
// CHECK-NEXT: }
// CHECK-NEXT: %1 = store_ptr_tko weak %arg4, %for#0 token=%for#1
// GENERIC-LABEL: sym_name = "for_carried"
// GENERIC: "cuda_tile.for"{{.*}} <{unsignedCmp}> ({
entry @for_carried(%lo: tile<i64>, %hi: tile<i64>, %st: tile<i64>, %x: tile<f32>, %p: tile<ptr<f32>>) {
  %t = make_token : token
  %r:2 = for unsigned %i in (%lo to %hi, step %st) : tile<i64> iter_values(%a = %x, %b = %t) -> (tile<f32>, token) {
    %n = negf %a : tile<f32>
    continue %n, %b : tile<f32>, token
  }
  %s = store_ptr_tko weak %p, %r#0 token=%r#1 : tile<ptr<f32>>, tile<f32> -> token
}

// CHECK-LABEL: entry @if(
// CHECK: {{^}}  if %arg0 {{[{]}}
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  if %arg0 {{[{]}}
// CHECK-NEXT: {{^}}  } else {
// CHECK-NEXT: {{^}}  }
// GENERIC-LABEL: sym_name = "if"
// GENERIC: "cuda_tile.if"(%{{.*}}) ({
// GENERIC-NEXT: "cuda_tile.yield"() : () -> ()
// GENERIC-NEXT: }, {
// GENERIC-NEXT: }) : (!cuda_tile.tile<i1>) -> ()
entry @if(%c: tile<i1>) {
  if %c {
  }
  if %c {
    yield
  } else {
    yield
  }
}

// CHECK-LABEL: entry @if_results(
// CHECK: %0:2 = if %arg0 -> (tile<f32>, tile<f32>) {
// CHECK-NEXT: yield %arg1, %arg2 : tile<f32>, tile<f32>
// CHECK-NEXT: } else {
// CHECK-NEXT: yield %arg2, %arg1 : tile<f32>, tile<f32>
// CHECK-NEXT: }
// CHECK-NEXT: addf %0#0, %0#1
entry @if_results(%c: tile<i1>, %x: tile<f32>, %y: tile<f32>) {
  %r:2 = if %c -> (tile<f32>, tile<f32>) {
    yield %x, %y : tile<f32>, tile<f32>
  } else {
    yield %y, %x : tile<f32>, tile<f32>
  }
  %s = addf %r#0, %r#1 : tile<f32>
}

// CHECK-LABEL: entry @loop(
// CHECK: {{^}}  loop {{[{]}}
// CHECK-NEXT: {{^}}    if %arg0 {{[{]}}
// CHECK-NEXT: {{^}}      break
// CHECK-NEXT: {{^}}    }
// CHECK-NEXT: {{^}}  }
entry @loop(%c: tile<i1>) {
  loop {
    if %c {
      break
    }
  }
}

// CHECK-LABEL: entry @loop_results_only(
// CHECK: %0 = loop : tile<f32> {
// CHECK-NEXT: break %arg0 : tile<f32>
entry @loop_results_only(%x: tile<f32>) {
  %r = loop : tile<f32> {
    break %x : tile<f32>
  }
}

// Results and carried values of a loop may differ. Its arguments count on from the entry's.
// CHECK-LABEL: entry @loop_carried(
// CHECK: %0 = loop iter_values(%arg3 = %arg1) : tile<i32> -> tile<f32> {
// CHECK-NEXT: if %arg0 {
// CHECK-NEXT: break %arg2 : tile<f32>
// CHECK-NEXT: }
// CHECK-NEXT: %1 = addi %arg3, %arg3 : tile<i32>
// CHECK-NEXT: continue %1 : tile<i32>
entry @loop_carried(%c: tile<i1>, %i: tile<i32>, %x: tile<f32>) {
  %r = loop iter_values(%k = %i) : tile<i32> -> tile<f32> {
    if %c {
      break %x : tile<f32>
    }
    %n = addi %k, %k : tile<i32>
    continue %n : tile<i32>
  }
}

// CHECK-LABEL: entry @loop_carried_no_results(
// CHECK: loop iter_values(%arg1 = %arg0) : tile<i32> {
entry @loop_carried_no_results(%i: tile<i32>) {
  loop iter_values(%k = %i) : tile<i32> {
    continue %k : tile<i32>
  }
}

// A kernel may end early, also from inside a loop.
// CHECK-LABEL: entry @return(
// CHECK: if %arg0 {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: loop {
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: return
entry @return(%c: tile<i1>) {
  if %c {
    return
  }
  loop {
    return
  }
}

// CHECK-LABEL: entry @assert(
// CHECK: assert %arg0, "x \22is\22 \\n\0A" : tile<i1>
// GENERIC-LABEL: sym_name = "assert"
// GENERIC: "cuda_tile.assert"(%{{.*}}) <{message = "x \22is\22 \\n\0A"}>
entry @assert(%c: tile<i1>) {
  assert %c, "x \"is\" \\n\n" : tile<i1>
}
