# Functions for scenarios. POSIX sh, sourced by init; `here`, `results` and `tracing` are set.
# shellcheck shell=sh disable=SC2154

gpio_sim=/sys/kernel/config/gpio-sim/header

# --- The trace --------------------------------------------------------------------------------------------------------

# start_trace: the kernel records every change of a line and every edge of a button, on CLOCK_MONOTONIC.
start_trace() {
  echo mono >"$tracing/trace_clock"
  echo "${trace_kb:-65536}" >"$tracing/buffer_size_kb"
  # The machine's own interrupts have lower numbers than those of simulated lines.
  echo 'irq >= 64' >"$tracing/events/irq/irq_handler_entry/filter"
  echo 1 >"$tracing/events/irq/irq_handler_entry/enable"
  echo 1 >"$tracing/events/gpio/gpio_value/enable"
  echo 1 >"$tracing/events/gpio/gpio_direction/enable"
  # The thread that sets the lines, woken up by another one and not by a timer.
  echo 'comm == "beats" && common_pid != 0' >"$tracing/events/sched/sched_wakeup/filter"
  echo 1 >"$tracing/events/sched/sched_wakeup/enable"
  : >"$results/checks"
}

# dump_trace: text has the fields but only microseconds; raw has nanoseconds but no fields. The judge joins them.
dump_trace() {
  echo 0 >"$tracing/tracing_on"
  cat "$tracing/trace" >"$results/trace"
  echo 1 >"$tracing/options/raw"
  cat "$tracing/trace" >"$results/trace.raw"
  cat "$tracing/per_cpu/cpu0/stats" >"$results/trace.stats"
}

# mark WORDS: writes a mark into the trace.
mark() { echo "bench $*" >"$tracing/trace_marker"; }

# check WHAT WANTED GOT: records a result of the scenario itself.
check() {
  if [ "$2" = "$3" ]; then
    echo "ok $1" >>"$results/checks"
  else
    echo "FAILED $1: wanted '$2', got '$3'" >>"$results/checks"
  fi
}

# --- The board ------------------------------------------------------------------------------------------------------

# plug [LINE HOLDER]...: plugs in a Raspberry Pi 4's header, with these lines held by other programs.
plug() {
  mkdir "$gpio_sim" "$gpio_sim/bank0"
  echo 28 >"$gpio_sim/bank0/num_lines"
  echo pinctrl-bcm2711 >"$gpio_sim/bank0/label"
  (cd $gpio_sim/bank0 && seq -f line%g 2 27 | xargs mkdir)
  for folder in "$gpio_sim"/bank0/line*; do echo "GPIO${folder##*line}" >"$folder/name"; done
  while [ $# -ge 2 ]; do
    mkdir "$gpio_sim/bank0/line$1/hog"
    echo "$2" >"$gpio_sim/bank0/line$1/hog/name"
    echo output-low >"$gpio_sim/bank0/line$1/hog/direction"
    shift 2
  done
  mark 'back'
  echo 1 >"$gpio_sim/live"
  find_header
  mark "chip base=$base"
}

# plug_lives: plugs in a header that also has the lines named by the configurations of lives.
plug_lives() {
  names=$(cat "$here/lives.lines")
  mkdir "$gpio_sim" "$gpio_sim/bank0"
  echo $((28 + $(echo "$names" | wc -w))) >"$gpio_sim/bank0/num_lines"
  echo pinctrl-bcm2711 >"$gpio_sim/bank0/label"
  number=2
  for name in $(seq -f GPIO%g 2 27) $names; do
    mkdir "$gpio_sim/bank0/line$number"
    echo "$name" >"$gpio_sim/bank0/line$number/name"
    number=$((number + 1))
  done
  echo 1 >"$gpio_sim/live"
  find_header
  mark "chip base=$base"
  for line in "$header"/sim_gpio*/pull; do echo pull-up >"$line"; done
}

# find_header: finds the files for the header's contacts and levels, and the number of its first line.
find_header() {
  header=/sys/devices/platform/$(cat $gpio_sim/dev_name)/$(cat $gpio_sim/bank0/chip_name)
  base=$(sed -n 's/^gpiochip[0-9]*: GPIOs \([0-9]*\)-.*pinctrl-bcm2711.*/\1/p' /sys/kernel/debug/gpio)
}

# unplug: removes the chip. Within a run it must return.
unplug() {
  mark 'gone'
  echo 0 >"$gpio_sim/live"
  for folder in "$gpio_sim"/bank0/line*/hog "$gpio_sim"/bank0/line* "$gpio_sim/bank0" "$gpio_sim"; do
    if [ -d "$folder" ]; then rmdir "$folder"; fi
  done
}

line_of() {
  case $1 in
    play) echo 5 ;;
    slower) echo 6 ;;
    faster) echo 16 ;;
    numerator) echo 26 ;;
    denominator) echo 25 ;;
    tap) echo 24 ;;
    preset_next) echo 12 ;;
    preset_previous) echo 13 ;;
    preset_1) echo 19 ;;
    preset_2) echo 20 ;;
    preset_3) echo 21 ;;
    preset_4) echo 23 ;;
    boost) echo 4 ;;
    *) return 1 ;;
  esac
}

