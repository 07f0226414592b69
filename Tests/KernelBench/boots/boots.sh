#: boots=10
#: limit=200
# Ten boots, each ended by a power cut. From the second boot on, the service starts quickly and plays automatically.
#
# The times are virtual, so they contain only waits. Tests/Packages measures the processor time.
# shellcheck shell=sh disable=SC2034,SC2154

boot_each() {
  holds 'the service is active' within 60 is_active
  started=$(shows ExecMainStartTimestampMonotonic)
  ready=$(($(shows ActiveEnterTimestampMonotonic) - started))
  holds 'the box plays' within 20 plays
  first=$(flash_instants | head -n 1 | tr -d . | sed 's,^0*,,')
  check 'the service was not restarted' 0 "$(shows NRestarts)"
  check 'no unit failed' '' "$(systemctl list-units --failed --plain --no-legend)"
  figure "ready after $ready us - the first flash after $((first - started))"
  holds 'ready within 300 ms' [ "$ready" -le 300000 ]
  holds 'the first flash within 100 ms' [ $((first - started)) -le 100000 ]
}

plays() { [ "$(flashes 0)" -ge 3 ]; }

boot_1() {
  # From the next boot on it plays automatically.
  printf 'autoplay: true\naudio: {device: none}\n' >$settings
  holds 'the service is active' within 60 is_active
}
for number in 2 3 4 5 6 7 8 9 10; do eval "boot_$number() { boot_each; }"; done
