# Functions for the scenarios of a booted box, in addition to inside/helpers.sh. POSIX sh, sourced by init and session.
# shellcheck shell=sh disable=SC2034,SC2154

here=/run/bench
tracing=/sys/kernel/tracing
boot=$(sed -n 's/.*boot=\([0-9]*\).*/\1/p' /proc/cmdline)
cut=$(sed -n 's/.*cut=\([0-9]*\).*/\1/p' /proc/cmdline)
results=$here/results/boot-$boot
trace_kb=8192
# shellcheck source-path=SCRIPTDIR/.. source=inside/helpers.sh
. "$here/helpers.sh"
service=metronome.service
memory=/var/lib/metronome
settings=/etc/metronome/metronome.yaml
# The header that init plugged in, found by a session.
if [ -e "$gpio_sim/live" ]; then find_header; fi

# before_systemd: the hardware present at boot. A scenario may override it.
before_systemd() { plug; }

# figure WORDS: adds a line to the report.
figure() { echo "$*" >>"$results/figures"; }

# within SECONDS COMMAND...: retries the command until it succeeds; fails after this time.
within() {
  attempts=$(($1 * 14))
  shift
  until "$@"; do
    attempts=$((attempts - 1))
    if [ $attempts -le 0 ]; then return 1; fi
    sleep 0.07
  done
}

# holds WHAT COMMAND...: a check that the command succeeds.
holds() {
  what=$1
  shift
  if "$@" >"$results/holds.log" 2>&1; then check "$what" yes yes; else check "$what" yes "no: $* $(tail -n 3 "$results/holds.log")"; fi
}

# shows PROPERTY: the service's property, as reported by systemd.
shows() { systemctl show -P "$1" "$service"; }

is_active() { [ "$(shows ActiveState)" = active ]; }

# is_restarted PID: whether the service is active with another main process.
is_restarted() {
  found=$(systemctl show -p ActiveState -p MainPID "$service" | sort | tr '\n' ' ')
  case $found in
    'ActiveState=active MainPID='*) [ "$found" != "ActiveState=active MainPID=$1 " ] ;;
    *) return 1 ;;
  esac
}

# log_has PATTERN: whether the service has logged the pattern in this boot.
log_has() { journalctl --no-pager -o cat -u "$service" | grep -qE -- "$1"; }

# value LINE: the level of an output.
value() { cat "$header/sim_gpio$1/value"; }

light=17 pendulum=27 buzzer=22
is_dark() { [ "$(value $light)$(value $pendulum)$(value $buzzer)" = 000 ]; }
is_beeping() { [ "$(value $buzzer)" = 1 ]; }
is_lit() { [ "$(value $light)" = 1 ]; }

# says_status PATTERN: whether the status text that users see contains it.
says_status() { shows StatusText | grep -qE -- "$1"; }

# lines_held: how many lines the program holds.
lines_held() { grep -c '|metronome' /sys/kernel/debug/gpio; }
holds_lines() { [ "$(lines_held)" = "$1" ]; }

# apt COMMAND...: appends its output to the results; prints the exit code.
apt() {
  code=0
  apt-get -q -y --no-install-recommends "$@" >>"$results/apt.log" 2>&1 </dev/null || code=$?
  echo "$code"
}

# configure: sets the service's configuration from standard input, and restarts the service.
configure() {
  cat >$settings
  systemctl restart "$service"
}

# flashes SINCE: the number of flashes since a time in seconds of uptime, by the kernel's trace.
flashes() { flash_instants | awk -v since="$1" '$1 >= since' | wc -l; }

# uptime_seconds: the uptime of this boot, in hundredths.
uptime_seconds() { cut -d' ' -f1 /proc/uptime; }

# begin_run NAME: what the service does from here to end_run is compared with the simulation.
begin_run() {
  cp $settings "$results/$1.yaml"
  cp -r /var/lib/metronome "$results/$1.state"
  mark "chip base=$base"
  mark "run $1 started=yes"
}

# end_run: stops the service.
end_run() {
  mark 'signal TERM code=0'
  systemctl stop "$service"
  mark "exit $(shows ExecMainStatus)"
}

# since_mark WORD: the trace from that mark on.
since_mark() { sed "1,/tracing_mark_write: bench $1\$/d" $tracing/trace; }

# writes MARK LINE: the writes to an output since a mark, as lines SECONDS PROCESS VALUE.
writes() {
  since_mark "$1" | sed -n "s/^ *.*-\([0-9]*\) .* \([0-9.]*\): gpio_value: $((base + $2)) set \([01]\)\$/\2 \1 \3/p"
}

# instant MARK: the time of a mark, in seconds.
instant() { sed -n "s/.* \([0-9.]*\): tracing_mark_write: bench $1\$/\1/p" $tracing/trace | head -n 1; }

# elapsed MARK: seconds since a mark.
elapsed() { awk -v since="$(instant "$1")" '{ print $1 - since }' /proc/uptime; }

# flash_instants: the instants of all flashes. A call writes every line, including unchanged ones.
flash_instants() {
  sed -n "s/.* \([0-9.]*\): gpio_value: $((base + light)) set \([01]\)\$/\1 \2/p" $tracing/trace |
    awk '$2 && !was { print $1 } { was = $2 }'
}

# longest_gap MARK: the longest time between two flashes since then.
longest_gap() {
  flash_instants | awk -v from="$(instant "$1")" '$1 >= from { if (last && $1 - last > gap) gap = $1 - last; last = $1 } END { print gap + 0 }'
}

# check_driven_off MARK OLD NEW SECONDS: after the mark each output was switched off within this time, neither by the killed
# process nor by its successor. This kernel's chip resets a line that no program holds, but other chips do not. The write
# itself must therefore be in the trace.
check_driven_off() {
  # The threads of a process have ids that follow its own.
  for line in $light $pendulum $buzzer; do
    writes "$1" "$line" | awk -v since="$(instant "$1")" -v new="$3" '$2 < new && $3 == 0 { print $1 - since; exit }' >"$results/off"
    check "$1: line $line driven off within $4 s" yes "$(awk -v most="$4" '{ print $1 <= most ? "yes" : "after " $1 " s" }' "$results/off")"
  done
  figure "$1: off after $(cat "$results/off") s"
}