# contact BUTTON closed|open: buttons connect to ground.
contact() {
  case $2 in
    closed) echo pull-down >"$header/sim_gpio$(line_of "$1")/pull" ;;
    open) echo pull-up >"$header/sim_gpio$(line_of "$1")/pull" ;;
  esac
}

# plays SECONDS: a pause that is divided by $part, which `run --quick` makes larger than 1.
plays() { sleep "$(awk "BEGIN { print $1 / ${part:-1} }")"; }

# press BUTTON [SECONDS]: holds it for this time, by default 80 ms.
press() { hold "$1" "${2:-0.08}"; }

# hold BUTTON SECONDS
hold() {
  contact "$1" closed
  sleep "$2"
  contact "$1" open
  sleep 0.03
}

# chord FIRST SECOND [SECONDS]: the second goes down 60 ms after the first, and the first goes up first. Both are down for this time,
# by default 210 ms.
chord() {
  contact "$1" closed
  sleep 0.06
  contact "$2" closed
  sleep "${3:-0.21}"
  contact "$1" open
  sleep 0.05
  contact "$2" open
  sleep 0.03
}

# tap_at MILLISECONDS...: presses tap after each of these times, 30 ms or more since the last; then waits a second.
tap_at() {
  for milliseconds; do
    rest=$((milliseconds - 20))
    sleep "$((rest / 1000)).$(printf %03d $((rest % 1000)))"
    contact tap closed
    sleep 0.02
    contact tap open
  done
  sleep 1
}

# press_bouncing BUTTON: a worn contact, which bounces for 5 ms when it closes and when it opens.
press_bouncing() {
  mark bounces 5
  for way in closed open closed open; do
    contact "$1" $way
    sleep 0.0012
  done
  contact "$1" closed
  sleep 0.08
  mark bounces 5
  for way in open closed open closed; do
    contact "$1" $way
    sleep 0.0012
  done
  contact "$1" open
  sleep 0.03
}

# freeze: stops the program until thaw.
freeze() {
  mark 'stall'
  kill -STOP "$metronome"
}

thaw() {
  mark 'resume'
  kill -CONT "$metronome"
}

# stall_control SECONDS: stops the program's control loop for this time, and no other thread. Then it logs its statistics, which
# also wakes it: the system call that was interrupted would begin its wait again.
stall_control() {
  "$here/freeze-thread" "$metronome" metronome >"$results/frozen" 2>>"$results/freezer.err" &
  freezer=$!
  sleep "$1"
  check "$run: the control loop stands still" 't frozen' "$(control_state) $(cat "$results/frozen")"
  kill -KILL "$freezer"
  wait "$freezer" || true
  kill -USR1 "$metronome"
  sleep 0.1
}

# control_state: of the thread of the control loop, as in proc(5).
control_state() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$metronome/task/$metronome/status"; }

