# The messages to the service manager: readiness with the first output, the status, keep-alives exactly while the beat
# thread runs, the stop; and `off`, which the manager calls after a metronome was killed.
# shellcheck shell=sh disable=SC2034,SC2154

echo 'audio: {device: "hw:Loopback,0"}' >"$results/both.yaml"
echo 'audio: {device: none}' | configuration
export NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=4000000
"$here/manager" "$NOTIFY_SOCKET" >"$results/told" 2>"$results/manager.err" &
manager=$!
sleep 0.2

# told TIMES PATTERN: checks that this number of messages contain the pattern. anew: ignores the messages so far.
told() { check "$run: messages with /$2/ by now" "$1" "$(grep -cE -- "$2" "$results/told")"; }
anew() {
  cat "$results/told" >>"$results/told.all"
  : >"$results/told"
}

# Without a chip it is not ready, but alive.
begin ready
sleep 8.5
told 0 'READY=1'
told 1 'STATUS=120 BPM 4/4 stopped · waiting for the GPIO lines \(no chip\)'
told 9 'WATCHDOG=1'
anew
plug
await_lines
sleep 0.1
told 1 'READY=1\|STATUS=120 BPM 4/4 stopped · light, pendulum, buzzer$'
press play
sleep 0.1
told 1 'STATUS=120 BPM 4/4 playing · light, pendulum, buzzer$'
press faster
sleep 0.1
told 1 'STATUS=121 BPM 4/4 playing · light, pendulum, buzzer$'
# The statistics of the loops, every ten seconds.
anew
sleep 25
told 3 'STATUS=121 BPM 4/4 playing · light, pendulum, buzzer · [0-9]+ beats, p99 1 µs late, none skipped$'
told 3 'STATUS'

# Only the beat thread stalls.
anew
"$here/freeze-thread" "$metronome" beats >"$results/freezer" &
freezer=$!
sleep 2
anew
sleep 10
told 0 'WATCHDOG=1'
press slower
told 1 'STATUS=120 BPM'
check 'the thread was frozen' frozen "$(cat "$results/freezer")"
kill "$freezer"
wait "$freezer" || true
sleep 3
told 3 'WATCHDOG=1'
anew
unplug
sleep 1
told 1 'STATUS=120 BPM 4/4 playing · waiting for the GPIO lines \(no chip\)'
kill -TERM "$metronome"
await_end SIGTERM 0
told 1 'STOPPING=1'

# Sound alone makes it ready; its statistics once a second.
anew
listen
configuration <"$results/both.yaml"
begin sound-alone
sleep 20
told 1 'READY=1'
told 1 'STATUS=120 BPM 4/4 stopped · audio locking · waiting for the GPIO lines \(no chip\)'
check 'figures' yes "$(tail -n 30 "$results/told" | grep -q 'audio locked +0\.[0-9] ppm' && echo yes)"
check 'at most one a second' yes "$([ "$(grep -c STATUS "$results/told")" -le 23 ] && echo yes)"
kill -TERM "$metronome"
await_end SIGTERM 0
stop_listening
kill "$manager"
wait "$manager" || true

# off NAME CODE [PATTERN]: `metronome off` exits with this code and prints this, by default nothing.
off() {
  code=0
  timeout 30 "$here/metronome" off --config "$results/configuration.yaml" >"$results/$1.out" 2>"$results/$1.err" || code=$?
  check "$1: exit code" "$2" "$code"
  if [ $# -gt 2 ]; then
    check "$1: says /$3/" 1 "$(grep -cE "$3" "$results/$1.err")"
  else
    check "$1: says nothing" 0 "$(cat "$results/$1.err" "$results/$1.out" | wc -l)"
  fi
}
values() { for line in 17 27 22; do tr -d '\n' <"$header/sim_gpio$line/value"; done; }

# gpio-sim resets an output when its holder dies, so another program holds the lines that a killed metronome leaves on.
unset NOTIFY_SOCKET WATCHDOG_USEC
echo 'audio: {device: none}' | configuration
off nothing-there 0 'nothing to switch off: no GPIO chip'
plug
off all-free 0
launch holds-them
press play
sleep 0.4
before=$(values)
off running 0 'outputs not changed: .*GPIO17 \(light, offset 17\) is in use by "metronome"'
check 'a running metronome is unaffected' "$before" "$(values)"
kill -KILL "$metronome"
await_end SIGKILL 137
off after-kill 0
check 'all off' 000 "$(values)"
# `off` uses the outputs that the metronome recorded; the file's later contents do not matter, nor that it is unreadable.
export RUNTIME_DIRECTORY=/run/metronome
mkdir -p "$RUNTIME_DIRECTORY"
printf 'audio: {device: none}\noutputs: {light: {line: GPIO23}}\n' | configuration
launch moves
printf 'audio: {device: none}\noutputs: {light: {line: GPIO18}}\n' | configuration
kill -HUP "$metronome"
sleep 0.2
echo 'tempo: fast' | configuration
kill -KILL "$metronome"
await_end SIGKILL 137

code=0
"$here/metronome" off >"$results/left.out" 2>"$results/left.err" || code=$?
check 'off: exit code with the remaining lines' 0 "$code"
check 'off: the light line of the running configuration' yes "$(grep -q 'GPIO18' "$RUNTIME_DIRECTORY/in-force.yaml" && echo yes)"
unset RUNTIME_DIRECTORY
echo 'audio: {device: none}' | configuration
unplug
plug 27 siren
off held-by-another 69 'GPIO27 \(pendulum, offset 27\) is in use by "siren"'
