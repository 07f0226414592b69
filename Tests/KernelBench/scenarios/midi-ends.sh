#: limit=600
#: root=host
# The end of the program sends a stop, and ends the note that sounds: a hundred ends at different instants of a beat, by two signals,
# half of them without real-time rights.
# shellcheck shell=sh disable=SC2034,SC2154

# The port's bytes as they were received.
start_receiving() {
  "$here/midi-ear" 0 1 >>"$results/received" 2>>"$results/midi.err" &
  receiver=$!
  sleep 0.3
}

stop_receiving() {
  sleep 0.2
  kill -TERM "$receiver"
  wait "$receiver"
}

# count BYTE: how often it was received.
count() { grep -c " $1\$" "$results/received"; }

plug
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
chgrp -R 29 /dev/snd
chmod 660 /dev/snd/*
configuration <<END
tempo: 300
audio: {device: none}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0", notes: {length_ms: 150}}]}
END
start_receiving

if [ "${quick:-}" ]; then ends=20; else ends=100; fi
number=0
while [ $number -lt $ends ]; do
  number=$((number + 1))
  case $((number % 2)) in
    0) metronome_as='' ;;
    1) metronome_as='setpriv --reuid 1000 --regid 1000 --groups 29,997 --' ;;
  esac
  case $((number % 4)) in
    0 | 1) signal=TERM ;;
    2 | 3) signal=INT ;;
  esac
  begin "end-$number"
  await_lines
  hold play 0.05
  sleep "0.$(printf %03d $((number * 37 % 200 + 10)))"
  kill -$signal "$metronome"
  await_end SIG$signal 0
done
stop_receiving
check 'each run sends a start' $ends "$(count FA)"
check 'each end sends a stop' $ends "$(count FC)"
check 'each note that begins ends' "$(count 99)" "$(count 89)"
check 'the receiver has no errors' '' "$(cat "$results/midi.err")"
echo "$(count FC) of $ends ends with a stop; $(count 89) of $(count 99) notes ended" >"$results/figures"
