# What a service manager is told: ready with the first output, the status, that it is alive while the beat thread is and no
# longer, the end; and `off`, which it calls after a metronome that was killed.
# shellcheck shell=sh disable=SC2034,SC2154

echo 'audio: {device: "hw:Loopback,0"}' >"$results/both.yaml"
echo 'audio: {device: none}' | configuration
export NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=4000000
"$here/manager" "$NOTIFY_SOCKET" >"$results/told" 2>"$results/manager.err" &
manager=$!
sleep 0.2

# told TIMES PATTERN: so many messages have it by now. anew: those so far are forgotten.
told() { check "$run: messages with /$2/ by now" "$1" "$(grep -cE -- "$2" "$results/told")"; }
anew() {
  cat "$results/told" >>"$results/told.all"
  : >"$results/told"
}

# Without a chip it is not ready, and alive.
begin ready
sleep 9
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
# What the loops have done, every ten seconds.
anew
sleep 25
told 3 'STATUS=121 BPM 4/4 playing · light, pendulum, buzzer · [0-9]+ beats, p99 1 µs late, none skipped$'
told 3 'STATUS'

# The beat thread stands still, and nothing else does.
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

# The sound alone makes it ready; its figures once a second.
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

# off NAME CODE [PATTERN]: `metronome off` ends so, and says this; nothing if not said.
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

# gpio-sim takes an output back when its holder dies; so another program stands for what a killed metronome leaves on.
unset NOTIFY_SOCKET WATCHDOG_USEC
echo 'audio: {device: none}' | configuration
off nothing-there 0 'nothing to switch off: no GPIO chip'
plug
off all-free 0
launch holds-them
press play
sleep 0.4
before=$(values)
off running 0 'left alone: .*GPIO17 \(light, offset 17\) is in use by "metronome"'
check 'a metronome that runs is left alone' "$before" "$(values)"
kill -KILL "$metronome"
await_end SIGKILL 137
off after-kill 0
check 'all off' 000 "$(values)"
# What it plays by is what it leaves behind: what the file says meanwhile does not matter, nor that it cannot be read.
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
check 'off: exit code with what was left' 0 "$code"
check 'off: the light that was in force' yes "$(grep -q 'GPIO18' "$RUNTIME_DIRECTORY/in-force.yaml" && echo yes)"
unset RUNTIME_DIRECTORY
echo 'audio: {device: none}' | configuration
unplug
plug 27 siren
off held-by-another 69 'GPIO27 \(pendulum, offset 27\) is in use by "siren"'
