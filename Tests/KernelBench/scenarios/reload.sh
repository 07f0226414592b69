#: limit=200
# SIGHUP reloads the configuration while it plays: unchanged settings stay, an invalid file is ignored, new lines and
# another card join the beat. Closing the terminal ends it.
# shellcheck shell=sh disable=SC2154

# level LINE: whether it is on.
level() { cat "$header/sim_gpio$1/value"; }

# lit LINES WANTED: the levels of a comma-separated list of lines.
lit() {
  found=$(for line in $(echo "$1" | tr , ' '); do level "$line"; done | tr -d '\n')
  check "$run: lit of lines $1" "$2" "$found"
}

# users LINE: the program that holds it.
users() { sed -n "s/^ gpio-[0-9]* (GPIO$1 *|\([^)]*[^ )]\) *).*/\1/p" /sys/kernel/debug/gpio; }

plug 23 doorbell

# --- What the beat does not notice, and another tempo ---

echo 'audio: {device: none}' | configuration
start_metronome goes-on
press play
sleep 2.3
reload 1 'configuration reloaded: nothing changed'
sleep 1.1
printf 'audio: {device: none}\ntempo: fast\n' | configuration
reload 1 "configuration not reloaded, the old one .*/configuration\.yaml:2:8: tempo: invalid value \"fast\""
sleep 1.1
rm "$results/configuration.yaml"
kill -HUP "$metronome"
sleep 0.01
logged 1 'configuration not reloaded, the old one .*/configuration\.yaml: no such file'
sleep 1.1
printf 'audio: {device: none}\nautoplay: true\nrestore: false\n' | configuration
reload 1 'configuration reloaded: autoplay \(takes effect .*\), restore \(takes effect at the next start\)$'
sleep 1.1
printf 'audio: {device: none}\ntempo: 90\n' | configuration
reload 1 'configuration reloaded: tempo, autoplay'
sleep 5
# Settings made by buttons stay.
press faster
sleep 3
printf 'audio: {device: none}\ntempo: 90\nauto_stop: 1h\n' | configuration
reload 1 'configuration reloaded: auto_stop$'
sleep 3
end_metronome TERM
logged 1 '91 BPM, 4/4, playing'

# --- Other pulses, and other lines ---

# The first beat is 1 ms after the press, which takes 0.11 s: 0.405 s later the second pulse of 120 BPM is lit.
echo 'audio: {device: none}' | configuration
launch moves
press play
sleep 0.405
lit 17,18 10
printf 'audio: {device: none}\noutputs: {light: {pulse_ms: {weak: 200}}}\n' | configuration
reload 1 'configuration reloaded: outputs.light$'
sleep 0.1
lit 17,27,22 110
sleep 0.39
printf 'audio: {device: none}\noutputs: {light: {line: GPIO18}}\n' | configuration
lit 17,18 10
reload 2 'configuration reloaded: outputs.light$'
lit 17,18 01
check 'the old line is free' '' "$(users 17)"
check 'the new line is held' metronome "$(users 18)"
sleep 0.05
lit 17,18 00
sleep 0.44
lit 17,18,27 011

# A missing line, two outputs on one line, and a line that another program holds until it ends.
printf 'audio: {device: none}\noutputs: {light: {line: GPIO99}}\n' | configuration
reload 1 'configuration not reloaded, the old one remains active: .*GPIO99'
printf 'audio: {device: none}\noutputs: {light: {line: GPIO5}}\n' | configuration
reload 1 'configuration not reloaded, the old one remains active: .*GPIO5 is already used by buttons\.play'
sleep 0.485
lit 17,18 01
printf 'audio: {device: none}\noutputs: {light: {line: GPIO23}}\n' | configuration
reload 3 'configuration reloaded: outputs.light$'
logged 1 'waiting for the GPIO lines: .*GPIO23 .*in use by "doorbell"'
lit 17,18,27,22 0000
echo 'audio: {device: none}' | configuration
reload 4 'configuration reloaded: outputs.light$'
await_lines
logged 1 'acquired the GPIO lines'
press play
sleep 0.2
lit 17,18,27,22 0000
press play
sleep 0.405
lit 17,18,27 101
end_metronome TERM
lit 17,18,27,22 0000

# A line that no chip has is detected when the chip appears: that does not end a playing box.
launch impossible
unplug
printf 'audio: {device: none}\noutputs: {light: {line: GPIO77}}\n' | configuration
sleep 1
reload 1 'configuration reloaded: outputs.light$'
plug 17 lamp
sleep 3
logged 1 'waiting for the GPIO lines: .*GPIO77 \(light\)'
check 'the program still runs' yes "$(kill -0 "$metronome" && echo yes)"
echo 'audio: {device: none}' | configuration
reload 2 'configuration reloaded: outputs.light$'
logged 1 'waiting for the GPIO lines: .*GPIO17 \(light, offset 17\) is in use by "lamp"'
unplug
sleep 3
plug
await_lines
end_metronome TERM

# --- Other sounds on the same stream, another card, no card ---

listen
echo 'audio: {device: "hw:Loopback,0"}' | configuration
start_metronome sounds
press play
sleep 10.3
for volume in 0.5 0.9 0.8; do
  echo "audio: {device: \"hw:Loopback,0\", volume: $volume}" | configuration
  reload 1 'audio: locked'
  sleep 3.07
done
mark mute
echo 'audio: {device: none}' | configuration
reload 1 'configuration reloaded: audio.device$'
sleep 2
logged 1 'audio: off'
echo 'audio: {device: "hw:Loopback,0", period: 128}' | configuration
reload 1 'configuration reloaded: audio.device, audio.period$'
sounds_again
sleep 15.2
logged 2 'audio: locked'
end_metronome TERM
stop_listening

# --- The terminal ---

mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
run=terminal
echo 'audio: {device: none}' | configuration
script -qfc "echo \$\$ >$results/pid; exec $here/metronome run --config $results/configuration.yaml 2>$results/$run.err" \
  /dev/null </dev/null >"$results/$run.out" 2>&1 &
terminal=$!
sleep 0.1
metronome=$(cat "$results/pid")
await_lines
press play
sleep 0.3
reload 1 'configuration reloaded: nothing changed'
kill -KILL "$terminal"
wait "$terminal" || true
sleep 0.5
check 'the program has ended with its terminal' no "$(kill -0 "$metronome" 2>/dev/null && echo yes || echo no)"
lit 17,27,22 000
check 'no line is held afterwards' 0 "$(grep -c '|metronome' /sys/kernel/debug/gpio)"
