// Replaces glibc's heap functions and forwards to them by their second names. Include it once, after defining ON_ALLOCATION,
// run at each allocation, and ON_FREE, run for each freed block.
#if !defined(ON_ALLOCATION) || !defined(ON_FREE)
#error "define ON_ALLOCATION and ON_FREE before"
#endif

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

void *malloc(size_t size) {
  ON_ALLOCATION;
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  ON_ALLOCATION;
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  ON_ALLOCATION;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  ON_ALLOCATION;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *block = memalign(alignment, size);
  if (!block) return ENOMEM;
  *memory = block;
  return 0;
}

void free(void *memory) {
  if (memory) ON_FREE;
  __libc_free(memory);
}
