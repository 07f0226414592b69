# The box follows a MIDI clock that another program sends: an even one, a ramp from 80 to 160 BPM in two minutes, and one whose cable
# is unplugged for 30 s. The kernel stamps what the box receives; the light is compared with it.
# shellcheck shell=sh disable=SC2154

start_receiving() {
  "$here/midi-ear" 3 1 >>"$results/midi" 2>>"$results/midi.err" &
  receiver=$!
}

# source_plays STEP...: between a start and a stop.
source_plays() { "$here/midi-source" 3 2 start anew 1000 "$@" stop >>"$results/source" 2>>"$results/midi.err"; }

plug
configuration <<END
audio: {device: none}
midi: {in: "hw:CARD=VirMIDI,DEV=2", transport: follow}
END
start_receiving
sleep 0.3

start_metronome even source=midi
logged 1 'the MIDI input hw:CARD=VirMIDI,DEV=2 is connected as /dev/snd/midiC2D2'
logged 1 'waiting for the MIDI clock'
source_plays clock 133 3192
sleep 1
logged 2 'locked to the MIDI clock at 133 BPM'
end_metronome TERM

start_metronome ramp source=midi
source_plays ramp 80 160 5760
sleep 1
end_metronome TERM

start_metronome unplugged source=midi
source_plays clock 97.3 778 lose 1168 clock 97.3 1557
sleep 1
logged 2 'MIDI clock lost, holding its tempo'
end_metronome TERM
kill -TERM "$receiver"
wait "$receiver"
check 'the tools have no errors' '' "$(cat "$results/midi.err")"
