# Plays lives, one after the other: the folders in `lives`, each with `configuration.yaml`, `events` for the life-player, and the
# files that the two name. The results have the log of each, and the record of its events.
# shellcheck shell=sh disable=SC2154

# Also when a timer wakes up the thread that sets the lines: a late edge counts from then.
echo 'comm == "beats"' >"$tracing/events/sched/sched_wakeup/filter"
plug_lives
for port in 0 1; do
  "$here/midi-ear" $port $((port + 2)) >"$results/midi.$port" 2>>"$results/midi.err" &
  midi_ears="${midi_ears:-} $!"
done
sleep 0.3
for life in "$here"/lives/*/; do
  name=$(basename "$life")
  folder=/run/$name
  cp -r "$life" "$folder"
  cd "$folder"
  mark "run $name"
  ear=
  if grep -q Loopback ./*.yaml; then
    shift_card "$(cat ppm 2>/dev/null || echo 0)"
    "$here/ear" capture hw:Loopback,1 >"$results/$name.ear" 2>"$results/$name.ear.err" &
    ear=$!
    sleep 0.2
  fi
  # Without real-time rights the control loop would wake up 50 µs late.
  sh -c 'echo 1 >/proc/self/timerslack_ns; exec "$@"' sh env STATE_DIRECTORY="$folder" "$here/metronome" run \
    --config configuration.yaml >"$results/$name.out" 2>"$results/$name.err" </dev/null &
  metronome=$!
  attempts=300
  while ! [ -S control ] && [ $attempts -gt 0 ]; do
    sleep 0.01
    attempts=$((attempts - 1))
  done
  "$here/life-player" $metronome "$header" control configuration.yaml <events \
    >"$results/$name.events" 2>"$results/$name.answers" || kill -TERM $metronome || true
  code=0
  wait $metronome || code=$?
  mark "exit $code"
  if [ "$ear" ]; then
    sleep 0.2
    kill -TERM $ear
    wait $ear || true
  fi
  for line in "$header"/sim_gpio*/pull; do echo pull-up >"$line"; done
  sleep 0.1
done
for ear in $midi_ears; do
  kill -TERM "$ear"
  wait "$ear"
done
