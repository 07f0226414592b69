#include "AllocationCounter.h"

#include <stddef.h>

static __thread uint64_t count __attribute__((tls_model("initial-exec")));

#ifdef __GLIBC__

#include <dlfcn.h>

// Replaces the functions of Swift's runtime if that is a shared library. Weak, so that they do not conflict with those of a
// statically linked runtime, in which case nothing is counted (`counts_references`). Each looks up the runtime's function once;
// all threads find the same one, so a race does no harm.
#define IN_PLACE_OF(result, name, parameters, arguments)                          \
  __attribute__((weak)) result name parameters {                                  \
    static result(*own) parameters;                                               \
    count++;                                                                      \
    if (!own) own = (result(*) parameters)dlsym(RTLD_NEXT, #name);                \
    return own arguments;                                                         \
  }

IN_PLACE_OF(void *, swift_retain, (void *object), (object))
IN_PLACE_OF(void *, swift_retain_n, (void *object, uint32_t times), (object, times))
IN_PLACE_OF(void, swift_release, (void *object), (object))
IN_PLACE_OF(void, swift_release_n, (void *object, uint32_t times), (object, times))
IN_PLACE_OF(void *, swift_bridgeObjectRetain, (void *object), (object))
IN_PLACE_OF(void *, swift_bridgeObjectRetain_n, (void *object, uint32_t times), (object, times))
IN_PLACE_OF(void, swift_bridgeObjectRelease, (void *object), (object))
IN_PLACE_OF(void, swift_bridgeObjectRelease_n, (void *object, uint32_t times), (object, times))
IN_PLACE_OF(void *, swift_unownedRetain, (void *object), (object))
IN_PLACE_OF(void, swift_unownedRelease, (void *object), (object))
IN_PLACE_OF(void *, swift_unownedRetainStrong, (void *object), (object))
IN_PLACE_OF(void *, swift_tryRetain, (void *object), (object))

bool counts_references(void) {
  uint64_t before = count;
  swift_release(swift_retain(NULL));
  return count == before + 2;
}

#else

bool counts_references(void) { return false; }

#endif

uint64_t reference_count(void) { return count; }
