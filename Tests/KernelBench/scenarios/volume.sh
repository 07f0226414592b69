#: limit=200
# A dial turns the volume from 0 to -22.5 dB and back, in steps of 1.5 dB: each click is as much softer or louder. The ear does not
# recognize softer ones. The volume survives SIGKILL and a stop.
# shellcheck shell=sh disable=SC2034,SC2154

rel_dial=7
plug
plug_device dial 'Bench Dial' rel:$rel_dial
# At this volume no click is limited.
configuration <<'END'
audio: {device: "hw:Loopback,0", volume: 0.7}
rhythm: XYxx
inputs:
  - {device: "Bench Dial", relative: {REL_DIAL: volume}}
END
state=/run/state
mkdir $state
render_sounds
listen
start_metronome steps
# The dial is turned midway between two clicks. The command `press` takes 0.11 s, and the first beat is 24 ms after the press.
press play
sleep 1.65
turn dial $rel_dial -15 0.5
turn dial $rel_dial 15 0.5
press play
# The last of 25 detents has no effect.
turn dial $rel_dial -25
turn dial $rel_dial 12
# Saved within two seconds.
sleep 3
end_metronome KILL 137
logged 1 'volume -36 dB, stopped'

start_metronome killed
logged 1 'volume -18 dB, stopped'
press play
sleep 1.65
turn dial $rel_dial 3
press play
sleep 3
end_metronome TERM
start_metronome stopped
logged 1 'volume -13.5 dB, stopped'
press play
sleep 1.65
press play
end_metronome TERM
stop_listening
unplug_device dial
