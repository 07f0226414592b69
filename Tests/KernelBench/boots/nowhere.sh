#: on=clean
#: time=real
#: limit=300
# Installed on a machine that is no box, without GPIO: apt is through at once, and says what is missing.
# shellcheck shell=sh disable=SC2034,SC2154

before_systemd() { :; }

boot_1() {
  systemctl is-system-running --wait || true
  began=$(cut -d. -f1 /proc/uptime)
  check 'apt-get install' 0 "$(apt install "$here/metronome.deb")"
  took=$(($(cut -d. -f1 /proc/uptime) - began))
  figure "apt-get install took $took s of real time"
  holds 'apt is through soon' [ $took -lt 60 ]
  check 'it says what is missing' yes "$(grep -i gpio "$results/apt.log" | grep -qi 'no GPIO chip' && echo yes)"
  check 'enabled' enabled "$(systemctl is-enabled $service)"
  holds 'it plays sound meanwhile, or waits' within 20 sh -c "systemctl show -P ActiveState $service | grep -qE '^(active|activating)$'"
  holds 'the status says what it waits for' within 10 says_status 'waiting for'
  check 'nothing had to be restarted' 0 "$(shows NRestarts)"
}
