#include "AllocationCounter.h"

#ifdef __GLIBC__

// Static TLS (initial-exec), which exists from the thread's first instruction on. Dynamic TLS would be allocated on first use,
// by malloc.
static __thread uint64_t count __attribute__((tls_model("initial-exec")));
static __thread uint64_t frees __attribute__((tls_model("initial-exec")));

#define ON_ALLOCATION count++
#define ON_FREE frees++
#include "heap.h"

uint64_t allocation_count(void) { return count; }

uint64_t free_count(void) { return frees; }

#else

uint64_t allocation_count(void) { return 0; }

uint64_t free_count(void) { return 0; }

#endif
