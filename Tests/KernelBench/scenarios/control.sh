#: limit=900
# Commands through the control socket, and clients that flood it, crowd it or do not read: the beat does not notice them, and the box
# answers a good client meanwhile. With `run --quick` a tenth of the flood.
# shellcheck shell=sh disable=SC2034,SC2154

socket=/run/state/control
state=/run/state
mkdir $state
client() { "$here/control-client" $socket "$@" 2>>"$results/client.err"; }
sends() { "$here/metronome" send --socket $state "$@" >>"$results/send.log" 2>&1; }
# command_at_once WORD...: a command through the socket, like a press at the instant of its mark.
command_at_once() { check "the answer to $*" 'done' "$(client do "$tracing/trace_marker" "$@")"; }
resident() { sed -n 's/^VmRSS: *\([0-9]*\) kB/\1/p' "/proc/$metronome/status"; }

plug
meter
configuration <<'END'
audio: {device: "hw:Dummy,0"}
END
if [ "${quick:-}" ]; then messages=20000; else messages=200000; fi

# --- Commands -----------------------------------------------------------------------------------------------------------
start_metronome controlled
command_at_once start
sleep 2.3
command_at_once tempo 133.7
sleep 2.1
command_at_once faster 5.5
sleep 3.2
press slower
sleep 1.1
command_at_once next_numerator
sleep 4.2
chord play denominator 0.6
sleep 5
command_at_once stop
sleep 1
check 'metronome send ends with 0' 0 "$(sends volume -6; echo $?)"
check 'it refuses what is no command' 64 "$(sends tempo fast || echo $?)"
check 'it reports a refusal' 75 "$(sends recall 9 || echo $?)"
"$here/metronome" watch --json --socket $state >"$results/watch.json" 2>>"$results/send.log" &
watcher=$!
sleep 1

# --- Under attack -------------------------------------------------------------------------------------------------------
press play
sleep 5.3
beats=$(metered beats)
sound=$(metered audio)
client flood 1000 100 >"$results/flood"
memory=$(resident)
client flood $messages 100 >>"$results/flood" &
flood=$!
client deaf 120 >"$results/deaf" &
deaf=$!
client crowd 1000 3 >"$results/crowd"
# The kernel refuses a few of them, because more than the backlog wait at once.
check 'a thousand connections are closed' yes "$(awk '{ print ($1 >= 900 && $1 == $2 ? "yes" : $0) }' "$results/crowd")"
for round in 1 2 3 4 5; do
  command_at_once faster
  sleep 1.3
done
wait $flood
wait $deaf
check 'the flood stays connected' open "$(tail -n 1 "$results/flood" | cut -d ' ' -f 3)"
check 'a client that does not read is disconnected' closed "$(cat "$results/deaf")"
sleep 1
grown=$(($(resident) - memory))
check 'the memory does not grow' yes "$([ $grown -le 128 ] && echo yes || echo $grown)"
check 'allocations, frees and references on the beat thread meanwhile' "$beats" "$(metered beats)"
check 'allocations, frees and references on the audio thread meanwhile' "$sound" "$(metered audio)"
command_at_once stop
sleep 0.5
kill $watcher
wait $watcher || true
check 'the watcher saw the tempo of the last command' yes \
  "$(grep -q '"message":"state".*"playing":"0","tempo":"143.2"' "$results/watch.json" && echo yes)"
end_metronome TERM
check 'the clients have no errors' '' "$(cat "$results/client.err")"
