# A note for each hit on a port of VirMIDI, received and stamped by the kernel, beside the clock, the light and the buzzer: a
# polyrhythm with swing, another tempo while it plays, a fast one with groups, stops, and a reload that ends the notes.
# shellcheck shell=sh disable=SC2154

start_receiving() {
  "$here/midi-ear" 0 1 >"$results/$1" 2>>"$results/midi.err" &
  receiver=$!
  sleep 0.3
}

stop_receiving() {
  kill -TERM "$receiver"
  wait "$receiver"
}

with_notes() {
  configuration <<END
$1
audio: {device: none}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0", notes: {}}]}
END
}

plug
start_receiving midi

# --- A polyrhythm with swing -------------------------------------------------------------------------------------------
with_notes 'tempo: 133.7
rhythm: "Xx|o|Y.|x swing=62% & 4:3 sound=cowbell"'
start_metronome swing
press play
sleep 15.003
press faster
sleep 10.2
press slower
sleep 6.3
press play
sleep 1.07
press play
sleep 5.5
press play
sleep 1
end_metronome TERM

# --- Groups, fast, with notes that sound again before they have ended --------------------------------------------------
with_notes 'tempo: 281
signature: 2+2+3/8
rhythm: "sub=4"'
start_metronome groups
press play
sleep 20
press play
sleep 0.51
press play
sleep 5
end_metronome TERM

stop_receiving

# --- Notes without clock; the program ends while a note sounds --------------------------------------------------------
configuration <<END
audio: {device: none}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0", clock: false, notes: {length_ms: 400}}]}
END
start_receiving midi-alone
start_metronome alone midi=midi-alone
press play
sleep 3.2
end_metronome TERM
sleep 0.2
stop_receiving
check 'no clock is sent' '' "$(grep -E ' (F8|FA|FC|F2)$' "$results/midi-alone")"
check 'seven notes begin' 7 "$(grep -c ' 99$' "$results/midi-alone")"
check 'all end, the last one with the program' 7 "$(grep -c ' 89$' "$results/midi-alone")"
check 'the receiver has no errors' '' "$(cat "$results/midi.err")"
