# Functions for the tests of the scenarios. POSIX sh, for busybox.
# shellcheck shell=sh

# sleep_until SECOND: waits until this second since power-on. All cores share one instruction counter, so a loop here would delay the
# edges of the program under test.
sleep_until() { sleep $(($1 - $(cut -d. -f1 /proc/uptime))); }

# stop_metronome: ends the program whose process is in $metronome, prints its log from /tmp/log, and its exit code.
# shellcheck disable=SC2154
stop_metronome() {
  kill -TERM "$metronome"
  ended=0
  wait "$metronome" || ended=$?
  echo 'bench: begin log'
  cat /tmp/log
  echo "bench: stopped $ended"
}
