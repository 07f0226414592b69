/// What Swift's import of the C library lacks: GNU extensions, Linux's own calls and numbers, functions of many
/// arguments.
///
/// Functions answer with a negative error number when they fail.
#ifndef METRONOME_CLINUX_H
#define METRONOME_CLINUX_H

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Waits for descriptors; `timeout` NULL waits for ever. Answers how many are ready.
int clinux_poll(struct pollfd *descriptors, unsigned long count, const struct timespec *timeout);

/// Waits until the semaphore is posted or CLOCK_MONOTONIC reaches `deadline`; NULL waits for ever. 0 if posted,
/// -ETIMEDOUT if not. `now` is when that was, read before anything else is done whose code may have to be fetched first.
int clinux_semaphore_wait(sem_t *semaphore, const struct timespec *deadline, struct timespec *now);

/// A descriptor that counts what is written to it.
int clinux_event_descriptor(void);

/// A descriptor that can be read when one of those added to it can. A closed one leaves by itself.
int clinux_group_descriptor(void);
int clinux_add_to_group(int group, int descriptor);

/// A descriptor that can be read once a time has passed, from the moment it is set.
int clinux_timer_descriptor(void);
int clinux_set_timer(int descriptor, int64_t nanoseconds);

/// A descriptor to read these signals from, which must be blocked.
int clinux_signal_descriptor(const sigset_t *signals);
/// The number of a signal that came, or 0 if none did. Never waits.
int clinux_read_signal(int descriptor);

/// Whether the process was told to ignore a signal, as by nohup.
bool clinux_is_ignored(int signal);

/// The signals that are blocked on a thread that handles none: all but those that a fault of its own raises.
void clinux_fill_with_asynchronous_signals(sigset_t *signals);

/// Names the calling thread, in 15 bytes at the most.
int clinux_name_thread(const char *name);
/// How much later than asked the kernel may wake the calling thread, when it is not a real-time one.
int clinux_set_timer_slack(unsigned long nanoseconds);
/// Gives the calling thread this memory as the stack of its signal handlers, so that they run even when its own stack is
/// what overflowed; NULL takes it back.
int clinux_set_signal_stack(void *memory, size_t size);
/// Writes to so much of the calling thread's stack, so that the pages are there when they are needed.
void clinux_touch_stack(size_t size);

/// Lets all threads share one heap, and gives large buffers back to the system when they are freed. To be called before
/// there are other threads.
void clinux_keep_memory_small(void);
/// Brings the code of the program and of its libraries into memory, as fast as the disk is.
void clinux_touch_code(void);

/// Whether the kernel holds its clock for synchronised: 1 or 0.
int clinux_clock_is_synchronised(void);

#endif
