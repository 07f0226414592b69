# `systemctl reload` with valid and invalid configurations: the beat continues; an invalid one fails with its reason and
# changes nothing.
# shellcheck shell=sh disable=SC2034,SC2154

# reload: reloads the service and prints the exit code.
reload() {
  code=0
  systemctl reload $service >"$results/reload" 2>&1 || code=$?
  echo "$code"
}

# plays_at BPM: in the next twelve seconds the light flashes at this rate, and the process is the same.
plays_at() {
  since=$(uptime_seconds)
  sleep 12
  found=$(flashes "$since")
  holds "$1 BPM: flashes in 12 s: $found" awk "BEGIN { exit !($found >= $1 / 5 - 1 && $found <= $1 / 5 + 1) }"
  check "$1 BPM: the same process" "$pid" "$(shows MainPID)"
  holds "$1 BPM: the status reports the tempo" says_status "^$1 BPM 4/4 playing"
}


boot_1() {
  holds 'the service is active' within 20 is_active
  configure <<END
audio: {device: none}
END
  within 10 is_active
  pid=$(shows MainPID)
  press play
  plays_at 120

  # An unchanged configuration has no effect.
  check 'reload of the same configuration' 0 "$(reload)"
  holds 'the log reports that nothing changed' within 5 log_has 'configuration reloaded: nothing changed'
  plays_at 120

  # A new tempo, in phase: no interval is longer than the slower beat.
  mark new-tempo
  printf 'tempo: 90\naudio: {device: none}\n' >$settings
  check 'reload with a new tempo' 0 "$(reload)"
  holds 'the log reports the changed key' within 5 log_has 'configuration reloaded: .*tempo'
  plays_at 90
  check 'no beat is lost' yes "$(longest_gap new-tempo | awk '{ print $1 < 0.6671 ? "yes" : "no: " $1 }')"

  # An invalid configuration.
  mark bad
  printf 'tempo: 90\naudio: {device: none}\noutputs:\n  light: {line: GPIO17, activ: low}\n' >$settings
  check 'reload of an invalid configuration fails' yes "$([ "$(reload)" != 0 ] && echo yes)"
  holds 'the log has file, line and column' within 5 log_has "$settings:4:25"
  plays_at 90
  holds 'the service is still active' is_active
  # SIGHUP bypasses the unit's check: the program itself must reject the configuration too.
  kill -HUP "$pid"
  sleep 1
  plays_at 90
  check 'an invalid configuration loses no beat' yes "$(longest_gap bad | awk '{ print $1 < 0.6671 ? "yes" : "no: " $1 }')"

  # No configuration file.
  rm $settings
  reload >/dev/null
  holds 'a missing file changes nothing' within 5 log_has 'configuration not reloaded, .*: no such file'
  plays_at 90

  # Another line for the light.
  printf 'tempo: 90\naudio: {device: none}\noutputs: {light: {line: GPIO18}}\n' >$settings
  check 'reload with another line' 0 "$(reload)"
  sleep 1
  old=$light light=18
  plays_at 90
  check 'the old line is off' 0 "$(value $old)"
}
