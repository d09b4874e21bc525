"""Everything that leaves the process: NVIDIA's assembler and disassembler, and the devices."""
