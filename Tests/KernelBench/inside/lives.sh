# Plays lives, one after the other: the folders in `lives`, each with `configuration.yaml`, `events` for the life-player, and the
# files that the two name. The results have the log of each, and the record of its events.
# shellcheck shell=sh disable=SC2154

plug_lives
for life in "$here"/lives/*/; do
  name=$(basename "$life")
  folder=/run/$name
  cp -r "$life" "$folder"
  cd "$folder"
  mark "run $name"
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
    >"$results/$name.events" 2>"$results/$name.answers" || kill -TERM $metronome
  code=0
  wait $metronome || code=$?
  mark "exit $code"
  for line in "$header"/sim_gpio*/pull; do echo pull-up >"$line"; done
  sleep 0.1
done
