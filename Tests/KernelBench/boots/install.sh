#: boots=2
#: on=clean
#: limit=400
# apt installs the package on a clean running system: the service plays at once, and after the next boot.
# shellcheck shell=sh disable=SC2034,SC2154

plays() {
  holds 'the service is active' within 20 is_active
  holds 'the service holds three outputs and six buttons' within 5 holds_lines 9
  begin_run "$1"
  press play
  sleep 20
  press faster
  sleep 10
  end_run
  check 'the stopped service holds no lines' 0 "$(lines_held)"
  check 'all outputs are off' yes "$(is_dark && echo yes)"
}

boot_1() {
  holds 'the system is up' systemctl is-system-running --wait
  check 'apt-get install' 0 "$(apt install "$here/metronome.deb")"
  check 'the service is enabled' enabled "$(systemctl is-enabled "$service")"
  plays installed
  rm -rf "${memory:?}"/*
}

boot_2() {
  holds 'the service is active' within 20 is_active
  # In virtual time, which counts only waiting, not computing.
  ready=$((($(shows ActiveEnterTimestampMonotonic) - $(shows ExecMainStartTimestampMonotonic)) / 1000))
  figure "ready after $ready ms of virtual time"
  holds 'ready within 300 ms' [ $ready -le 300 ]
  plays rebooted
  rm -rf "${memory:?}"/*
  shut_down=yes
}
