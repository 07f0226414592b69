// Switches the lights and the buzzer off when the process dies: some kernels (including the Raspberry Pi's) keep an output's
// level after its holder has exited.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

#define GUARDED_MAX 8
#define ALTERNATE_STACK_SIZE 65536

atomic_bool cgpiod_guard_is_closed = false;

static _Atomic(cgpiod_outputs *) guarded[GUARDED_MAX];

/// The synchronous signals that a thread's own instructions can raise.
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
static const size_t fault_count = sizeof faults / sizeof faults[0];

/// The signals that end a process, besides the real-time ones. The program handles SIGTERM, SIGINT and SIGHUP itself.
static const int endings[] = {
    SIGQUIT, SIGABRT, SIGXCPU, SIGXFSZ, SIGPIPE, SIGALRM, SIGVTALRM,
    SIGPROF, SIGUSR1, SIGUSR2, SIGIO,   SIGPWR,  SIGSTKFLT,
};

/// The signals that stop a process from its terminal.
static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};

/// The handlers that the guard replaced; those of Swift's backtracer if it is active.
static struct sigaction former[sizeof faults / sizeof faults[0]];

int cgpiod_guard_add(cgpiod_outputs *outputs) {
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *nothing = NULL;
    if (atomic_compare_exchange_strong(&guarded[i], &nothing, outputs)) return 0;
  }
  return -ENOSPC;
}

// A signal handler on another thread closes the guard, then reads the entries. Here the entry is removed, then the guard is
// read. So either the handler does not find the entry, or this function finds the guard closed.
bool cgpiod_guard_remove(cgpiod_outputs *outputs) {
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *expected = outputs;
    if (atomic_compare_exchange_strong(&guarded[i], &expected, NULL)) break;
  }
  return !atomic_load(&cgpiod_guard_is_closed);
}

void cgpiod_guard_darken(void) {
  atomic_store(&cgpiod_guard_is_closed, true);
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *outputs = atomic_load(&guarded[i]);
    if (outputs) cgpiod_outputs_write(outputs, 0);
  }
}

/// Ends the process with the default action of this signal.
static _Noreturn void die_of(int number) {
  // Switch off again, because another thread may have completed a write that it began before the guard was closed.
  cgpiod_guard_darken();
  signal(number, SIG_DFL);
  sigset_t only_this;
  sigemptyset(&only_this);
  sigaddset(&only_this, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &only_this, NULL);
  // Process 1 of a container survives even the raised signal.
  _exit(128 + number);
}

/// Handles a signal that was sent. The former handler is not called: Swift's backtracer would return, and the process would
/// continue.
static void die(int number) {
  cgpiod_guard_darken();
  die_of(number);
}

/// Whether the fault recurs when the handler returns. A sent signal, a call filtered by seccomp and an x86 breakpoint do not.
static bool recurs(int number, const siginfo_t *information) {
#if defined(__x86_64__) || defined(__i386__)
  if (number == SIGTRAP) return false;
#endif
  return information->si_code > 0 && number != SIGSYS;
}

/// Handles a fault: reinstalls the former handler, which gets the fault when it recurs on return. That handler is not called
/// directly, because the backtracer's signal stack is only large enough for the backtracer.
static void darken_and_reraise(int number, siginfo_t *information, void *context) {
  (void)context;
  int error = errno;
  cgpiod_guard_darken();
  if (!recurs(number, information)) die_of(number);
  for (size_t i = 0; i < fault_count; i++) {
    if (faults[i] == number) sigaction(number, &former[i], NULL);
  }
  errno = error;
}

/// Lets the handler run even after a stack overflow. An existing alternate stack of the thread is kept.
static int provide_alternate_stack(void) {
  static char memory[ALTERNATE_STACK_SIZE];
  stack_t present;
  if (sigaltstack(NULL, &present) < 0) return -errno;
  if (!(present.ss_flags & SS_DISABLE)) return 0;
  stack_t alternate = {.ss_sp = memory, .ss_size = sizeof memory};
  return sigaltstack(&alternate, NULL) < 0 ? -errno : 0;
}

static int guard_fault(size_t place) {
  struct sigaction action = {.sa_sigaction = darken_and_reraise, .sa_flags = SA_ONSTACK | SA_SIGINFO};
  sigfillset(&action.sa_mask);
  return sigaction(faults[place], &action, &former[place]) < 0 ? -errno : 0;
}

/// Replaces an existing handler of the signal; an ignored signal stays ignored.
static int guard_ending(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) < 0) return -errno;
  if (!(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN) return 0;
  struct sigaction action = {.sa_handler = die, .sa_flags = SA_ONSTACK};
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL) < 0 ? -errno : 0;
}

int cgpiod_guard_install(void) {
  static atomic_bool is_installed = false;
  if (atomic_exchange(&is_installed, true)) return 0;
  int result = provide_alternate_stack();
  for (size_t i = 0; i < fault_count && result == 0; i++) result = guard_fault(i);
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && result == 0; i++) result = guard_ending(endings[i]);
  for (int number = SIGRTMIN; number <= SIGRTMAX && result == 0; number++) result = guard_ending(number);
  // If the process were stopped in mid-pulse, the buzzer would sound until it is continued.
  for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) signal(stops[i], SIG_IGN);
  if (result == 0 && atexit(cgpiod_guard_darken) != 0) result = -ENOMEM;
  return result;
}
