"""The dialects: `cuda_tile`, exactly as NVIDIA defines it, and `tile_sugar` above it."""
