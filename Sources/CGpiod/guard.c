// The last thing a dying process does: it switches the lights and the buzzer off.
//
// Some kernels (the Raspberry Pi's among them) keep an output's level when its holder is gone, so a buzzer would go on
// sounding after a crash.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define GUARDED_MAX 8
#define ALTERNATE_STACK_SIZE 65536

atomic_bool cgpiod_guard_is_closed = false;

static _Atomic(cgpiod_outputs *) guarded[GUARDED_MAX];

/// What a thread can bring upon itself by what it executes.
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
static const size_t fault_count = sizeof faults / sizeof faults[0];

/// What else ends a process, and is not the program's own affair as SIGTERM, SIGINT and SIGHUP are. The real-time
/// signals, whose numbers the C library knows only at run time, come on top. What the program blocks to read it, as SIGUSR1,
/// never gets here.
static const int endings[] = {
    SIGQUIT, SIGABRT, SIGXCPU, SIGXFSZ, SIGPIPE, SIGALRM, SIGVTALRM,
    SIGPROF, SIGUSR1, SIGUSR2, SIGIO,   SIGPWR,  SIGSTKFLT,
};

/// What stops a process from the terminal.
static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};

/// What was done about each fault before the guard: where Swift's backtracer is active, it is that.
static struct sigaction former[sizeof faults / sizeof faults[0]];

int cgpiod_guard_add(cgpiod_outputs *outputs) {
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *nothing = NULL;
    if (atomic_compare_exchange_strong(&guarded[i], &nothing, outputs)) return 0;
  }
  return -ENOSPC;
}

// A signal handler on another thread closes the guard first and reads the entries after that. Here an entry is removed first
// and the guard is read after that. So either the handler no longer finds the entry, or this finds the guard closed.
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

/// Ends the process by this signal, as if nobody had ever handled it.
static _Noreturn void die_of(int number) {
  // Once more: a write that another thread had begun before the guard was closed may have come in between.
  cgpiod_guard_darken();
  signal(number, SIG_DFL);
  sigset_t just_this;
  sigemptyset(&just_this);
  sigaddset(&just_this, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &just_this, NULL);
  // The first process of a container outlives even that.
  _exit(128 + number);
}

/// For a signal that was sent, from outside or by abort(). Who handled it before does not see it: Swift's backtracer would
/// return from it, and the process live on in the dark, too well for systemd to start it anew.
static void die(int number) {
  cgpiod_guard_darken();
  die_of(number);
}

/// Whether the instruction that brought this upon the thread is executed once more, and faults once more, when the handler
/// returns. Not so after what was sent, after a call that a filter refused, and after a breakpoint of an x86.
static bool comes_again(int number, const siginfo_t *information) {
#if defined(__x86_64__) || defined(__i386__)
  if (number == SIGTRAP) return false;
#endif
  return information->si_code > 0 && number != SIGSYS;
}

/// For a fault: the former handler takes over when it comes again. The backtracer leaves the default action behind, so that
/// the third time ends the process. It is not called from here, for the signal stack that it makes has no room for more
/// than itself.
static void darken_and_pass_on(int number, siginfo_t *information, void *context) {
  (void)context;
  int error = errno;
  cgpiod_guard_darken();
  if (!comes_again(number, information)) die_of(number);
  for (size_t i = 0; i < fault_count; i++) {
    if (faults[i] == number) sigaction(number, &former[i], NULL);
  }
  errno = error;
}

/// So that the handler runs even when the stack is what overflowed. A thread that has such a stack keeps it.
static int provide_alternate_stack(void) {
  static char memory[ALTERNATE_STACK_SIZE];
  stack_t present;
  if (sigaltstack(NULL, &present) < 0) return -errno;
  if (!(present.ss_flags & SS_DISABLE)) return 0;
  stack_t alternate = {.ss_sp = memory, .ss_size = sizeof memory};
  return sigaltstack(&alternate, NULL) < 0 ? -errno : 0;
}

static int guard_fault(size_t place) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = darken_and_pass_on;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  sigfillset(&action.sa_mask);
  return sigaction(faults[place], &action, &former[place]) < 0 ? -errno : 0;
}

/// Whoever handles the signal already loses it; one that is ignored ends nothing and stays so.
static int guard_ending(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) < 0) return -errno;
  if (!(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN) return 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = die;
  action.sa_flags = SA_ONSTACK;
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
  // Stopped in mid-pulse, the buzzer would sound until somebody lets the program go on.
  for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) signal(stops[i], SIG_IGN);
  if (result == 0 && atexit(cgpiod_guard_darken) != 0) result = -ENOMEM;
  return result;
}
