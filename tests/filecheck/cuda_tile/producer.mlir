// Producer: some tool 1.0
// RUN: tile-opt %s | filecheck %s --check-prefix=BARE
// RUN: tile-opt %s --wrapped | filecheck %s
// RUN: tile-opt %s -t tileirbc -o %t && tile-opt %t | filecheck %s

// A first line of this form, as NVIDIA's disassembler prints it, is the module's producer.
// BARE: // Producer: some tool 1.0
// BARE-NEXT: entry @k() {
// CHECK: cuda_tile.module @kernels attributes {producer = "some tool 1.0"} {
entry @k() {
}
