# While playing, the beat and audio threads allocate and free nothing, and retain and release no object, whatever is
# pressed: counted in the delivered program, including libgpiod and alsa-lib. The second run plays 320 slots a second, 640 edges of
# each light, with four voices; only its counts and edges are checked here, not its instants.
# shellcheck shell=sh disable=SC2034,SC2154

# grown BEFORE AFTER: whether the third of three numbers has increased.
grown() { echo "$1 $2" | awk '{ print ($6 > $3 ? "yes" : "no") }'; }

plug
configuration <<'END'
audio: {device: "hw:Dummy,0"}
END
meter
start_metronome steady
press play
sleep 5.3
beats=$(metered beats)
sound=$(metered audio)
control=$(metered metronome)
# The start of each thread does all of these, which shows that the meter counts them.
check 'the meter counts what the beat thread does' yes "$(grown '0 0 0' "$beats")"
check 'the meter counts what the audio thread does' yes "$(grown '0 0 0' "$sound")"
for pause in 0.111 0.272 0.613 1.314 2.777; do
  press faster
  sleep $pause
  press numerator
  sleep $pause
done
hold slower 3.3
tap_at 500 400 400 400 400
sleep 60
press denominator
press play 1.2
sleep 30
press play
sleep 2
press play
sleep 60
check 'allocations, frees and references counted on the beat thread' "$beats" "$(metered beats)"
check 'allocations, frees and references counted on the audio thread' "$sound" "$(metered audio)"
check 'the meter counts what the control thread does meanwhile' yes "$(grown "$control" "$(metered metronome)")"
end_metronome TERM

configuration <<'END'
audio: {device: "hw:Dummy,0"}
tempo: 300
signature: 4/32
rhythm: "sub=8 & 3:1 & 5:4 sound=click & x..x. @5/16"
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 1, medium: 1, weak: 1, ghost: 1}}
  buzzer: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 1, medium: 1, weak: 1, ghost: 1}}
END
# sets: how often the kernel has set a line so far.
sets() { grep -c 'gpio_value: [0-9]* set' "$tracing/trace"; }
launch dense
press play
sleep 5.3
beats=$(metered beats)
sound=$(metered audio)
check 'with a dense rhythm the meter counts what the beat thread does' yes "$(grown '0 0 0' "$beats")"
check 'with a dense rhythm the meter counts what the audio thread does' yes "$(grown '0 0 0' "$sound")"
before=$(sets)
sleep 10
after=$(sets)
check 'light and buzzer show all slots' yes "$([ $((after - before)) -ge 12800 ] && echo yes || echo $((after - before)))"
press faster
sleep 5
check 'allocations, frees and references on the beat thread with a dense rhythm' "$beats" "$(metered beats)"
# The program of Swift 6.0 allocates once on the audio thread meanwhile, and frees it again; that of Swift 6.3 does not.
kept=$(echo "$sound $(metered audio)" | awk '{ print ($4 - $1 <= 1 && $5 - $2 <= 1 && $3 == $6 ? "yes" : $0) }')
check 'on the audio thread with a dense rhythm at most one allocation and no references' yes "$kept"
end_metronome TERM
