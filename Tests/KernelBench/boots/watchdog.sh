# First the beat thread stalls, then the whole program: the watchdog kills the program, every output goes off, and the
# restarted program continues playing.
# shellcheck shell=sh disable=SC2034,SC2154

# check_restart NAME PID SECONDS: the watchdog restarts the service within this time.
check_restart() {
  holds "$1: the service is restarted" within 30 is_restarted "$2"
  took=$(elapsed "$1")
  figure "$1: back after $took s"
  holds "$1: restarted in time" awk "BEGIN { exit !($took <= $3) }"
  check "$1: restarted by the watchdog" 1 "$(journalctl --no-pager -o cat -u $service | grep -c "Watchdog timeout")"
  check_driven_off "$1" "$2" "$(shows MainPID)" "$3"
  since=$(uptime_seconds)
  sleep 5
  holds "$1: the restarted service plays" [ "$(flashes "$since")" -gt 5 ]
  journalctl --no-pager -o short-monotonic >>"$results/journal.before"
  journalctl -q --rotate
  journalctl -q --vacuum-time=1us
}

boot_1() {
  holds 'the service is active' within 20 is_active
  configure <<END
autoplay: last
audio: {device: none}
END
  within 10 is_active
  press play
  sleep 12
  check 'the service was not restarted yet' 0 "$(shows NRestarts)"
  pid=$(shows MainPID)

  holds 'the light is on' within 5 is_lit
  mark frozen
  "$here/freeze-thread" "$pid" beats >"$results/frozen" 2>&1 &
  holds 'the beat thread is frozen' within 1 grep -q frozen "$results/frozen"
  sleep 1
  check 'the other threads run' S "$(cut -d' ' -f3 "/proc/$pid/stat")"
  check 'the light stays on while the thread is frozen' yes "$(is_lit && echo yes)"
  check_restart frozen "$pid" 8

  pid=$(shows MainPID)
  holds 'the light is on again' within 5 is_lit
  mark stopped
  kill -STOP "$pid"
  check_restart stopped "$pid" 8
  check 'the service was restarted twice' 2 "$(shows NRestarts)"
}
