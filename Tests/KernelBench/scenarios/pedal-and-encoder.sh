# A foot pedal and a rotary encoder beside the box: presses, holds, slow and fast turns; pulled out and plugged in again,
# also in mid-hold. The pedal has a second event device of its name, as many have, that comes first and has none of its keys.
# shellcheck shell=sh disable=SC2154

key_a=30 page_down=109 page_up=104 button_0=256 rel_x=0 rel_dial=7

plug_pedal() { plug_device pedal 'Bench Pedal' key:$page_down key:$page_up; }
plug_twin() { plug_device twin 'Bench Pedal' key:$key_a; }
plug_encoder() { plug_device encoder 'Bench Encoder' key:$button_0 rel:$rel_x rel:$rel_dial; }

plug
bind_device Bench_Pedal key $page_down play
bind_device Bench_Pedal key $page_up faster
bind_device Bench_Encoder key $button_0 tap
bind_device Bench_Encoder rel $rel_x tempo
bind_device Bench_Encoder rel $rel_dial numerator
plug_twin
plug_pedal
configuration <<'END'
audio: {device: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: play, KEY_PAGEUP: faster}}
  - {device: "Bench Encoder", keys: {BTN_0: tap}, relative: {REL_X: tempo, REL_DIAL: numerator}, grab: true}
END
start_metronome hands
said 1 '"Bench Pedal" is there'
said 1 'waiting for the input "Bench Encoder"; there are "Bench Pedal"'
open=$(handles)
plug_encoder
sleep 0.5
said 1 '"Bench Encoder" is there'

# Set while stopped, by the dial; then played, by foot.
turn encoder $rel_x 5 0.15
turn encoder $rel_dial -1
tap_key twin $key_a
tap_key pedal $page_down
sleep 3.3

# Slow, faster, and as fast as a hand goes; back; several detents at once.
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

# A press and a hold; while the foot holds, the box's own button goes its own way.
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

# Pulled out in mid-hold: it repeats no more. Plugged in again it is as before.
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
said 2 '"Bench Pedal" is gone'
said 2 '"Bench Pedal": there is one, /dev/input/event0, but it has no KEY_PAGEDOWN, KEY_PAGEUP; waiting'
said 3 '"Bench Pedal" is there'

# The encoder is gone, and the pedal plays on; then both are, and the box's own buttons are still there.
unplug_device encoder
sleep 1
tap_key pedal $page_down
sleep 0.4
tap_key pedal $page_down
sleep 2
unplug_device pedal
sleep 1
check 'as many open files as with one device, but for it' $((open - 1)) "$(handles)"
press faster
sleep 3
plug_pedal
plug_encoder
sleep 0.5
turn encoder $rel_x 2 0.2
sleep 1
tap_key pedal $page_down
sleep 1
mark require beats=60
end_metronome TERM
unplug_device pedal
unplug_device twin
unplug_device encoder
