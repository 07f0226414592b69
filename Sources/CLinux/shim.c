#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <unistd.h>

static int checked(int result) { return result < 0 ? -errno : result; }

int clinux_poll(struct pollfd *descriptors, unsigned long count, const struct timespec *timeout) {
  return checked(ppoll(descriptors, count, timeout, NULL));
}

int clinux_semaphore_wait(sem_t *semaphore, const struct timespec *deadline, struct timespec *now) {
  int result = deadline ? sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline) : sem_wait(semaphore);
  clock_gettime(CLOCK_MONOTONIC, now);
  return checked(result);
}

static int64_t read_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

#if defined(__aarch64__)

// The processor's counter, from which the kernel usually computes CLOCK_MONOTONIC. Without the barrier, the processor could read it earlier
// than the program says.
static uint64_t read_counter(void) {
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
  return ticks;
}

// Waits actively for `length` nanoseconds. Reading the counter takes fewer instructions than reading the clock.
static void wait_on_counter(int64_t length, uint32_t readings) {
  uint64_t start = read_counter();
  uint64_t frequency;
  __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
  uint64_t ticks = ((uint64_t)length * frequency + 999999999) / 1000000000;
  while (read_counter() - start < ticks && readings-- > 1) {}
}

#else

static void wait_on_counter(int64_t length, uint32_t readings) { (void)length, (void)readings; }

#endif

int64_t clinux_spin(int64_t deadline, uint32_t readings) {
  int64_t now = read_clock();
  if (now < deadline) wait_on_counter(deadline - now, readings);
  while (now < deadline && readings-- > 1) now = read_clock();
  return now;
}

int clinux_event_descriptor(void) { return checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_group_descriptor(void) { return checked(epoll_create1(EPOLL_CLOEXEC)); }

int clinux_add_to_group(int group, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN};
  return checked(epoll_ctl(group, EPOLL_CTL_ADD, descriptor, &event));
}

int clinux_timer_descriptor(void) { return checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)); }

int clinux_set_timer(int descriptor, int64_t nanoseconds) {
  struct itimerspec time = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return checked(timerfd_settime(descriptor, 0, &time, NULL));
}

int clinux_signal_descriptor(const sigset_t *signals) {
  return checked(signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

int clinux_read_signal(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count;
  do {
    count = read(descriptor, &info, sizeof info);
  } while (count < 0 && errno == EINTR);
  if (count == sizeof info) return (int)info.ssi_signo;
  return count < 0 && errno != EAGAIN ? -errno : 0;
}

bool clinux_is_ignored(int signal) {
  struct sigaction action;
  if (sigaction(signal, NULL, &action) < 0) return false;
  return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

void clinux_fill_with_asynchronous_signals(sigset_t *signals) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  sigfillset(signals);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(signals, faults[i]);
}

int clinux_name_thread(const char *name) { return -pthread_setname_np(pthread_self(), name); }

int clinux_set_timer_slack(unsigned long nanoseconds) {
  return checked(prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0));
}

int clinux_set_signal_stack(void *memory, size_t size) {
  stack_t stack = {.ss_sp = memory, .ss_size = size, .ss_flags = memory ? 0 : SS_DISABLE};
  return checked(sigaltstack(&stack, NULL));
}

__attribute__((noinline)) void clinux_touch_stack(size_t size) {
  volatile char *bottom = __builtin_alloca(size);
  for (size_t i = 0; i < size; i += 1024) bottom[i] = 0;
}

struct advice {
  uintptr_t page;
  int how;
};

// Applies the advice to the mapped file segments of one object.
static int advise_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  const struct advice *advice = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(advice->page - 1);
    uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_filesz;
    (void)madvise((void *)start, end - start, advice->how);
  }
  return 0;
}

static void advise_files(int how) {
  struct advice advice = {.page = (uintptr_t)sysconf(_SC_PAGESIZE), .how = how};
  dl_iterate_phdr(advise_object, &advice);
}

void clinux_keep_memory_small(void) {
  // One arena: otherwise every thread that allocates reserves 64 MB of address space for its own.
  mallopt(M_ARENA_MAX, 1);
  // A fixed threshold: freed large buffers are returned to the system. By default glibc would raise it.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  // No readahead: only the pages that the start needs are read from a slow disk.
  advise_files(MADV_RANDOM);
}

// Page by page, so that a real-time thread that faults meanwhile never waits for a lock held over many pages.
static int touch_code_of(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  uintptr_t page = *(const uintptr_t *)context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    for (uintptr_t place = start; place < end; place += page) (void)*(const volatile char *)place;
  }
  return 0;
}

void clinux_touch_code(void) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  advise_files(MADV_NORMAL);
  dl_iterate_phdr(touch_code_of, &page);
}

int clinux_clock_is_synchronised(void) {
  struct timex query = {.modes = 0};
  return adjtimex(&query) < 0 ? -errno : !(query.status & STA_UNSYNC);
}
