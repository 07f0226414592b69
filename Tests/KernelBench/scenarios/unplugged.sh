#: limit=120
#: quick=both
# The chip is unplugged while it plays, at several points of a beat: the program reports it once, waits without spinning,
# and rejoins the beat when the chip returns. It ends when signalled, with a chip and without.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo 'audio: {device: none}' | configuration
start_metronome comes-back
press play
sleep 3
for since in 0.01 0.12 0.27 0.39; do
  sleep $since
  unplug
  sleep 3.3
  plug
  await_lines
  sleep 2
done
press faster
sleep 5
end_metronome TERM
logged 4 'waiting for the GPIO lines: gpiochip[0-9]+ \[pinctrl-bcm2711\] was removed'
logged 4 'acquired the GPIO lines on gpiochip[0-9]+ \[pinctrl-bcm2711\]'
logged 0 'setting the GPIO lines failed|cannot be read'

launch stays-away
press play
sleep 1.2
unplug
sleep 1
before=$(ticks)
sleep 3
grown=$(($(ticks) - before))
check 'fewer than 20 ticks of the processor in 3 s' yes "$(if [ $grown -lt 20 ]; then echo yes; else echo $grown; fi)"
check 'the program still runs' yes "$(kill -0 "$metronome" && echo yes)"
end_metronome TERM
logged 1 'was removed'

# A box with a pedal and no buttons, stopped: nothing reads or sets a line.
plug
plug_device pedal 'Bench Pedal' key:109
configuration <<'END'
audio: {device: none}
buttons:
  play: {line: none}
  slower: {line: none}
  faster: {line: none}
  numerator: {line: none}
  denominator: {line: none}
  tap: {line: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: play}}
END
buttons=0
start_metronome at-rest
sleep 1
unplug
sleep 1
logged 1 'was removed'
plug
await_lines
before=$(handles)
for _ in 1 2 3; do
  unplug
  sleep 3
  plug
  await_lines
done
check 'every unplugged chip is closed' "$before" "$(handles)"
tap_key pedal 109
sleep 5
end_metronome TERM
