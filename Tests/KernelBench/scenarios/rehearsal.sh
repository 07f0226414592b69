# After its start the box rehearses a press of each button: the pages needed by the first real presses are in memory by
# then.
# shellcheck shell=sh disable=SC2154

# fetched: the page faults so far of the control loop, which runs on the program's first thread.
fetched() { awk '{ print $10 + $12 }' "/proc/$metronome/task/$metronome/stat"; }

plug
echo 'audio: {device: none}' | configuration
launch rehearsed
before=$(fetched)
# Less than 5 s after the start: later all memory is prefaulted.
for button in play faster slower numerator denominator tap; do
  press $button
  sleep 0.3
done
grown=$(($(fetched) - before))
check 'memory is fetched while the program starts' yes "$(if [ "$before" -gt 100 ]; then echo yes; else echo "$before"; fi)"
# Measured: 2 and 4 pages, depending on the layout of the program; 10 and 12 without a rehearsal.
check 'the first presses fetch at most 6 pages' yes "$(if [ $grown -le 6 ]; then echo yes; else echo $grown; fi)"
logged 1 '121 BPM, 4/4, playing'
end_metronome TERM
