#: on=clean
# Upgrading the package of an older release keeps the configuration, the saved state and the presets, and continues playing.
# shellcheck shell=sh disable=SC2034,SC2154

boot_1() {
  holds 'the system is up' systemctl is-system-running --wait
  check 'apt-get install of the older release' 0 "$(apt install "$here/metronome-older.deb")"
  holds 'the older release is active' within 20 is_active
  older=$(dpkg-query -W -f '${Version}' metronome)
  cat >$settings <<'END'
# Mine.
autoplay: last
tempo: 90
outputs:
  light:
    latency_us: 300
END
  cp $settings /run/settings
  systemctl restart "$service"
  holds 'it is active with this configuration' within 20 is_active
  holds 'a preset is saved' metronome presets save 'Blue in Green' --tempo 54 --signature 3/4
  holds 'another preset is saved' metronome presets save Seven --tempo 93.5 --signature 7/8
  press play
  for _ in 1 2 3; do press faster; done
  press numerator
  sleep 5
  metronome presets list >/run/presets
  grep -E '^(tempo|signature|silent|playing|preset)' $memory/state >/run/state
  holds 'its state has two presets' [ "$(grep -c '^preset' /run/state)" = 2 ]
  holds 'its state was changed by the buttons' [ "$(sed -n 's/^tempo //p' /run/state)" != 90 ]
  pid=$(shows MainPID)

  code=0
  # dpkg asks what to do with the edited configuration. Enter keeps it.
  echo | apt-get -q -y --no-install-recommends install "$here/metronome.deb" >>"$results/apt.log" 2>&1 || code=$?
  check 'apt-get install of this version' 0 $code
  newer=$(dpkg-query -W -f '${Version}' metronome)
  figure "from $older to $newer"
  holds 'another version is installed' [ "$older" != "$newer" ]
  holds 'the service is restarted' within 20 is_restarted "$pid"
  since=$(uptime_seconds)
  sleep 10
  holds 'the new version plays' [ "$(flashes "$since")" -gt 10 ]
  check 'the configuration was kept' '' "$(diff /run/settings $settings)"
  check 'the state was kept' '' "$(grep -E '^(tempo|signature|silent|playing|preset)' $memory/state | diff /run/state -)"
  check 'the presets were kept' '' "$(metronome presets list | diff /run/presets -)"
  press faster
  sleep 3
  holds 'a button changes the tempo' [ "$(sed -n 's/^tempo //p' $memory/state)" != "$(sed -n 's/^tempo //p' /run/state)" ]
  check 'no unit failed' '' "$(systemctl list-units --failed --plain --no-legend)"
}
