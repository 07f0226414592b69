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
# Measured: at most 4 pages with the program of Swift 6.3, and 7 to 9 with that of Swift 6.0, depending on the layout.
check 'the first presses fetch at most 10 pages' yes "$(if [ $grown -le 10 ]; then echo yes; else echo $grown; fi)"
logged 1 '121 BPM, 4/4, playing'
end_metronome TERM
