#: limit=120
# `metronome bench`, which starts metronome-bench, with a chip and a card: what it costs to set the lines, and how the card's clock is followed. How late loops
# are is not to be known in virtual time, but each has its figures, and edges are never early.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo 'audio: {device: "hw:Dummy,0"}' | configuration
code=0
timeout 60 "$here/metronome" bench --for 4500ms --blocks 2 --json --picture "$results/late.svg" \
  --config "$results/configuration.yaml" >"$results/bench.json" 2>"$results/bench.err" </dev/null || code=$?
check 'the exit code is that of the bounds' yes "$([ $code -le 1 ] && echo yes || echo "$code")"
check 'nothing on standard error' 0 "$(wc -c <"$results/bench.err")"
says() { check "$1" yes "$(grep -qE -- "$2" "$results/bench.json" && echo yes || echo no)"; }
says 'the chip is named' '"chip":"gpiochip[0-9]+ \[pinctrl-bcm2711\]"'
says 'a call has its cost' '"set_call":\{[^}]*"p50_us":[0-9.]+'
says 'the clock of the card is followed' '"sound":\{[^}]*"locked":true'
says 'at the priority of the box' '"machine":"[^"]*priority 80"'
for loop in timer spinning playing nanosleep; do
  says "$loop has figures" "\"name\":\"$loop\",\"p50_us\":[0-9.]+"
  says "$loop is never early" "\"early\":0,[^{}]*\"name\":\"$loop\""
done
check 'a picture' '<svg' "$(head -c 4 "$results/late.svg")"

# The lines are in use: the rest is measured all the same.
echo 'audio: {device: none}' | configuration
start_metronome playing
press play
sleep 1
timeout 60 "$here/metronome" bench --for 2250ms --blocks 1 --json --config "$results/configuration.yaml" \
  >"$results/bench.json" 2>>"$results/bench.err" </dev/null || true
says 'lines in use are told' 'the lines not measured: gpiochip[^"]*in use by'
says 'and the loops measured' '"name":"spinning","p50_us":[0-9.]+'
sleep 1
end_metronome TERM