# --- External input devices -------------------------------------------------------------------------------------------

# The kernel's uinput simulates pedals and encoders. The results' file `inputs` logs what is done with them, one event per
# line: `NANOSECONDS DEVICE plug`, `… unplug`, `… key CODE 1|0`, `… rel CODE DETENTS`, with `_` for blanks in the device's
# name. A program that reads the device gets the timestamp in microseconds.

# plug_device WORD NAME CODE...: for example `plug_device pedal 'A Pedal' key:109`. The other functions take the WORD. `device_log`: the
# file for its events, if the simulation is not to have them.
plug_device() {
  word=$1 name=$2
  shift 2
  rm -f "/run/device.$word"
  mkfifo "/run/device.$word"
  "$here/hand-device" "$name" "${device_log:-$results/inputs}" "$@" <"/run/device.$word" 2>>"$results/hand-device.err" &
  eval "device_$word=$!"
  # The device is unplugged when all writers have closed the pipe.
  sleep 10000000 >"/run/device.$word" &
  eval "hand_$word=$!"
  sleep 0.05
}

# unplug_device WORD: unplugs it, even with a key held.
unplug_device() {
  eval "kill \$hand_$1; wait \$hand_$1" || true
  eval "wait \$device_$1"
}

# key WORD CODE 1|0: goes down or up.
key() { echo "key $2 $3" >"/run/device.$1"; }

# tap_key WORD CODE [SECONDS]: holds it for this time, by default 80 ms.
tap_key() {
  key "$1" "$2" 1
  sleep "${3:-0.08}"
  key "$1" "$2" 0
  sleep 0.03
}

