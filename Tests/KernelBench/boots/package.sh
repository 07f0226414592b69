#: boots=2
# An upgrade keeps the saved state and continues playing; removing stops it with the lines off; purging leaves nothing.
# shellcheck shell=sh disable=SC2034,SC2154

# files: prints all files except the internal ones of dpkg, apt and udev.
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
  check 'the tempo is saved' 'tempo 123' "$(grep '^tempo' $memory/state)"
  pid=$(shows MainPID)
  check 'apt-get install of the next version' 0 "$(apt install "$here/metronome-next.deb")"
  check 'the next version is installed' 99 "$(dpkg-query -W -f '${Version}' metronome | cut -d: -f1)"
  holds 'the service is restarted' within 20 is_restarted "$pid"
  check 'the configuration was kept' 'autoplay: last' "$(cat $settings)"
  since=$(uptime_seconds)
  sleep 10
  holds 'the new version plays' [ "$(flashes "$since")" -gt 10 ]
  check 'the tempo is kept' 'tempo 123' "$(grep '^tempo' $memory/state)"
  check 'the service is still enabled' enabled "$(systemctl is-enabled $service)"

  holds 'the light is on' within 5 is_lit
  check 'apt-get remove' 0 "$(apt remove metronome)"
  check 'no metronome runs' '' "$(pgrep -x metronome)"
  check 'all outputs are off' yes "$(is_dark && echo yes)"
  check 'the lines are free' 0 "$(lines_held)"
  check 'the state is kept' 'tempo 123' "$(grep '^tempo' $memory/state)"
  check 'the configuration is kept' 'autoplay: last' "$(cat $settings)"
  check 'the unit is removed' not-found "$(shows LoadState)"
}

boot_2() {
  sleep 3
  check 'no metronome runs after a boot' '' "$(pgrep -x metronome)"
  check 'no unit failed' '' "$(systemctl list-units --failed --plain --no-legend)"
  check 'apt-get install again' 0 "$(apt install "$here/metronome.deb")"
  holds 'the service is active again' within 20 is_active
  begun=$(uptime_seconds)
  sleep 5
  holds 'the saved state is restored' [ "$(flashes "$begun")" -gt 5 ]
  check 'apt-get purge' 0 "$(apt purge metronome)"
  # Removes the dependencies that were installed only for this package.
  check 'apt-get autoremove' 0 "$(apt autoremove --purge)"
  check 'no metronome runs after purging' '' "$(pgrep -x metronome)"
  files >"$here/results/files.purged"
  # The clean system's list was made outside, before anything was installed.
  check 'purging leaves no file' '' "$(comm -13 "$here/files.clean" "$here/results/files.purged" | grep -vxF -f "$here/left-by-rule" | head -n 20 | tr '\n' ' ')"
  check 'purging removes no other file' '' "$(comm -23 "$here/files.clean" "$here/results/files.purged" | head -n 20 | tr '\n' ' ')"
  figure "$(comm -13 "$here/files.clean" "$here/results/files.installed" | wc -l) files installed with the package and its dependencies"
  check 'the user stays, but cannot log in' /usr/sbin/nologin "$(getent passwd metronome | cut -d: -f7)"
}
