// A driver for the real cuda-python to load: device memory is the host's, and the one kernel adds
// two arrays. Each call of interest is a line on standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef uint64_t Pointer;

#define CONTEXT ((void *)0x1234)
#define LIBRARY ((void *)0x77)
#define KERNEL ((void *)0x88)
#define FUNCTION ((void *)0x99)
#define LOG(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr))

Result cuInit(unsigned flags) { return 0; }
Result cuDriverGetVersion(int *version) { *version = 13050; return 0; }
Result cuDeviceGetCount(int *count) { *count = 1; return 0; }
Result cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
Result cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, size, "Stub GPU");
  return 0;
}
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
  return 0;
}
Result cuDevicePrimaryCtxRetain(void **context, int device) { *context = CONTEXT; return 0; }
Result cuCtxPushCurrent_v2(void *context) { return context == CONTEXT ? 0 : 201; }
Result cuCtxPopCurrent_v2(void **context) { *context = CONTEXT; return 0; }

Result cuMemAlloc_v2(Pointer *pointer, size_t size) {
  *pointer = (Pointer)aligned_alloc(256, (size + 255) / 256 * 256);
  return 0;
}
Result cuMemFree_v2(Pointer pointer) { free((void *)pointer); return 0; }
Result cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t size, void *stream) {
  memcpy((void *)to, from, size);
  LOG("upload %zu", size);
  return 0;
}
Result cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t size, void *stream) {
  memcpy(to, (void *)from, size);
  LOG("download %zu", size);
  return 0;
}
Result cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t size, void *stream) {
  memcpy((void *)to, (void *)from, size);
  return 0;
}
Result cuPointerGetAttribute(void *value, int attribute, Pointer pointer) {
  *(int *)value = attribute == 9 ? 0 : 99;
  return 0;
}

Result cuLibraryLoadData(void **library, const void *code, void **options, void **values,
                         unsigned count, void **library_options, void **library_values,
                         unsigned library_count) {
  *library = LIBRARY;
  LOG("load %.3s options %u %u", (const char *)code + 1, count, library_count);
  return 0;
}
Result cuLibraryUnload(void *library) { return 0; }
Result cuLibraryGetKernel(void **kernel, void *library, const char *name) {
  *kernel = KERNEL;
  return library == LIBRARY && !strcmp(name, "vector_add") ? 0 : 500;
}
Result cuKernelGetFunction(void **function, void *kernel) {
  *function = FUNCTION;
  return kernel == KERNEL ? 0 : 400;
}
Result cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, void *stream,
                      void **parameters, void **extra) {
  LOG("launch %ux%ux%u block %ux%ux%u shared %u stream %zu", x, y, z, block_x, block_y, block_z,
      shared, (size_t)stream);
  if (function != FUNCTION || extra)
    return 1;
  float *a = *(float **)parameters[0], *b = *(float **)parameters[1], *c = *(float **)parameters[2];
  for (int i = 0, n = *(int *)parameters[3]; i < n; i++)
    c[i] = a[i] + b[i];
  return 0;
}

Result cuStreamSynchronize(void *stream) { LOG("wait"); return 0; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  LOG("stream %zu waits", (size_t)stream);
  return 0;
}
Result cuEventCreate(void **event, unsigned flags) { *event = (void *)0x55; return 0; }
Result cuEventRecord(void *event, void *stream) {
  LOG("record on %zu", (size_t)stream);
  return 0;
}
Result cuEventSynchronize(void *event) { return 0; }
Result cuEventElapsedTime(float *ms, void *first, void *last) { *ms = 2.5; return 0; }
Result cuEventDestroy_v2(void *event) { return 0; }
Result cuGetErrorName(Result error, const char **text) { *text = "CUDA_ERROR_STUB"; return 0; }
Result cuGetErrorString(Result error, const char **text) { *text = "a stub"; return 0; }

Result cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                           int *status) {
  Dl_info info;
  char versioned[128];
  dladdr((void *)cuInit, &info);
  void *self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  snprintf(versioned, sizeof versioned, "%s_v2", name);
  *function = dlsym(self, versioned);
  if (!*function)
    *function = dlsym(self, name);
  if (status)
    *status = *function ? 0 : 1;
  return 0;
}
