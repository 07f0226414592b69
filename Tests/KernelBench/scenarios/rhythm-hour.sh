#: limit=3000
#: root=host
# An hour of 4:3 with swing at 133.7 BPM, all levels in the main voice, recorded at the other end of the Loopback card, and with a
# MIDI clock that another port receives. A clock waits for the lines of its beat, and three lines that change at once are slower:
# measured at most 5.4 µs. With `run --quick` one minute, with `run --with seconds=600` ten.
# shellcheck shell=sh disable=SC2154

rhythm='Xooo|x.xo|Yo|o. swing=62% & 4:3 sound=cowbell'
plug
configuration <<END
tempo: 133.7
rhythm: "$rhythm"
audio: {device: "hw:Loopback,0"}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak], pulse_ms: {strong: 40, medium: 28, weak: 20, ghost: 8}}
END
render_sounds
listen
"$here/midi-ear" 0 1 >"$results/midi" 2>"$results/midi.err" &
receiver=$!
if [ "${quick:-}" ]; then seconds=60; else seconds=${seconds:-3600}; fi
sleep 0.3
start_metronome rhythm settle_s=10
press play
sleep "$seconds"
end_metronome TERM
stop_listening
kill -TERM "$receiver"
wait "$receiver"
check 'the receiver has no errors' '' "$(cat "$results/midi.err")"
