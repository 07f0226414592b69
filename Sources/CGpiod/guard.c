// The last thing a dying process does: it switches the lights and the buzzer off.
//
// Some kernels (the Raspberry Pi's among them) keep an output's level when its holder is gone, so a buzzer would go on
// sounding after a crash.
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define GUARDED_MAX 8
#define ALTERNATE_STACK_SIZE 65536

/// A signal, what it did before the guard, and whether it is guarded even if somebody handles it already. The others are
/// left alone then, and when they are ignored: they end nothing.
struct guarded_signal {
  int number;
  bool always;
  struct sigaction former;
};

atomic_bool cgpiod_guard_is_closed = false;

static _Atomic(cgpiod_outputs *) guarded[GUARDED_MAX];

static struct guarded_signal signals[] = {
    {.number = SIGSEGV, .always = true}, {.number = SIGBUS, .always = true},  {.number = SIGILL, .always = true},
    {.number = SIGFPE, .always = true},  {.number = SIGABRT, .always = true}, {.number = SIGTRAP, .always = true},
    {.number = SIGSYS, .always = true},  {.number = SIGQUIT},                 {.number = SIGXCPU},
    {.number = SIGXFSZ},                 {.number = SIGPIPE},                 {.number = SIGALRM},
    {.number = SIGVTALRM},               {.number = SIGPROF},                 {.number = SIGUSR1},
    {.number = SIGUSR2},                 {.number = SIGIO},                   {.number = SIGPWR},
    {.number = SIGSTKFLT},
};
static const size_t signal_count = sizeof signals / sizeof signals[0];

int cgpiod_guard_add(cgpiod_outputs *outputs) {
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *nothing = NULL;
    if (atomic_compare_exchange_strong(&guarded[i], &nothing, outputs)) return 0;
  }
  return -ENOSPC;
}

void cgpiod_guard_remove(cgpiod_outputs *outputs) {
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *expected = outputs;
    if (atomic_compare_exchange_strong(&guarded[i], &expected, NULL)) return;
  }
}

void cgpiod_guard_darken(void) {
  atomic_store(&cgpiod_guard_is_closed, true);
  for (int i = 0; i < GUARDED_MAX; i++) {
    cgpiod_outputs *outputs = atomic_load(&guarded[i]);
    if (outputs) cgpiod_outputs_write(outputs, 0);
  }
}

/// The former action takes over: the signal is raised again, and delivered on return because it is blocked until then.
static void darken_and_pass_on(int number) {
  int error = errno;
  cgpiod_guard_darken();
  for (size_t i = 0; i < signal_count; i++) {
    if (signals[i].number == number) sigaction(number, &signals[i].former, NULL);
  }
  raise(number);
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

static int guard_signal(struct guarded_signal *guarded_signal) {
  if (sigaction(guarded_signal->number, NULL, &guarded_signal->former) < 0) return -errno;
  bool is_default =
      !(guarded_signal->former.sa_flags & SA_SIGINFO) && guarded_signal->former.sa_handler == SIG_DFL;
  if (!is_default && !guarded_signal->always) return 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = darken_and_pass_on;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return sigaction(guarded_signal->number, &action, NULL) < 0 ? -errno : 0;
}

int cgpiod_guard_install(void) {
  static atomic_bool is_installed = false;
  if (atomic_exchange(&is_installed, true)) return 0;
  int result = provide_alternate_stack();
  for (size_t i = 0; i < signal_count && result == 0; i++) result = guard_signal(&signals[i]);
  if (result == 0 && atexit(cgpiod_guard_darken) != 0) result = -ENOMEM;
  return result;
}
