#: boots=10
#: limit=200
# Ten boots, the plug pulled after each: active every time, and soon; the first beat comes by itself.
#
# What is waited for is counted, in virtual time. What is computed costs none in it; Tests/Packages measures that.
# shellcheck shell=sh disable=SC2034,SC2154

boot_each() {
  holds 'the service is active' within 60 is_active
  started=$(shows ExecMainStartTimestampMonotonic)
  ready=$(($(shows ActiveEnterTimestampMonotonic) - started))
  holds 'it plays' within 20 plays
  first=$(flash_instants | head -n 1 | tr -d . | sed 's,^0*,,')
  echo "$boot $ready $((first - started))" >>"$here/results/times"
  check 'nothing had to be restarted' 0 "$(shows NRestarts)"
  check 'no unit failed' '' "$(systemctl list-units --failed --plain --no-legend)"
}

plays() { [ "$(flashes 0)" -ge 3 ]; }

boot_1() {
  # From the next boot on it plays by itself.
  printf 'autoplay: true\naudio: {device: none}\n' >$settings
  holds 'the service is active' within 60 is_active
}
for number in 2 3 4 5 6 7 8 9; do eval "boot_$number() { boot_each; }"; done

# spread FIELD: the least and the most of it, in milliseconds.
spread() { awk -v field="$1" '{ printf "%.0f\n", $field / 1e3 }' "$here/results/times" | sort -n | sed -n '1p;$p'; }

boot_10() {
  boot_each
  # shellcheck disable=SC2046 # four words
  set -- $(spread 2) $(spread 3)
  figure "ready after $1 to $2 ms - the first flash after $3 to $4"
  holds "ready within 300 ms: $2" [ "$2" -le 300 ]
  holds "the first flash within 100 ms: $4" [ "$4" -le 100 ]
}
