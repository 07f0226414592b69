# Light and buzzer are shifted against each other with the buttons: the lines move by that time, and the printed values
# agree.
# shellcheck shell=sh disable=SC2034,SC2154

plug
base=$(sed -n 's/^gpiochip[0-9]*: GPIOs \([0-9]*\)-.*pinctrl-bcm2711.*/\1/p' /sys/kernel/debug/gpio)
metronome_does=calibrate

# rises OFFSET: the rising edges of a line, one per line, in seconds with six decimals. A call writes all lines, changed or
# not.
rises() {
  sed -n "s/^.* \([0-9.]*\): gpio_value: $((base + $1)) set \([01]\)\$/\1 \2/p" "$tracing/trace" |
    awk '$2 > before { print $1 } { before = $2 }'
}

# earlier: how many microseconds the buzzer rose before the light, the last time. The trace's text is rounded.
earlier() {
  echo "$(rises 17 | tail -n 1) $(rises 22 | tail -n 1)" | awk '{ printf "%d", ($1 - $2) * 1e6 + ($1 > $2 ? 0.5 : -0.5) }'
}

# about WANTED GOT: equal within the 5 µs that an edge may be late.
about() { if [ "$2" -ge $(($1 - 5)) ] && [ "$2" -le $(($1 + 5)) ]; then echo "$1"; else echo "$2"; fi; }

lines_of() { tr -s ' \n' ' ' <"$results/$1.out"; }

configuration <<'END'
outputs: {light: {latency_us: 700}, pendulum: {latency_us: 700}}
audio: {device: none}
END
launch by-buttons
sleep 2
check 'before the first press: as configured' -700 "$(about -700 "$(earlier)")"
press numerator
for step in 1 2 3; do press slower; done
press denominator
press_bouncing faster
sleep 2
check 'the buzzer is 2.9 ms earlier than it was' 2200 "$(about 2200 "$(earlier)")"
check 'no pendulum' 0 "$(rises 27 | wc -l)"

press play
sleep 1
light=$(rises 17 | wc -l)
buzzer=$(rises 22 | wc -l)
sleep 3
check 'the light alone flashes' 3 $(($(rises 17 | wc -l) - light))
check 'the buzzer is silent' 0 $(($(rises 22 | wc -l) - buzzer))

press tap
await_end 'the last press' 0
check 'standard output' 'outputs: light: latency_us: 0 pendulum: latency_us: 0 buzzer: latency_us: 2200 ' \
  "$(lines_of by-buttons)"
"$here/metronome" config --config "$results/by-buttons.out" >"$results/read-back"
check 'the printed configuration can be read' 1 "$(grep -c 'latency_us: 2200' "$results/read-back")"
check 'every line is off' '000' "$(cat "$header/sim_gpio17/value" "$header/sim_gpio27/value" "$header/sim_gpio22/value" | tr -d '\n')"

# In a terminal keys do the same, and Control-C ends it; the terminal settings are restored.
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mkfifo /run/keys
exec 4<>/run/keys
cat >/run/session <<END
"$here/metronome" calibrate --config "$results/configuration.yaml" >"$results/by-keys.out" 2>"$results/by-keys.err"
echo \$? >"$results/by-keys.code"
stty -a >"$results/by-keys.stty"
END
run=by-keys
script -qc 'sh /run/session' /run/typescript </run/keys >/dev/null 2>&1 &
session=$!
attempts=300
until grep -q 'light 0, buzzer 0' "$results/by-keys.err" 2>/dev/null || [ $attempts = 0 ]; do
  sleep 0.01
  attempts=$((attempts - 1))
done
printf 'n-d\033[B' >&4
sleep 2
check 'by keys the buzzer is 1.1 ms earlier than it was' 400 "$(about 400 "$(earlier)")"
printf '\003' >&4
wait $session
check 'by keys: exit code after Control-C' 0 "$(cat "$results/by-keys.code")"
check 'by keys: standard output' 'outputs: light: latency_us: 0 pendulum: latency_us: 0 buzzer: latency_us: 400 ' \
  "$(lines_of by-keys)"
check 'by keys: the terminal echoes again' 1 "$(grep -cE '(^| )echo( |$)' "$results/by-keys.stty")"

# With sound there are three outputs to shift; a signal prints the values reached so far.
echo 'audio: {device: "hw:Loopback,0"}' | configuration
for signal in TERM INT; do
  launch "ended-by-$signal"
  press numerator
  press numerator
  for step in 1 2; do press slower; done
  press numerator
  press faster
  end_metronome $signal
  check "$signal: standard output" \
    'outputs: light: latency_us: 0 pendulum: latency_us: 0 buzzer: latency_us: 1000 audio: latency_us: 3000 ' \
    "$(lines_of "ended-by-$signal")"
done