# turn WORD CODE DETENTS [SECONDS]: one by one, with this time between them; by default all at once.
turn() {
  if [ $# -lt 4 ]; then
    echo "rel $2 $3" >"/run/device.$1"
    sleep 0.03
    return
  fi
  detents=$3
  while [ "$detents" -ne 0 ]; do
    if [ "$detents" -gt 0 ]; then step=1; else step=-1; fi
    echo "rel $2 $step" >"/run/device.$1"
    sleep "$4"
    detents=$((detents - step))
  done
}

# --- The program ----------------------------------------------------------------------------------------------------

# configuration: from standard input.
configuration() {
  cat >"$results/configuration.yaml"
  # Few presses go through all numerators.
  grep -q numerator_limit "$results/configuration.yaml" || echo 'numerator_limit: denominator' >>"$results/configuration.yaml"
}

# start_metronome NAME [KEY=VALUE]...: starts the program and waits until it holds its lines. What it does is compared with the
# simulation of what comes in. The settings, with defaults:
# - lateness_us: the largest distance of an edge (5, and 20 with a source; at the end of a pulse at least 12); settle_s: for how long after the start of playback
#   and after each fault a click may be 1.5 ms off (2);
# - card=none, port=none, display=none: it is missing at the start; midi=FILE: the record of the first MIDI output (midi);
# - source=FILE: what the program receives from a MIDI source, as a receiver beside it has recorded it (nothing);
# - lit=1 or lit=0: whether the light must be on at the signal to end (either).
# `metronome_as`: a command that starts it as another user; `metronome_does`: the command instead of `run`; `options`:
# further options; `state`: its state folder; `buttons`: the number of wired buttons (6); `outputs`: of wired outputs (3).
start_metronome() {
  compared "$@"
  launch "$1"
}

# start_without_chip NAME: the same without a chip, so it does not wait for lines. The chip must appear in the run; a scenario that had
# no chip so far calls `plug` and `unplug` first, so that the lines' numbers are known.
start_without_chip() {
  compared "$@"
  mark 'gone'
  begin "$1"
  sleep 0.5
}

# compared NAME [KEY=VALUE]...: keeps what the simulation starts with.
compared() {
  cp "$results/configuration.yaml" "$results/$1.yaml"
  if [ "${state:-}" ]; then cp -r "$state" "$results/$1.state"; fi
  mark "run $*"
}

# reload [TIMES PATTERN]: reloads the configuration; this number of log lines contain the pattern by then.
reload() {
  reloads=$((${reloads:-0} + 1))
  cp "$results/configuration.yaml" "$results/reload.$reloads.yaml"
  mark "reload reload.$reloads.yaml"
  kill -HUP "$metronome"
  if [ $# = 2 ]; then
    sleep 0.01
    logged "$1" "$2"
  fi
}

# launch NAME: like start_metronome, for a run that is not compared.
launch() {
  begin "$1"
  await_lines
  sleep 0.5
}

# begin NAME: starts it without waiting.
begin() {
  run=$1
  # Without real-time rights the control loop would wake up 50 µs late.
  # shellcheck disable=SC2016,SC2086 # expanded inside; a command and its arguments
  sh -c 'echo 1 >/proc/self/timerslack_ns; exec "$@"' sh ${metronome_as:-} "$here/metronome" "${metronome_does:-run}" ${options:-} --config "$results/configuration.yaml" \
    ${state:+--state "$state"} >"$results/$run.out" 2>"$results/$run.err" </dev/null &
  metronome=$!
}

# await_lines: waits until the program holds its lines, for at most 3 s.
await_lines() {
  lines=$((${outputs:-3} + ${buttons:-6}))
  attempts=300
  while [ "$(grep -c '|metronome' /sys/kernel/debug/gpio)" -lt $lines ] && [ $attempts -gt 0 ]; do
    sleep 0.01
    attempts=$((attempts - 1))
  done
  check "$run: holds the lines of ${outputs:-3} outputs and ${buttons:-6} buttons (\$outputs and \$buttons)" $lines "$(grep -c '|metronome' /sys/kernel/debug/gpio)"
}

# end_metronome SIGNAL [CODE]: sends the signal, waits, checks the exit code, by default 0.
end_metronome() {
  mark "signal $1 code=${2:-0}"
  kill "-$1" "$metronome"
  await_end "SIG$1" "${2:-0}"
}

# await_end CAUSE CODE
await_end() {
  code=0
  wait "$metronome" || code=$?
  mark "exit $code"
  check "$run: exit code after $1" "$2" "$code"
}

# stall SECONDS: stops the program for this time.
stall() {
  freeze
  sleep "$1"
  thaw
}

# refuses NAME CODE PATTERN...: the program refuses the configuration, prints one line that contains all patterns, and exits
# with this code.
refuses() {
  name=$1 wanted=$2
  shift 2
  code=0
  # shellcheck disable=SC2086 # several options
  timeout 30 "$here/metronome" run ${options:-} --config "$results/configuration.yaml" \
    >"$results/$name.out" 2>"$results/$name.err" </dev/null || code=$?
  check "$name: exit code" "$wanted" "$code"
  check "$name: number of message lines" 1 "$(wc -l <"$results/$name.err")"
  check "$name: nothing on standard output" 0 "$(wc -c <"$results/$name.out")"
  for pattern; do
    said=$(cat "$results/$name.err")
    if grep -qiE -- "$pattern" "$results/$name.err"; then said=yes; fi
    check "$name: message contains /$pattern/" yes "$said"
  done
}

# --- The sound ------------------------------------------------------------------------------------------------------

# render_sounds: renders the configured sounds. An ear that starts after this recognizes them, also within a beat and together.
render_sounds() {
  "$here/metronome" render "$results/sounds.wav" --voice-only --config "$results/configuration.yaml" 2>"$results/sounds.err"
}

# listen: starts an ear at the Loopback card's other end. After the card was unplugged: a new ear.
listen() {
  ears=$((${ears:-0} + 1))
  if [ -e "$results/sounds.wav" ]; then known=$results/sounds.wav; else known=; fi
  # shellcheck disable=SC2086 # one word or none
  "$here/ear" capture hw:Loopback,1 $known >"$results/ear.$ears" 2>"$results/ear.$ears.err" &
  ear=$!
  sleep 0.2
}

stop_listening() {
  sleep 0.2
  kill -TERM "$ear"
  wait "$ear"
}

# presets ARGUMENT...: `metronome presets` on the state of the run.
presets() { "$here/metronome" presets "$@" --state "$state" 2>&1; }

# logged TIMES PATTERN: the run's log has this number of lines with the pattern so far.
logged() { check "$run: log lines with /$2/ so far" "$1" "$(grep -cE -- "$2" "$results/$run.err")"; }

# shift_card PPM: makes the Loopback card's clock this much faster; negative: slower. In steps of 10.
shift_card() {
  "$here/knob" Loopback PCM 'PCM Rate Shift 100000' 1 0 $((100000 - $1 / 10)) >>"$results/knob"
  mark "card ppm=$1"
}

# unbind_card: unplugs the Loopback card, which removes its files. The command ends only when all of them are closed, so it runs
# in the background. If a beat occurs meanwhile, call `mark mute` before and `sounds_again` after.
unbind_card() {
  echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind &
  unbinding=$!
  wait "$ear"
}

# bind_card: plugs the card in again. This is impossible while a program still has the card open; the scenario then ends.
bind_card() {
  if kill -0 "$unbinding" 2>/dev/null; then
    check "$run: every program has closed the unplugged card" yes no
    exit 1
  fi
  wait "$unbinding"
  echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
}

# hold_card: another program opens the card, or will open it first when it appears.
hold_card() {
  "$here/holder" /dev/snd/pcmC1D0p >"$results/holder" 2>"$results/holder.err" &
  holder=$!
  sleep 0.1
}

# release_card: ends the other program.
release_card() {
  check 'the other program held the card' held "$(cat "$results/holder")"
  kill -TERM "$holder"
  wait "$holder"
}

# sounds_again: ends `mark mute`: every beat must click again, after the 2.5 s within which the program must detect the card.
sounds_again() { mark 'sounding after_ms=2500'; }

# handles: the number of files that the program has open.
handles() { find "/proc/$metronome/fd" -mindepth 1 | wc -l; }

# threads: the number of its threads.
threads() { find "/proc/$metronome/task" -mindepth 1 -maxdepth 1 | wc -l; }

# resident: its resident memory, in kB.
resident() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$metronome/status"; }

# uptime_until SECONDS: sleeps until the machine has this uptime.
uptime_until() { sleep "$(awk -v until="$1" '{ print (until > $1 ? until - $1 : 0) }' /proc/uptime)"; }

# ticks: the processor time of the program in ticks. A spinning program stops this kernel's virtual time, until the scenario's
# time limit.
ticks() { awk '{ print $14 + $15 }' "/proc/$metronome/stat"; }

# meter: counts the program's allocations, frees, retains and releases from its start on, per thread.
meter() {
  metronome_as="env LOOP_METER=$results/meter LD_PRELOAD=$here/loop-meter.so"
}

# metered THREAD: the allocations, frees, and retains and releases of that thread of the program so far.
metered() {
  for task in "/proc/$metronome/task"/*; do
    if [ "$(cat "$task/comm")" = "$1" ]; then break; fi
  done
  od -An -v -t u8 -w32 "$results/meter" | awk -v thread="${task##*/}" '$1 == thread { print $2, $3, $4; found = 1 }
    END { if (!found) print "nothing counted" }'
}

# tape: creates a PCM `taped` that plays on the Dummy card and records the written frames; the kernel traces the card's position.
tape() {
  cat >"$results/asound.conf" <<END
</usr/share/alsa/alsa.conf>
pcm.taped { type file slave.pcm "hw:Dummy,0" file "$results/tape" format raw }
END
  export ALSA_CONFIG_PATH="$results/asound.conf"
  echo 1 >"$tracing/events/snd_pcm/hwptr/enable"
}

listen_to_tape() {
  "$here/ear" frames 48000 <"$results/tape" >"$results/ear.1" 2>"$results/ear.1.err"
  rm -f "$results/tape"
}
