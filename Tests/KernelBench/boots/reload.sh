# `systemctl reload` with configurations good and bad: the beat goes on, a bad one fails with its reason and changes nothing.
# shellcheck shell=sh disable=SC2034,SC2154

# reload: prints how it ended.
reload() {
  code=0
  systemctl reload $service >"$results/reload" 2>&1 || code=$?
  echo "$code"
}

# goes_on BPM: in the next ten seconds it flashes as often as that, and it is the same process.
goes_on() {
  since=$(uptime_seconds)
  sleep 12
  found=$(flashes "$since")
  holds "$1 BPM: flashes in 12 s: $found" awk "BEGIN { exit !($found >= $1 / 5 - 1 && $found <= $1 / 5 + 1) }"
  check "$1 BPM: the same process" "$pid" "$(shows MainPID)"
  holds "$1 BPM: the status says so" says_status "^$1 BPM 4/4 playing"
}


boot_1() {
  holds 'the service is active' within 20 is_active
  configure <<END
audio: {device: none}
END
  within 10 is_active
  pid=$(shows MainPID)
  press play
  goes_on 120

  # Nothing new: nothing happens.
  check 'reload of the same' 0 "$(reload)"
  holds 'it says so' within 5 log_has 'configuration read again: nothing changed'
  goes_on 120

  # A new tempo, in phase: no gap is longer than the slower beat.
  mark new-tempo
  printf 'tempo: 90\naudio: {device: none}\n' >$settings
  check 'reload with a new tempo' 0 "$(reload)"
  holds 'it says what is new' within 5 log_has 'configuration read again: .*tempo'
  goes_on 90
  check 'no beat is lost' yes "$(longest_gap new-tempo | awk '{ print $1 < 0.6671 ? "yes" : "no: " $1 }')"

  # A bad one.
  mark bad
  printf 'tempo: 90\naudio: {device: none}\noutputs:\n  light: {line: GPIO17, activ: low}\n' >$settings
  check 'reload of a bad one fails' yes "$([ "$(reload)" != 0 ] && echo yes)"
  holds 'with file, line and column' within 5 log_has "$settings:4:25"
  goes_on 90
  holds 'it is active' is_active
  # Past the check of the unit: the program itself refuses it, too.
  kill -HUP "$pid"
  sleep 1
  goes_on 90
  check 'no beat is lost by a bad one' yes "$(longest_gap bad | awk '{ print $1 < 0.6671 ? "yes" : "no: " $1 }')"

  # None any more.
  rm $settings
  reload >/dev/null
  holds 'a file that is gone changes nothing' within 5 log_has 'the old configuration stays in force: .*there is no such file'
  goes_on 90

  # Another line for the light.
  printf 'tempo: 90\naudio: {device: none}\noutputs: {light: {line: GPIO18}}\n' >$settings
  check 'reload with another line' 0 "$(reload)"
  sleep 1
  old=$light light=18
  goes_on 90
  check 'the old one is off' 0 "$(value $old)"
}
