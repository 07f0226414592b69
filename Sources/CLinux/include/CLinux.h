/// System calls that Swift's import of the C library lacks. Functions return a negative error number when they fail.
#ifndef METRONOME_CLINUX_H
#define METRONOME_CLINUX_H

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/// Waits for descriptors; `timeout` NULL waits for ever. Returns how many are ready.
int clinux_poll(struct pollfd *descriptors, unsigned long count, const struct timespec *timeout);

/// Waits until the semaphore is posted or CLOCK_MONOTONIC reaches `deadline`; NULL waits for ever. Returns 0 if posted,
/// -ETIMEDOUT if not, and stores the time of the return in `now`.
int clinux_semaphore_wait(sem_t *semaphore, const struct timespec *deadline, struct timespec *now);

/// Waits actively until `deadline`, in nanoseconds of CLOCK_MONOTONIC and at most a second away, but ends earlier after `readings` readings
/// of the clock. On arm64 it waits on the processor's counter before it reads the clock again. Returns the last reading.
int64_t clinux_spin(int64_t deadline, uint32_t readings);

/// An eventfd: a descriptor with a counter, readable while the counter is not zero.
int clinux_event_descriptor(void);

/// An epoll descriptor: readable when one of the added descriptors is readable. Closing a descriptor removes it.
int clinux_group_descriptor(void);
int clinux_add_to_group(int group, int descriptor);

/// A timerfd: readable when the time that was set last has elapsed.
int clinux_timer_descriptor(void);
int clinux_set_timer(int descriptor, int64_t nanoseconds);

/// A signalfd for these signals, which must be blocked.
int clinux_signal_descriptor(const sigset_t *signals);
/// The number of a pending signal, or 0 if none is pending. Never blocks.
int clinux_read_signal(int descriptor);
/// Whether the process ignores a signal, for example under nohup.
bool clinux_is_ignored(int signal);
/// The signals to block on a thread that handles none: all except those raised by the thread's own faults.
void clinux_fill_with_asynchronous_signals(sigset_t *signals);

/// Names the calling thread, in 15 bytes at most.
int clinux_name_thread(const char *name);
/// Sets how late the kernel may wake the calling thread, if it is not a real-time thread.
int clinux_set_timer_slack(unsigned long nanoseconds);
/// Sets the alternate signal stack of the calling thread; NULL removes it.
int clinux_set_signal_stack(void *memory, size_t size);
/// Prefaults `size` bytes of the calling thread's stack.
void clinux_touch_stack(size_t size);

/// Makes all threads share one heap, returns large freed buffers to the system, and turns off readahead for the mapped files.
/// Must be called before other threads start.
void clinux_keep_memory_small(void);
/// Turns readahead on again, and reads the code of the program and its libraries into memory.
void clinux_touch_code(void);

/// Opens a serial port without blocking, raw, 8 bits, no parity, at any baud rate; `flags` are O_RDONLY, O_WRONLY or O_RDWR. Returns
/// a descriptor, and stores the baud rate that the driver has set in `actual`.
int clinux_open_serial(const char *path, int flags, unsigned baud, unsigned *actual);

/// Asks the driver of a serial port to pass on received bytes at once (ASYNC_LOW_LATENCY). Drivers without this setting, such as that of
/// pseudo-terminals, are left as they are.
void clinux_set_low_latency(int descriptor);

/// The number of bytes that the buffer of an output port (`/dev/snd/midiC*D*`) has room for, or a negative error number. Never blocks.
int clinux_midi_room(int descriptor);
/// Discards what an output port has not sent yet, so that closing it does not wait for that. Returns 0 or a negative error number.
int clinux_midi_discard(int descriptor);
/// The number of bytes that the driver of a serial port has not sent yet, or a negative error number. Never blocks.
int clinux_serial_queued(int descriptor);

/// Selects the device on an I2C bus to which the following transfers go, by its 7-bit address. Returns 0 or a negative error number, -EBUSY
/// if a driver of the kernel uses it.
int clinux_i2c_select(int descriptor, uint16_t address);
/// Writes the byte `first` and then 1 to 32 bytes in one transfer. Returns 0 or a negative error number. Blocks until the transfer ends, at
/// most for the timeout of the bus.
int clinux_i2c_write(int descriptor, uint8_t first, const uint8_t *bytes, uint8_t count);

/// Whether the kernel reports its clock as synchronised: 1 or 0.
int clinux_clock_is_synchronised(void);

#endif
