# A foot pedal and a rotary encoder as external devices: presses, holds, slow and fast turns, unplugging, also in mid-hold.
# Like many pedals, the pedal has a second event device with the same name, which comes first and has none of its keys.
# shellcheck shell=sh disable=SC2154

key_a=30 page_down=109 page_up=104 button_0=256 rel_x=0 rel_dial=7

plug_pedal() { plug_device pedal 'Bench Pedal' key:$page_down key:$page_up; }
plug_twin() { device_log=/dev/null plug_device twin 'Bench Pedal' key:$key_a; }
plug_encoder() { plug_device encoder 'Bench Encoder' key:$button_0 rel:$rel_x rel:$rel_dial; }

plug
plug_twin
plug_pedal
configuration <<'END'
audio: {device: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: play, KEY_PAGEUP: faster}}
  - {device: "Bench Encoder", keys: {BTN_0: tap}, relative: {REL_X: tempo, REL_DIAL: numerator}, grab: true}
END
start_metronome hands
logged 1 '"Bench Pedal" is connected'
logged 1 'waiting for the input "Bench Encoder"; the connected devices are "Bench Pedal"'
open=$(handles)
plug_encoder
sleep 0.5
logged 1 '"Bench Encoder" is connected'

# Set by the dial while stopped; then started by the pedal.
turn encoder $rel_x 5 0.15
turn encoder $rel_dial -1
tap_key twin $key_a
tap_key pedal $page_down
sleep 3.3

# Slow, faster, and as fast as a hand can turn; back; several detents at once.
for pause in 0.2 0.06 0.03 0.012; do
  turn encoder $rel_x 8 $pause
  sleep 1.1
  turn encoder $rel_x -8 $pause
  sleep 1.1
done
turn encoder $rel_x 3
sleep 1
turn encoder $rel_x -3
sleep 1
turn encoder $rel_dial 2 0.3
turn encoder $rel_dial -1 0.3
sleep 2

# A press and a hold; during the hold a button of the box works independently.
tap_key pedal $page_up
sleep 1
tap_key pedal $page_up 1.25
sleep 1
key pedal $page_up 1
sleep 0.21
press slower
sleep 0.63
key pedal $page_up 0
sleep 1

# Unplugged in mid-hold: the repetition stops. Plugged in again it works as before.
for pause in 0.7 5; do
  key pedal $page_up 1
  sleep $pause
  unplug_device pedal
  sleep 2.3
  plug_pedal
  sleep 0.5
  tap_key pedal $page_up
  sleep 1
done
logged 2 '"Bench Pedal" was removed'
logged 2 '"Bench Pedal": /dev/input/event0 has that name, but no KEY_PAGEDOWN, KEY_PAGEUP; waiting'
logged 3 '"Bench Pedal" is connected'

# Without the encoder the pedal still works; without both, the box's own buttons do.
unplug_device encoder
sleep 1
tap_key pedal $page_down
sleep 0.4
tap_key pedal $page_down
sleep 2
unplug_device pedal
sleep 1
check 'one open file fewer without the pedal' $((open - 1)) "$(handles)"
press faster
sleep 3
plug_pedal
plug_encoder
sleep 0.5
turn encoder $rel_x 2 0.2
sleep 1
tap_key pedal $page_down
sleep 1
end_metronome TERM
unplug_device pedal
unplug_device twin
unplug_device encoder
