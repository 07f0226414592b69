#: limit=200
# What a playing box takes: memory, locked address space, and what is read from a cold disk before the first flash.
# shellcheck shell=sh disable=SC2034,SC2154

# read_kb PID: how much of the files that a process maps is in memory: what was read for it since the caches were emptied, and
# what others have of the same libraries.
read_kb() {
  awk '$6 ~ "^/" && $6 !~ "^/(dev|proc|sys)/" { print $6 }' "/proc/$1/maps" | sort -u | xargs fincore -b -n -o RES |
    awk '{ bytes += $1 } END { print int((bytes + 1023) / 1024) }'
}

# status_kb PID KEY
status_kb() { sed -n "s/^$2:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$1/status"; }

has_flashed() { [ "$(flashes "$since")" -ge 1 ]; }

boot_1() {
  holds 'the service is active' within 60 is_active
  systemctl stop "$service"
  printf 'autoplay: true\n' >$settings
  sync
  echo 3 >/proc/sys/vm/drop_caches
  since=$(uptime_seconds)
  systemctl start "$service"
  # The rest of the code is read five seconds after the start.
  holds 'it flashes' within 4 has_flashed
  pid=$(shows MainPID)
  read=$(read_kb "$pid")
  sleep 10
  resident=$(status_kb "$pid" VmRSS)
  locked=$(status_kb "$pid" VmLck)
  figure "read before the first flash: $read kB - resident: $resident kB - locked: $locked kB"
  holds 'at most 8 MB are read before the first flash' [ "$read" -le 8192 ]
  holds 'at most 25 MB are resident' [ "$resident" -le 25600 ]
  holds 'at most 48 MB of address space are locked' [ "$locked" -le 49152 ]
}
