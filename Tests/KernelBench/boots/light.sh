#: limit=200
# The resources of a playing box: memory, locked address space, and the bytes read from a cold disk before the first flash.
# shellcheck shell=sh disable=SC2034,SC2154

# files PID: the files that a process maps.
files() { awk '$6 ~ "^/" && $6 !~ "^/(dev|proc|sys)/" { print $6 }' "/proc/$1/maps" | sort -u; }

# cached_kb FILE…: how much of these files is in the page cache.
cached_kb() { fincore -b -n -o RES "$@" | awk '{ bytes += $1 } END { print int((bytes + 1023) / 1024) }'; }

# status_kb PID KEY
status_kb() { sed -n "s/^$2:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$1/status"; }

has_flashed() { [ "$(flashes "$since")" -ge 1 ]; }

boot_1() {
  holds 'the service is active' within 60 is_active
  mapped=$(files "$(shows MainPID)")
  systemctl stop "$service"
  printf 'autoplay: true\n' >$settings
  sync
  echo 3 >/proc/sys/vm/drop_caches
  # Pages of the same libraries used by other processes stay in memory.
  # shellcheck disable=SC2086 # several files
  others=$(cached_kb $mapped)
  since=$(uptime_seconds)
  systemctl start "$service"
  # The remaining code is prefetched five seconds after the start.
  holds 'the light flashes' within 4 has_flashed
  pid=$(shows MainPID)
  # shellcheck disable=SC2046 # several files
  read=$(($(cached_kb $(files "$pid")) - others))
  sleep 10
  resident=$(status_kb "$pid" VmRSS)
  locked=$(status_kb "$pid" VmLck)
  figure "read before the first flash: $read kB - resident: $resident kB - locked: $locked kB"
  holds 'some bytes are read before the first flash' [ "$read" -gt 0 ]
  holds 'at most 9.5 MB are read before the first flash' [ "$read" -le 9728 ]
  holds 'at most 25 MB are resident' [ "$resident" -le 25600 ]
  holds 'at most 48 MB of address space are locked' [ "$locked" -le 49152 ]
}
