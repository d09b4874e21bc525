// Remarks as YAML documents: what was done is passed, what could not be proven is missed.
// RUN: tile-opt %s -p contract-fma,infer-promises --remarks=all --remark-format=yaml -o %t 2>&1 | filecheck %s
// RUN: tile-opt %s -p contract-fma,infer-promises --remarks=all --remark-format=yaml --remarks-output-file=%t.yaml -o %t
// RUN: filecheck %s --input-file=%t.yaml
// RUN: tile-opt %s -p contract-fma,infer-promises --remarks=math --remarks-output-file=%t.txt -o %t
// RUN: filecheck %s --input-file=%t.txt --check-prefix TEXT
// RUN: not tile-opt %s -p cse --remark-format=yaml 2>&1 | filecheck %s --check-prefix NEEDS
// RUN: not tile-opt %s -p cse --remarks-output-file=%t.txt 2>&1 | filecheck %s --check-prefix NEEDS-FILE
// RUN: not tile-opt %s -p cse --remarks=all --remark-format=yaml --diagnostics=json 2>&1 | filecheck %s --check-prefix SHARED

// CHECK:      --- !Missed
// CHECK-NEXT: Pass: infer-promises
// CHECK-NEXT: Name: InferPromises
// CHECK-NEXT: DebugLoc: { File: {{.*}}remarks-yaml.mlir', Line: [[# @LINE + 14]], Column: 8 }
// CHECK-NEXT: Function: k
// CHECK-NEXT: Args:
// CHECK-NEXT:   - String: '''full'' not provable: extent 0 of %X may be small'
// CHECK-NEXT: ...
// CHECK-NEXT: --- !Passed
// CHECK-NEXT: Pass: contract-fma
// CHECK-NEXT: Name: ContractFma
// CHECK-NEXT: DebugLoc: { File: {{.*}}remarks-yaml.mlir', Line: [[# @LINE + 8]], Column: 8 }
// CHECK-NEXT: Function: k
// CHECK-NEXT: Args:
// CHECK-NEXT:   - String: 'contracted with its product: licensed by contract'
// CHECK-NEXT: ...
tile_sugar.kernel @k(%X: tensor<?x128xf32>) grid(ceildiv(dim %X 0, 8)) {
  %x = load %X[0, 0] : tensor<?x128xf32> -> tile<8x128xf32>
  %p = mul %x, %x fastmath<contract> : tile<8x128xf32>
  %s = add %p, %x fastmath<contract> : tile<8x128xf32>
  print "%f", %s : tile<8x128xf32>
  return
}

// TEXT: remarks-yaml.mlir:[[# @LINE - 5]]:8: remark: contracted with its product
// NEEDS: error: --remark-format=yaml needs --remarks
// NEEDS-FILE: error: --remarks-output-file needs --remarks
// SHARED: error: --diagnostics=json and --remark-format=yaml would share standard error: use --remarks-output-file
