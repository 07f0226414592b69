# SIGKILL in mid-beep: every output is actively switched off within a second; the service restarts and plays as configured.
# shellcheck shell=sh disable=SC2034,SC2154

# given AUTOPLAY: configures the service, with long beeps.
given() {
  configure <<END
autoplay: $1
audio: {device: none}
outputs: {buzzer: {line: GPIO22, pulse_ms: {strong: 200, weak: 200}}}
END
  within 10 is_active
}

# plays_on AUTOPLAY yes|no
plays_on() {
  given "$1"
  if ! says_status playing; then press play; fi
  # Waits until the state is saved.
  sleep 5
  holds "autoplay $1: the buzzer sounds" within 5 is_beeping
  pid=$(shows MainPID)
  mark "killed-$1"
  kill -KILL "$pid"
  holds "autoplay $1: the service is restarted" within 5 is_restarted "$pid"
  check_driven_off "killed-$1" "$pid" "$(shows MainPID)" 1
  since=$(uptime_seconds)
  sleep 5
  flashes=$(flashes "$since")
  check "autoplay $1: the restarted service plays" "$2" "$(if [ "$flashes" -gt 5 ]; then echo yes; elif [ "$flashes" = 0 ]; then echo no; else echo "$flashes flashes"; fi)"
}

boot_1() {
  holds 'the service is active' within 20 is_active
  plays_on false no
  plays_on true yes
  plays_on last yes
  # Playing was stopped before the kill, so it must stay stopped.
  press play
  sleep 5
  pid=$(shows MainPID)
  kill -KILL "$pid"
  holds 'the service is restarted again' within 5 is_restarted "$pid"
  since=$(uptime_seconds)
  sleep 5
  check 'no flashes after a kill while stopped' 0 "$(flashes "$since")"
}
