#: limit=200
# SIGHUP reads the configuration again while it plays: what is the same stays as it was, what is wrong leaves the old one in
# force, other lines and another card take up the beat. A terminal that hangs up ends it.
# shellcheck shell=sh disable=SC2154

# reload TIMES PATTERN: reads the configuration again, and so many lines of the log have the pattern by then.
reload() {
  kill -HUP "$metronome"
  sleep 0.01
  said "$1" "$2"
}

# level LINE: whether it is lit.
level() { cat "$header/sim_gpio$1/value"; }

# lit LINES WANTED: of lines with commas between them.
lit() {
  found=$(for line in $(echo "$1" | tr , ' '); do level "$line"; done | tr -d '\n')
  check "$run: lit of lines $1" "$2" "$found"
}

# users LINE: who holds it.
users() { sed -n "s/^ gpio-[0-9]* (GPIO$1 *|\([^)]*[^ )]\) *).*/\1/p" /sys/kernel/debug/gpio; }

plug 23 doorbell

# --- What the beat does not notice, and another tempo ---

echo 'audio: {device: none}' | configuration
start_metronome goes-on
press play
sleep 2.3
reload 1 'configuration read again: nothing changed'
sleep 1.1
printf 'audio: {device: none}\ntempo: fast\n' | configuration
reload 1 "the old configuration stays in force: .*/configuration\.yaml:2:8: tempo cannot be \"fast\""
sleep 1.1
rm "$results/configuration.yaml"
reload 1 'the old configuration stays in force: .*/configuration\.yaml: there is no such file'
sleep 1.1
printf 'audio: {device: none}\nautoplay: true\nrestore: false\n' | configuration
reload 1 'configuration read again: autoplay \(from the next start on\), restore \(from the next start on\)$'
sleep 1.1
printf 'audio: {device: none}\ntempo: 90\n' | configuration
mark 'elsewhere tempo 90'
reload 1 'configuration read again: tempo, autoplay'
sleep 5
# As hands have set it, so it stays.
press faster
sleep 3
printf 'audio: {device: none}\ntempo: 90\nauto_stop: 1h\n' | configuration
reload 1 'configuration read again: auto_stop$'
sleep 3
mark require beats=30
end_metronome TERM
said 1 '91 BPM, 4/4, playing'

# --- Other pulses, and other lines ---

# The first beat falls 1 ms after the press, which takes 0.11 s: 0.405 s after it the second pulse of 120 BPM is lit.
echo 'audio: {device: none}' | configuration
launch moves
press play
sleep 0.405
lit 17,18 10
printf 'audio: {device: none}\noutputs: {light: {regular_ms: 200}}\n' | configuration
reload 1 'configuration read again: outputs.light$'
sleep 0.1
lit 17,27,22 110
sleep 0.39
printf 'audio: {device: none}\noutputs: {light: {line: GPIO18}}\n' | configuration
lit 17,18 10
reload 2 'configuration read again: outputs.light$'
lit 17,18 01
check 'the old line is free' '' "$(users 17)"
check 'the new line is held' metronome "$(users 18)"
sleep 0.05
lit 17,18 00
sleep 0.44
lit 17,18,27 011

# No such line, two on one, and one that another program has until it ends.
printf 'audio: {device: none}\noutputs: {light: {line: GPIO99}}\n' | configuration
reload 1 'the old configuration stays in force: .*GPIO99'
printf 'audio: {device: none}\noutputs: {light: {line: GPIO5}}\n' | configuration
reload 1 'the old configuration stays in force: .*GPIO5 already belongs to buttons\.play'
sleep 0.485
lit 17,18 01
printf 'audio: {device: none}\noutputs: {light: {line: GPIO23}}\n' | configuration
reload 3 'configuration read again: outputs.light$'
said 1 'waits for the GPIO lines: .*GPIO23 .*in use by "doorbell"'
lit 17,18,27,22 0000
echo 'audio: {device: none}' | configuration
reload 4 'configuration read again: outputs.light$'
await_lines
said 1 'the GPIO lines are there'
press play
sleep 0.2
lit 17,18,27,22 0000
press play
sleep 0.405
lit 17,18,27 101
end_metronome TERM
lit 17,18,27,22 0000

# A line that no chip here has is found out when the chip comes: a box that plays is not ended by it.
launch impossible
unplug
printf 'audio: {device: none}\noutputs: {light: {line: GPIO77}}\n' | configuration
sleep 1
reload 1 'configuration read again: outputs.light$'
plug 17 lamp
sleep 3
said 1 'waits for the GPIO lines: .*GPIO77 \(light\)'
check 'it runs on' yes "$(kill -0 "$metronome" && echo yes)"
echo 'audio: {device: none}' | configuration
reload 2 'configuration read again: outputs.light$'
said 1 'waits for the GPIO lines: .*GPIO17 \(light, offset 17\) is in use by "lamp"'
unplug
sleep 3
plug
await_lines
end_metronome TERM

# --- Other sounds on the same stream, another card, none ---

listen
echo 'audio: {device: "hw:Loopback,0"}' | configuration
start_metronome sounds sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 10.3
for volume in 0.5 0.9 0.8; do
  echo "audio: {device: \"hw:Loopback,0\", volume: $volume}" | configuration
  reload 1 'audio: locked'
  sleep 3.07
done
mark mute
echo 'audio: {device: none}' | configuration
reload 1 'configuration read again: audio.device$'
sleep 2
said 1 'audio: off'
echo 'audio: {device: "hw:Loopback,0", period: 128}' | configuration
reload 1 'configuration read again: audio.device, audio.period$'
sounds_again
sleep 15.2
said 2 'audio: locked'
mark require beats=70
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
reload 1 'configuration read again: nothing changed'
kill -KILL "$terminal"
wait "$terminal" || true
sleep 0.5
check 'it has ended with its terminal' no "$(kill -0 "$metronome" 2>/dev/null && echo yes || echo no)"
lit 17,27,22 000
check 'no line is held any more' 0 "$(grep -c '|metronome' /sys/kernel/debug/gpio)"
