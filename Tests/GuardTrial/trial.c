// The guard's own code under other names, because the guard of this process must stay open.
#define cgpiod_guard_is_closed trial_is_closed
#define cgpiod_guard_add trial_add
#define cgpiod_guard_remove trial_remove
#define cgpiod_guard_darken trial_darken
#define cgpiod_guard_install trial_install
#define cgpiod_outputs_write trial_write
#include "../../Sources/CGpiod/guard.c"

#include <sched.h>

#include "GuardTrial.h"

/// Large enough that no output is reused while it may still be written to.
#define OUTPUTS_COUNT 4096

/// Outputs that are only marked as freed, so that a use after free is counted and does no harm.
struct cgpiod_outputs {
  atomic_bool is_freed;
  atomic_bool is_dark;
};

static cgpiod_outputs outputs[OUTPUTS_COUNT];
/// The number of rounds started, and the number that the other thread has finished.
static atomic_int begun, ended;
static atomic_int late_uses;

int trial_write(cgpiod_outputs *outputs, uint64_t active) {
  (void)active;
  // Takes a while, like a write by the kernel, so that the outputs may be freed meanwhile.
  bool is_freed = false;
  for (int i = 0; i < 50; i++) is_freed = is_freed || atomic_load(&outputs->is_freed);
  if (is_freed) atomic_fetch_add(&late_uses, 1);
  atomic_store(&outputs->is_dark, true);
  return 0;
}

static void *darken_each_round(void *context) {
  for (int round = 1; round <= *(const int *)context; round++) {
    while (atomic_load(&begun) < round) sched_yield();
    // Each round interrupts the other thread's work at another point.
    for (volatile int i = 0; i < round % 97 * 20; i++) continue;
    trial_darken();
    atomic_store(&ended, round);
  }
  return NULL;
}

/// Adds outputs and frees them, until the guard forbids freeing them, or the other thread has finished the round.
static void add_and_free(int round) {
  for (int i = 0; atomic_load(&ended) < round; i = (i + 1) % OUTPUTS_COUNT) {
    atomic_store(&outputs[i].is_freed, false);
    trial_add(&outputs[i]);
    if (!trial_remove(&outputs[i])) return;
    atomic_store(&outputs[i].is_freed, true);
  }
}

int guard_trial(int rounds) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, darken_each_round, &rounds) != 0) return -1;
  bool stays_lit = false;
  for (int round = 1; round <= rounds; round++) {
    atomic_store(&trial_is_closed, false);
    // These stay guarded for the whole round.
    cgpiod_outputs held = {.is_freed = false, .is_dark = false};
    trial_add(&held);
    atomic_store(&begun, round);
    add_and_free(round);
    while (atomic_load(&ended) < round) sched_yield();
    stays_lit = stays_lit || !atomic_load(&held.is_dark);
    trial_remove(&held);
  }
  pthread_join(thread, NULL);
  return stays_lit ? -1 : atomic_load(&late_uses);
}
