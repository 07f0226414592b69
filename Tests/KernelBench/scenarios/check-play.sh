#: limit=300
# `metronome check --play`: each output in turn, by the kernel's trace; each button pressed, not pressed, and with another
# one pressed instead; what a MIDI pedal sends, and the entry of the configuration for it, which works; outputs go off if it is
# interrupted.
# shellcheck shell=sh disable=SC2034,SC2154

# asked BUTTON: waits until the program asks for it.
asked() {
  attempts=300
  until grep -q "^$1 (" "$results/trial.err" || [ $attempts = 0 ]; do
    sleep 0.1
    attempts=$((attempts - 1))
  done
}

# found SUBJECT PATTERN: its finding in the JSON output contains this.
found() {
  said=$(sed 's/},{/}\n{/g' "$results/trial.json" | grep "\"area\":\"trial\".*\"subject\":\"$1\"")
  if echo "$said" | grep -qE -- "$2"; then said=yes; fi
  check "$1: /$2/" yes "$said"
}

# trial: starts one.
trial() {
  mkdir -p /run/state
  "$here/metronome" check --json --play --for 1 --state /run/state --config "$results/configuration.yaml" \
    >"$results/trial.json" 2>"$results/trial.err" </dev/null &
  trial=$!
}

mount -t tmpfs units /etc/systemd/system
plug
base=$(sed -n 's/^gpiochip[0-9]*: GPIOs \([0-9]*\)-.*pinctrl-bcm2711.*/\1/p' /sys/kernel/debug/gpio)
listen
echo 'audio: {device: "hw:Loopback,0"}' | configuration
trial
for button in play slower faster; do
  asked $button
  sleep 0.2
  press $button
done
asked numerator
sleep 0.2
press_bouncing numerator
# Denominator is not pressed. For tap, play is pressed.
asked tap
sleep 0.2
press play
# A pedal on the second of two MIDI ports of a cable.
asked MIDI
"$here/midi-source" 3 2
printf '\260\100\177\260\100\000\370\260\020\101\020\101\020\077\302\005' >/dev/snd/midiC2D3
code=0
wait $trial || code=$?
stop_listening
check 'exit code' 1 "$code"
found light '"right"'
found play '"bounce_ms":0,"edges":2,"held_ms":8[0-9].*"right".*one press'
found numerator '"bounce_ms":[4-9].*"edges":10,.*"right"'
found denominator '"remedy":"check the wires.*"doubtful".*"text":"no edge within 15 s"'
found tap '"remedy":"if that was this button, swap.*"doubtful".*"text":"no edge within 15 s; play had edges instead"'
for line in light:17 pendulum:27 buzzer:22; do
  check "the ${line%:*} was on three times" 3 "$(grep -cE "gpio_value: $((base + ${line#*:})) set 1" "$tracing/trace")"
done
found 'hw:CARD=VirMIDI,DEV=2 controller 64' '"right".*"text":"on channel 1, pressed and released"'
found 'hw:CARD=VirMIDI,DEV=2 controller 16' '"right".*"text":"on channel 1, turned, offset-64"'
found 'hw:CARD=VirMIDI,DEV=2 program changes' '"right".*"text":"on channel 3"'
check 'three clicks' 3 "$(grep -c '^click' "$results/ear.1")"
check 'all outputs are off' '0 0 0' "$(cat "$header/sim_gpio17/value" "$header/sim_gpio27/value" "$header/sim_gpio22/value" | paste -sd' ')"

cp "$results/trial.err" "$results/trial.first"
# Interrupted while the buzzer sounds.
trial
attempts=3000
until [ "$(cat "$header/sim_gpio22/value")" = 1 ] || [ $attempts = 0 ]; do
  sleep 0.01
  attempts=$((attempts - 1))
done
kill -TERM $trial
code=0
wait $trial || code=$?
check 'ended: exit code' 0 "$code"
found buzzer '"absent".*"text":"skipped"'
check 'ended: all outputs are off' '0 0 0' "$(cat "$header/sim_gpio17/value" "$header/sim_gpio27/value" "$header/sim_gpio22/value" | paste -sd' ')"

# The printed entry is a configuration.
{
  echo 'audio: {device: none}'
  sed -n '/^inputs:/,$p' "$results/trial.first"
} | configuration
launch learned
"$here/midi-source" 3 2
printf '\260\100\177\260\100\000' >/dev/snd/midiC2D3
sleep 1
logged 1 '120 BPM, 4/4, playing'
printf '\260\020\103' >/dev/snd/midiC2D3
sleep 1
logged 1 '123 BPM, 4/4, playing'
kill -TERM "$metronome"
wait "$metronome"
