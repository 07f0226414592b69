# What scenarios of a booted box are written with, beside inside/helpers.sh. POSIX sh, sourced by init and session.
# shellcheck shell=sh disable=SC2034,SC2154

here=/run/bench
tracing=/sys/kernel/tracing
boot=$(sed -n 's/.*boot=\([0-9]*\).*/\1/p' /proc/cmdline)
results=$here/results/boot-$boot
trace_kb=8192
# shellcheck source-path=SCRIPTDIR/.. source=inside/helpers.sh
. "$here/helpers.sh"
service=metronome.service
folder=/var/lib/metronome
settings=/etc/metronome/metronome.yaml
# Where init has plugged it in, a session finds it.
if [ -e "$gpio_sim/live" ]; then find_header; fi

# before_systemd: what a box has from the start. A scenario may say otherwise.
before_systemd() { plug; }

# figure WORDS: for the report.
figure() { echo "$*" >>"$results/figures"; }

# within SECONDS COMMAND...: waits until it succeeds; fails when it does not within that time.
within() {
  patience=$(($1 * 50))
  shift
  until "$@"; do
    patience=$((patience - 1))
    if [ $patience -le 0 ]; then return 1; fi
    sleep 0.02
  done
}

# holds WHAT COMMAND...: a check that the command succeeds.
holds() {
  what=$1
  shift
  if "$@" >"$results/holds.log" 2>&1; then check "$what" yes yes; else check "$what" yes "no: $* $(tail -n 3 "$results/holds.log")"; fi
}

# shows PROPERTY: of the service, as systemd has it.
shows() { systemctl show -P "$1" "$service"; }

is_active() { [ "$(shows ActiveState)" = active ]; }

# started_anew PID: whether another process has the service now, and it is active.
started_anew() { is_active && [ "$(shows MainPID)" != "$1" ]; }

# log_has PATTERN: whether the service has said it in this boot.
log_has() { journalctl --no-pager -o cat -u "$service" | grep -qE -- "$1"; }

# value LINE: what is on the wire of an output.
value() { cat "$header/sim_gpio$1/value"; }

light=17 pendulum=27 buzzer=22
is_dark() { [ "$(value $light)$(value $pendulum)$(value $buzzer)" = 000 ]; }
is_beeping() { [ "$(value $buzzer)" = 1 ]; }
is_lit() { [ "$(value $light)" = 1 ]; }

# lines_held: how many lines the program has.
lines_held() { grep -c '|metronome' /sys/kernel/debug/gpio; }

# apt COMMAND...: its words go to the results; prints the exit code.
apt() {
  code=0
  apt-get -q -y --no-install-recommends "$@" >>"$results/apt.log" 2>&1 </dev/null || code=$?
  echo "$code"
}

# configure: the service's configuration, from standard input; it is started anew with it.
configure() {
  cat >$settings
  systemctl restart "$service"
}

# flashes SINCE: how often the light went on since an instant, by the kernel's trace; SINCE in seconds of uptime.
flashes() {
  grep "gpio_value: $((base + light)) set 1" $tracing/trace | sed -n 's/.* \([0-9]*\)\.[0-9]*: gpio_value.*/\1/p' |
    awk -v since="$1" '$1 >= since' | wc -l
}

# uptime_seconds: whole seconds.
uptime_seconds() { cut -d. -f1 /proc/uptime; }

# begin_run NAME [KEY=VALUE]...: from here the judge follows the service until end_run, as start_metronome has it of a run.
begin_run() {
  mark "chip base=$base"
  mark "run $*"
  if ldd /usr/bin/metronome | grep -q 'libgpiod\.so\.3'; then mark "queue lines=${buttons:-6}"; fi
}

# end_run: stops the service.
end_run() {
  mark 'signal TERM code=0'
  systemctl stop "$service"
  mark "exit $(shows ExecMainStatus)"
}
