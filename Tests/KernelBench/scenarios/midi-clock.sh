#: limit=900
# MIDI clock on a port of VirMIDI, received and stamped by the kernel: three signatures, changes of tempo, stops and starts, ten
# thousand quarters (with `run --quick` 244), two seconds in which the program stands still, and the port unplugged and plugged in
# again.
# shellcheck shell=sh disable=SC2154

virmidi() { echo snd_virmidi.0 >/sys/bus/platform/drivers/snd_virmidi/"$1"; }

start_receiving() {
  "$here/midi-ear" 0 1 >>"$results/midi" 2>>"$results/midi.err" &
  receiver=$!
}

stop_receiving() {
  kill -TERM "$receiver"
  wait "$receiver"
}

with_midi() {
  configuration <<END
$1
audio: {device: none}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}
END
}

plug
start_receiving
sleep 0.3

# --- Signatures and tempi ----------------------------------------------------------------------------------------------
with_midi 'tempo: 133.7'
start_metronome clock
logged 1 'the MIDI output hw:CARD=VirMIDI,DEV=0 is connected as /dev/snd/midiC2D0'
press play
sleep 7.003
for pause in 0.31 0.17 2.9; do
  press faster
  sleep $pause
done
press slower
sleep 3.3
press denominator
sleep 5.1
press denominator
sleep 3.7
press play
sleep 1.71
press play
sleep 30.03
press play
sleep 1
end_metronome TERM

with_midi 'tempo: 61
signature: 6/8'
start_metronome eighths
press play
sleep 20.5
press faster
sleep 3
end_metronome TERM

with_midi 'tempo: 97.3
signature: 7/16'
start_metronome sixteenths
press play
sleep 17
press play
sleep 0.5
end_metronome TERM

with_midi 'tempo: 243.7
signature: 3/4'
if [ "${quick:-}" ]; then long=60; else long=2470; fi
start_metronome long
press play
sleep $long
press play
sleep 0.5
end_metronome TERM

# --- The program stands still; the port is unplugged -------------------------------------------------------------------
with_midi 'tempo: 120'
start_metronome faults
press play
sleep 5.2
stall 2
sleep 14
stop_receiving
mark port gone
virmidi unbind &
sleep 2
virmidi bind
mark port back
start_receiving
sleep 10
logged 1 'the MIDI output hw:CARD=VirMIDI,DEV=0 was removed; waiting for it'
logged 2 'the MIDI output hw:CARD=VirMIDI,DEV=0 is connected'
press play
sleep 1
press play
sleep 5
end_metronome TERM
stop_receiving
check 'the receiver has no errors' '' "$(cat "$results/midi.err")"

# --- Without MIDI ------------------------------------------------------------------------------------------------------
configuration <<END
audio: {device: none}
END
start_metronome silent
press play
sleep 2
check 'no MIDI port is open' '' "$(ls -l /proc/"$metronome"/fd | grep -o 'midiC.*')"
check 'no thread for MIDI' '' "$(cat /proc/"$metronome"/task/*/comm | grep -x midi)"
end_metronome TERM
