# Killed in mid-beep, by a signal that nobody can answer: everything is off within a second, and driven so; it starts
# again, and plays as configured.
# shellcheck shell=sh disable=SC2034,SC2154

# given AUTOPLAY: a service with long beeps.
given() {
  configure <<END
autoplay: $1
audio: {device: none}
outputs: {buzzer: {line: GPIO22, first_ms: 200, regular_ms: 200}}
END
  within 10 is_active
}

# plays_on AUTOPLAY yes|no
plays_on() {
  given "$1"
  if ! says_status playing; then press play; fi
  # What it remembers is on the disk.
  sleep 5
  holds "autoplay $1: it beeps" within 5 is_beeping
  pid=$(shows MainPID)
  mark "killed-$1"
  kill -KILL "$pid"
  holds "autoplay $1: started anew" within 5 started_anew "$pid"
  check_driven_off "killed-$1" "$pid" "$(shows MainPID)" 1
  since=$(uptime_seconds)
  sleep 5
  flashes=$(flashes "$since")
  check "autoplay $1: it plays on" "$2" "$(if [ "$flashes" -gt 5 ]; then echo yes; elif [ "$flashes" = 0 ]; then echo no; else echo "$flashes flashes"; fi)"
}

boot_1() {
  holds 'the service is active' within 20 is_active
  plays_on false no
  plays_on true yes
  plays_on last yes
  # It stood still when it was killed: then it stands still.
  press play
  sleep 5
  pid=$(shows MainPID)
  kill -KILL "$pid"
  holds 'started anew once more' within 5 started_anew "$pid"
  since=$(uptime_seconds)
  sleep 5
  check 'stopped when it was killed, it stays so' 0 "$(flashes "$since")"
}
