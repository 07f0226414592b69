// Preloaded: counts the allocations and frees of each thread of the program, and its retains and releases of Swift objects. The
// file $LOOP_METER has four 64-bit numbers per thread: its id and the three counts. It can be read at any time.
//
// Swift's runtime calls retain and release through pointers that can be replaced. They are found by name in the program itself,
// which must be linked statically with the runtime and not be stripped. If they are not found, the program exits with 98.

#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 128 };

struct counts {
  uint64_t thread, allocations, frees, references;
};

static struct counts *all;
static atomic_uint threads;
// Counts before the file exists, and of threads for which the file has no room.
static struct counts lost;
static __thread struct counts *own __attribute__((tls_model("initial-exec")));

static struct counts *counts(void) {
  if (own) return own;
  if (!all) return &lost;
  unsigned place = atomic_fetch_add(&threads, 1);
  own = place < THREADS ? &all[place] : &lost;
  own->thread = (uint64_t)gettid();
  return own;
}

#define ON_ALLOCATION counts()->allocations++
#define ON_FREE counts()->frees++
#include "heap.h"

// --- References

typedef void *(*retaining)(void *object);
typedef void *(*retaining_n)(void *object, uint32_t times);
typedef void (*releasing)(void *object);
typedef void (*releasing_n)(void *object, uint32_t times);

static retaining retain;
static retaining_n retain_n;
static releasing release;
static releasing_n release_n;

static void *counting_retain(void *object) {
  counts()->references++;
  return retain(object);
}

static void *counting_retain_n(void *object, uint32_t times) {
  counts()->references++;
  return retain_n(object, times);
}

static void counting_release(void *object) {
  counts()->references++;
  release(object);
}

static void counting_release_n(void *object, uint32_t times) {
  counts()->references++;
  release_n(object, times);
}

static struct {
  const char *name;
  void *address;
} runtime[] = {
  {"_swift_retain", 0},
  {"_swift_retain_n", 0},
  {"_swift_release", 0},
  {"_swift_release_n", 0},
  {"_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly", 0},
  // Only in newer runtimes: called before the first one; it clears the bits that mark its argument as no object.
  {"_ZL21_swift_retain_adapter", 0},
};
enum { NEEDED = 5, NAMES = sizeof runtime / sizeof *runtime };

static int take_base(struct dl_phdr_info *program, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = program->dlpi_addr;
  return 1;  // The first one is the program itself.
}

static void find_runtime(const char *file) {
  uintptr_t base = 0;
  dl_iterate_phdr(take_base, &base);
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
  for (int each = 0; each < header->e_shnum; each++) {
    if (sections[each].sh_type != SHT_SYMTAB) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(file + sections[each].sh_offset);
    const char *names = file + sections[sections[each].sh_link].sh_offset;
    for (size_t one = 0; one < sections[each].sh_size / sizeof *symbols; one++)
      for (int name = 0; name < NAMES; name++)
        if (symbols[one].st_shndx != SHN_UNDEF && strcmp(names + symbols[one].st_name, runtime[name].name) == 0)
          runtime[name].address = (void *)(base + symbols[one].st_value);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("LOOP_METER");
  if (!path) return;
  unsetenv("LD_PRELOAD");
  int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int meter = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  struct stat status;
  if (program < 0 || meter < 0 || fstat(program, &status) != 0) _exit(98);
  if (ftruncate(meter, THREADS * sizeof *all) != 0) _exit(98);
  char *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, program, 0);
  all = mmap(NULL, THREADS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, meter, 0);
  if (file == MAP_FAILED || all == MAP_FAILED) _exit(98);
  find_runtime(file);
  munmap(file, (size_t)status.st_size);
  close(program);
  close(meter);
  for (int name = 0; name < NEEDED; name++)
    if (!runtime[name].address) _exit(98);
  retaining *retain_place = runtime[0].address;
  retaining_n *retain_n_place = runtime[1].address;
  releasing *release_place = runtime[2].address;
  releasing_n *release_n_place = runtime[3].address;
  retain = *retain_place;
  retain_n = *retain_n_place;
  release = *release_place;
  release_n = *release_n_place;
  if (runtime[5].address) retain_place = runtime[5].address;
  *retain_place = counting_retain;
  *retain_n_place = counting_retain_n;
  *release_place = counting_release;
  *release_n_place = counting_release_n;
  *(_Bool *)runtime[4].address = 1;
}
