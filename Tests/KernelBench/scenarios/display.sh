#: quick=both
# A TM1637 display: it shows each change, and disturbs no beat. Then faults of its wires, a display that does not answer, and
# reloads that remove and add it.
# shellcheck shell=sh disable=SC2034,SC2154

plug

# wire LINE high|low: sets the level that the line has while nothing drives it. A module pulls each line up to its supply. A line
# without supply, or with a short circuit to ground, is low.
wire() {
  case $2 in
    high) echo pull-up >"$header/sim_gpio$1/pull" ;;
    low) echo pull-down >"$header/sim_gpio$1/pull" ;;
  esac
}

# with_display: the configuration with a display.
with_display() {
  configuration <<'END'
audio: {device: none}
display: {clock: GPIO13, data: GPIO4, brightness: 3}
END
}

# load: the processor time of the display's thread so far, in ticks of 10 ms. The thread waits actively while it sends.
load() {
  for task in "/proc/$metronome/task"/*; do
    if [ "$(cat "$task/comm")" = display ]; then awk '{ print $14 + $15 }' "$task/stat"; fi
  done
}
cannot='the display cannot be used: '
works='the display works again'

# --- Changes of everything that it shows, and texts that are sent during beats ---

wire 13 high
wire 4 high
with_display
# With the two lines of the display.
outputs=5
start_metronome shows
press play
sleep 3
press faster
sleep 1.5
press numerator
sleep 3
press denominator
sleep 1
press faster
sleep 0.7
press numerator
sleep 0.4
press slower
sleep 0.05
press slower
sleep 6
chord slower denominator
sleep 1
chord play numerator
sleep 6
# Faster and faster: at most one text in 200 ms.
hold faster 3
sleep 2
chord slower faster
sleep 3
# At 121 BPM the beats of 2/8 are 247.934 ms apart, and the first one comes 1 ms after the press. A text takes 1 ms, and begins up to
# 0.8 ms before a beat: the fourth, sixth, eighth and tenth one after the first.
press faster
for after in 992 1488 1984 2480 992 1488 1984 2480; do
  press play
  sleep 1
  press play
  # The first press takes 110 ms. An edge of a simulated line comes at the next whole millisecond, so a press may be 1 ms late.
  sleep "$(awk -v after=$after 'BEGIN { print (after - 110) / 1000 }')"
  press slower
  sleep 1
  press faster
done
sleep 1
# The run takes 67 s, of which 1 % are 67 ticks.
check "$run: the display's thread takes at most 1 % of a core" yes "$(if [ "$(load)" -le 67 ]; then echo yes; else load; fi)"
echo "ticks of the display's thread: $(load)" >>"$results/figures"
end_metronome TERM
logged 0 'display'
check 'no line is held afterwards' 0 "$(grep -c '|metronome' /sys/kernel/debug/gpio)"

# --- Data is low from the start; then the clock becomes low while it plays ---

outputs=3
wire 4 low
start_metronome short
mark display faulty
press play
sleep 1
press faster
sleep 20
logged 1 "$cannot.*display.data is low"
logged 1 'display'
wire 4 high
mark display back after_ms=5000
sleep 6
logged 1 "$works"
press numerator
sleep 3
mark display faulty
wire 13 low
sleep 20
logged 1 "$cannot.*display.clock is low"
wire 13 high
mark display back after_ms=5000
sleep 7
logged 2 "$works"
logged 4 'display'
end_metronome TERM

# --- A display that does not answer ---

metronome_as="env UNANSWERED=4 LD_PRELOAD=$here/unanswered.so"
touch /run/unanswered
outputs=3
start_metronome silence
mark display faulty
press play
sleep 20
logged 1 "$cannot.*does not answer"
logged 1 'display'
rm /run/unanswered
mark display back after_ms=5000
sleep 7
logged 1 "$works"
mark display faulty
touch /run/unanswered
sleep 20
logged 2 "$cannot.*does not answer"
logged 3 'display'
end_metronome TERM
metronome_as=

# --- The chip is unplugged, and comes back ---

outputs=5
start_metronome chip
press play
sleep 2
mark display faulty
unplug
sleep 6.3
logged 1 "$cannot"
plug
wire 13 high
wire 4 high
mark display back after_ms=5000
outputs=3
await_lines
sleep 7
logged 1 "$works"
press faster
sleep 2
end_metronome TERM
logged 1 "$cannot"

# --- Reloads remove the display and add it ---

outputs=5
start_metronome reloads
press play
sleep 2
mark display removed
echo 'audio: {device: none}' | configuration
reload 1 'configuration reloaded: display'
check 'the lines of the removed display are free' 9 "$(grep -c '|metronome' /sys/kernel/debug/gpio)"
sleep 3
press faster
sleep 3
with_display
mark display back
reload 2 'configuration reloaded: display'
sleep 3
press faster
sleep 8
end_metronome TERM
logged 0 "$cannot"
