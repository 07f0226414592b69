# The thread of the beats alone stands still, then the whole program: the watchdog ends it, everything goes off, and it
# starts again and plays on.
# shellcheck shell=sh disable=SC2034,SC2154

# brought_back NAME PID SECONDS: by the watchdog, in that time.
brought_back() {
  holds "$1: started anew" within 30 started_anew "$2"
  took=$(elapsed "$1")
  figure "$1: back after $took s"
  holds "$1: in time" awk "BEGIN { exit !($took <= $3) }"
  check "$1: by the watchdog" 1 "$(journalctl --no-pager -o cat -u $service | grep -c "Watchdog timeout")"
  check_driven_off "$1" "$2" "$(shows MainPID)" "$3"
  since=$(uptime_seconds)
  sleep 5
  holds "$1: it plays on" [ "$(flashes "$since")" -gt 5 ]
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
  check 'nothing has been restarted' 0 "$(shows NRestarts)"
  pid=$(shows MainPID)

  holds 'it is lit' within 5 is_lit
  mark frozen
  "$here/freeze-thread" "$pid" beats >"$results/frozen" 2>&1 &
  holds 'the beats are frozen' within 1 grep -q frozen "$results/frozen"
  sleep 1
  check 'the rest of it runs' S "$(cut -d' ' -f3 "/proc/$pid/stat")"
  check 'light held by the frozen thread' yes "$(is_lit && echo yes)"
  brought_back frozen "$pid" 8

  pid=$(shows MainPID)
  holds 'it is lit again' within 5 is_lit
  mark stopped
  kill -STOP "$pid"
  brought_back stopped "$pid" 8
  check 'restarted twice' 2 "$(shows NRestarts)"
}
