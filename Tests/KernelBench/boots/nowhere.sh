#: on=clean
#: time=real
#: limit=300
# Installed on a machine without GPIO: apt finishes at once and reports what is missing.
# shellcheck shell=sh disable=SC2034,SC2154

before_systemd() { :; }

boot_1() {
  systemctl is-system-running --wait || true
  began=$(cut -d. -f1 /proc/uptime)
  check 'apt-get install' 0 "$(apt install "$here/metronome.deb")"
  took=$(($(cut -d. -f1 /proc/uptime) - began))
  figure "apt-get install took $took s of real time"
  holds 'apt-get finishes soon' [ $took -lt 60 ]
  check 'apt-get reports the missing chip' yes "$(grep -i gpio "$results/apt.log" | grep -qi 'no GPIO chip' && echo yes)"
  check 'the service is enabled' enabled "$(systemctl is-enabled $service)"
  holds 'the service plays sound or waits' within 20 sh -c "systemctl show -P ActiveState $service | grep -qE '^(active|activating)$'"
  holds 'the status names the missing hardware' within 10 says_status 'waiting for'
  check 'the service was not restarted' 0 "$(shows NRestarts)"
}
