#: quick=both
# From a press to the light: within 2 ms, for a button and for a pedal, at any phase of the kernel's ticks.
# shellcheck shell=sh

plug
configuration <<'END'
audio: {device: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: play}}
END
plug_device pedal 'Bench Pedal' key:109
start_metronome reaction
turn=0
while [ $turn -lt 40 ]; do
  press play 0.0401
  sleep 0.0203
  tap_key pedal 109 0.0402
  sleep 0.1307
  turn=$((turn + 1))
done
press play
sleep 2
end_metronome TERM
unplug_device pedal
