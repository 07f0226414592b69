#: limit=120
# A fatal signal in mid-pulse: every line goes off, and the process dies of that signal, with Swift's backtracer and
# without.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo 'audio: {device: none}' | configuration

# A shell makes background jobs ignore INT and QUIT.
undone='env --default-signal=QUIT,INT'

# 39 is a real-time signal.
for backtrace in no yes; do
  metronome_as="$undone SWIFT_BACKTRACE=enable=$backtrace,swift-backtrace=$here/backtracer"
  for signal in QUIT:131 ABRT:134 SEGV:139 USR2:140 39:167; do
    start_metronome "${signal%:*}-backtrace-$backtrace" lit=1
    press play
    sleep 0.405
    end_metronome "${signal%:*}" "${signal#*:}"
  done
done

# A crash of its own: an illegal instruction on the main thread, when a button is pressed in mid-pulse.
for backtrace in no yes; do
  metronome_as="$undone SWIFT_BACKTRACE=enable=$backtrace,swift-backtrace=$here/backtracer LD_PRELOAD=$here/fault.so"
  start_metronome "fault-backtrace-$backtrace" lit=1
  press play
  sleep 0.405
  : >/run/fault
  mark 'signal ILL code=132'
  contact faster closed
  await_end 'a fault' 132
  contact faster open
  rm /run/fault
done
check 'the backtracer saw the fault' yes "$(grep -qi 'illegal instruction' "$results/fault-backtrace-yes.err" && echo yes)"
