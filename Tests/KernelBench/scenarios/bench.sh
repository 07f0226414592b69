#: limit=120
# Runs `metronome bench` with a chip and a card. It measures the cost of setting the lines and tracks the card's clock.
# Wake-up latencies cannot be measured in virtual time, but each loop has its statistics, and edges are never early.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo 'audio: {device: "hw:Dummy,0"}' | configuration
code=0
timeout 60 "$here/metronome" bench --for 4500ms --blocks 2 --json --picture "$results/late.svg" \
  --config "$results/configuration.yaml" >"$results/bench.json" 2>"$results/bench.err" </dev/null || code=$?
check 'the exit code is 0 or 1' yes "$([ $code -le 1 ] && echo yes || echo "$code")"
check 'nothing on standard error' 0 "$(wc -c <"$results/bench.err")"
says() { check "$1" yes "$(grep -qE -- "$2" "$results/bench.json" && echo yes || echo no)"; }
says 'the chip is named' '"chip":"gpiochip[0-9]+ \[pinctrl-bcm2711\]"'
says 'the cost of a call is measured' '"set_call":\{[^}]*"p50_us":[0-9.]+'
says "the card's clock is locked" '"sound":\{[^}]*"locked":true'
says 'the priority is 80, as on the box' '"machine":"[^"]*priority 80"'
for loop in timer spinning playing nanosleep; do
  says "$loop has figures" "\"name\":\"$loop\",\"p50_us\":[0-9.]+"
  says "$loop is never early" "\"early\":0,[^{}]*\"name\":\"$loop\""
done
check 'a picture' '<svg' "$(head -c 4 "$results/late.svg")"

# The lines are in use: everything else is still measured.
echo 'audio: {device: none}' | configuration
start_metronome playing
press play
sleep 1
timeout 60 "$here/metronome" bench --for 2250ms --blocks 1 --json --config "$results/configuration.yaml" \
  >"$results/bench.json" 2>>"$results/bench.err" </dev/null || true
says 'lines in use are reported' 'the lines not measured: gpiochip[^"]*in use by'
says 'the loops are still measured' '"name":"spinning","p50_us":[0-9.]+'
sleep 1
end_metronome TERM
