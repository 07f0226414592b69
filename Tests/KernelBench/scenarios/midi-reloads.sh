# A hundred reloads while three MIDI outputs play: each time one of the three is another port, and the order is another one. The other
# two stay open, and lose no clock: the judge checks the first, and the second has received the same messages.
# shellcheck shell=sh disable=SC2154

# start_receiving FROM TO FILE
start_receiving() {
  "$here/midi-ear" "$1" "$2" >"$results/$3" 2>>"$results/midi.err" &
  receivers="${receivers:-} $!"
}

# with_ports DEVICE...: of the card VirMIDI.
with_ports() {
  {
    echo 'tempo: 133.7'
    echo 'audio: {device: none}'
    echo 'midi:'
    echo '  out:'
    for device; do
      echo "    - {device: \"hw:CARD=VirMIDI,DEV=$device\"}"
    done
  } | configuration
}

# open_ports: the devices that the program has open, in order.
open_ports() { ls -l "/proc/$metronome/fd" | sed -n 's/.*midiC2D//p' | sort | tr -d '\n'; }

plug
start_receiving 0 1 midi
start_receiving 2 3 midi-2
sleep 0.3
with_ports 0 1 2
start_metronome storm
check 'three ports are open' 012 "$(open_ports)"
press play
sleep 1
for round in $(seq 25); do
  with_ports 3 2 0
  reload
  sleep "0.$(printf %03d $((round * 13 % 40 + 60)))"
  with_ports 0 2 1
  reload
  sleep "0.$(printf %03d $((round * 29 % 40 + 60)))"
  with_ports 2 3 0
  reload
  sleep "0.$(printf %03d $((round * 7 % 40 + 60)))"
  with_ports 2 0 1
  # At once the next one: this one is also not lost.
  reload
  sleep 0.002
done
sleep 1
logged 100 'configuration reloaded: midi.out$'
logged 0 'the MIDI loop gave up'
logged 0 'used by another program'
check 'the others are open as at the start' 012 "$(open_ports)"
for device in 0 2; do logged 1 "MIDI output hw:CARD=VirMIDI,DEV=$device "; done
press play
sleep 1
end_metronome TERM
# shellcheck disable=SC2086 # one word each
kill -TERM $receivers
# shellcheck disable=SC2086
wait $receivers
check 'the second port has received the same' '' "$(awk 'NR == FNR { byte[FNR] = $2; at[FNR] = $1; count = FNR; next }
  FNR > 1 && ($2 != byte[FNR] || $1 - at[FNR] > 5000 || at[FNR] - $1 > 5000) { print FNR; exit }
  END { if (count != FNR) print count, FNR }' "$results/midi" "$results/midi-2")"
check 'the receivers have no errors' '' "$(cat "$results/midi.err")"
