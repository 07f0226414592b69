# Pedals that learn what they do, while the metronome plays: a USB pedal, also one that is plugged in meanwhile, a MIDI pedal on a port
# that the box does not use so far, a wheel, a press that has a function already, and nobody who presses. The pedals work afterwards, after
# a restart, and no longer when they are forgotten.
# shellcheck shell=sh disable=SC2034,SC2154

key_a=30 page_down=109 page_up=104 rel_dial=7
socket=/run/state/control
state=/run/state
mkdir $state

# learn MESSAGE: begins to learn; what follows presses a pedal.
learn() { "$here/control-client" $socket ask "learn $*" >"$results/answer" 2>>"$results/client.err" & learner=$!; sleep 0.3; }
# learned TEXT: the answer, once it is there.
learned() {
  wait $learner
  check "the answer to learn" "$1" "$(tail -n 1 "$results/answer")"
  sleep 0.5
}
plug_pedal() { plug_device pedal 'Bench Pedal' key:$page_down key:$page_up; }
plug_wheel() { plug_device wheel 'Bench Wheel' key:$key_a rel:$rel_dial; }
send() {
  for byte; do printf "\\$(printf %03o "0x$byte")"; done >/dev/snd/midiC2D3
  sleep 0.1
}

plug
plug_pedal
configuration <<'END'
audio: {device: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEUP: faster}}
END
launch learning
tap_key pedal $page_up
sleep 0.3
logged 1 '121 BPM, 4/4, stopped'
press play
sleep 2.1

# A key without a function, and then one that has another one: neither press acts while it is learned.
learn action=command command=next_numerator
tap_key pedal $page_down
learned 'done device="Bench Pedal" control=KEY_PAGEDOWN'
logged 1 'configuration reloaded: inputs'
logged 1 '121 BPM, 4/4, playing'
tap_key pedal $page_down
sleep 0.5
logged 1 '121 BPM, 1/4, playing'
learn action=command command=tap
tap_key pedal $page_up
learned 'done device="Bench Pedal" control=KEY_PAGEUP'
tap_key pedal $page_up
sleep 0.5
logged 1 '121 BPM, 1/4, playing'

# A wheel that is plugged in while the box listens.
learn action=dial dial=tempo
plug_wheel
sleep 1.5
turn wheel $rel_dial 3 0.1
learned 'done device="Bench Wheel" control=REL_DIAL'
turn wheel $rel_dial 2 0.2
sleep 0.5
logged 1 '123 BPM, 1/4, playing'

# A MIDI pedal, whose card the box opens only now, with a command that no button has. The other end of the cable is port 3.
learn action=command command=volume_down
"$here/midi-source" 3 2 2>>"$results/client.err"
send B0 40 7F
send B0 40 00
learned 'done device=hw:CARD=VirMIDI,DEV=2 control="controller 64"'
"$here/midi-source" 3 2 2>>"$results/client.err"
send B0 40 7F
send B0 40 00
sleep 0.5
logged 1 'volume -1.5 dB'

# Nobody presses; a second person; a person who changes their mind.
learn action=command command=play
sleep 19
learned 'refused why="nothing was pressed within 20 seconds"'
learn action=command command=play
check 'cancel is answered' 'done' "$("$here/control-client" $socket ask 'learn action=cancel')"
learned 'refused why="nothing was learned"'
check 'a wrong command is refused' 1 "$("$here/control-client" $socket ask 'learn action=command command=pair' | grep -c '^refused')"
check 'a list' 4 "$("$here/control-client" $socket ask 'learn action=list' | grep -c '^control ')"
press play
sleep 0.5
end_metronome TERM

# After a restart; and forgotten.
launch again
tap_key pedal $page_down
sleep 0.5
logged 1 '123 BPM, 2/4, volume -1.5 dB, stopped'
check 'forgets' 'done' "$("$here/control-client" $socket ask 'learn action=forget number=2')"
sleep 0.5
tap_key pedal $page_down
sleep 0.5
logged 0 '123 BPM, 3/4, '
check 'a list without it' 3 "$("$here/control-client" $socket ask 'learn action=list' | grep -c '^control ')"
end_metronome TERM

# A damaged file stops nothing.
echo 'inputs: [{midi: X, cc: {200: play}}]' >$state/learned.yaml
launch damaged
logged 1 'what was learned of pedals and knobs is not used: /run/state/learned.yaml:1'
press play
sleep 1
logged 1 'BPM, 2/4, volume -1.5 dB, playing'
end_metronome TERM
unplug_device pedal
unplug_device wheel
check 'the tools have no errors' '' "$(cat "$results/client.err")"
