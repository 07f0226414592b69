#: limit=120
#: quick=both
# Missing or busy hardware is waited for: a chip that appears 5 s after the start joins the beat that a pedal has started; a
# line held by another program is requested when it is free.
# shellcheck shell=sh disable=SC2034,SC2154

plug
unplug
plug_device pedal 'Bench Pedal' key:109
for chip in auto pinctrl-bcm2711 gpiochip0 /dev/gpiochip0; do
  configuration <<END
chip: $chip
audio: {device: none}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: play}}
END
  start_without_chip "late-$(basename $chip)"
  logged 1 'waiting for the GPIO lines'
  tap_key pedal 109
  before=$(ticks)
  sleep 5.13
  grown=$(($(ticks) - before))
  check "$run: fewer than 20 ticks in 5 s" yes "$(if [ $grown -lt 20 ]; then echo yes; else echo $grown; fi)"
  plug
  await_lines
  logged 1 'acquired the GPIO lines on gpiochip0 \[pinctrl-bcm2711\]'
  sleep 3
  press faster
  sleep 5
  end_metronome TERM
  logged 1 'waiting for the GPIO lines'
  unplug
done

# The other program's line becomes free because that program ends, and because the chip returns without it.
echo 'audio: {device: none}' | configuration
plug
launch first
first=$metronome
options=--wait
begin second
sleep 3
logged 1 'waiting for the GPIO lines: .*in use by "metronome"'
kill -TERM "$first"
wait "$first"
sleep 2.2
await_lines
logged 1 'acquired the GPIO lines'
unplug
plug 25 doorbell
sleep 5
logged 1 'waiting for the GPIO lines: .*GPIO25 \(denominator, offset 25\) is in use by "doorbell"'
check 'no line is held meanwhile' 0 "$(grep -c '|metronome' /sys/kernel/debug/gpio)"
unplug
plug
await_lines
end_metronome TERM
