#: boots=2
# An upgrade keeps what was remembered, and plays on; removing stops it and leaves the lines off; purging leaves nothing.
# shellcheck shell=sh disable=SC2034,SC2154

# files: all there are but what dpkg, apt and udev keep for themselves, and what is no file.
files() {
  find / /var/lib -xdev \( -path /run -o -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /var/lib/lost+found -o -path /var/lib/dpkg \
    -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /var/tmp \) -prune -o -print | sort -u
}

boot_1() {
  holds 'the service is active' within 20 is_active
  files >"$here/results/files.installed"
  printf 'autoplay: last\n' >$settings
  systemctl restart "$service"
  holds 'active with another configuration' within 20 is_active
  press play
  for _ in 1 2 3; do press faster; done
  sleep 5
  check 'remembered' 'tempo 123' "$(grep '^tempo' $memory/state)"
  pid=$(shows MainPID)
  check 'apt-get install of the next' 0 "$(apt install "$here/metronome-next.deb")"
  check 'the next one is installed' 99 "$(dpkg-query -W -f '${Version}' metronome | cut -d: -f1)"
  holds 'it runs anew' within 20 started_anew "$pid"
  check 'the configuration was kept' 'autoplay: last' "$(cat $settings)"
  since=$(uptime_seconds)
  sleep 10
  holds 'it plays on' [ "$(flashes "$since")" -gt 10 ]
  check 'as it was' 'tempo 123' "$(grep '^tempo' $memory/state)"
  check 'still enabled' enabled "$(systemctl is-enabled $service)"

  holds 'it beeps' within 5 is_lit
  check 'apt-get remove' 0 "$(apt remove metronome)"
  check 'nothing runs' '' "$(pgrep -x metronome)"
  check 'everything is off' yes "$(is_dark && echo yes)"
  check 'the lines are free' 0 "$(lines_held)"
  check 'what it remembered is still there' 'tempo 123' "$(grep '^tempo' $memory/state)"
  check 'the configuration, too' 'autoplay: last' "$(cat $settings)"
  check 'no unit is left' not-found "$(shows LoadState)"
}

boot_2() {
  sleep 3
  check 'nothing of it runs after a boot' '' "$(pgrep -x metronome)"
  check 'no unit failed' '' "$(systemctl list-units --failed --plain --no-legend)"
  check 'apt-get install again' 0 "$(apt install "$here/metronome.deb")"
  holds 'active again' within 20 is_active
  begun=$(uptime_seconds)
  sleep 5
  holds 'what it remembered is in force' [ "$(flashes "$begun")" -gt 5 ]
  check 'apt-get purge' 0 "$(apt purge metronome)"
  # What came with it, for it alone.
  check 'apt-get autoremove' 0 "$(apt autoremove --purge)"
  check 'nothing runs' '' "$(pgrep -x metronome)"
  files >"$here/results/files.purged"
  # The clean system's list was made outside, before anything was installed.
  check 'nothing is left' '' "$(comm -13 "$here/files.clean" "$here/results/files.purged" | grep -vxF -f "$here/left-by-rule" | head -n 20 | tr '\n' ' ')"
  check 'nothing is missing' '' "$(comm -23 "$here/files.clean" "$here/results/files.purged" | head -n 20 | tr '\n' ' ')"
  figure "$(comm -13 "$here/files.clean" "$here/results/files.installed" | wc -l) files came with it and what it depends on"
  check 'the user stays, and may not log in' /usr/sbin/nologin "$(getent passwd metronome | cut -d: -f7)"
}
