# Runs the commands of the manual on a box: exit codes and output must be those that the manual states.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154

# types COMMAND [CODE]: runs a command, which must exit with this code (default: 0). Its output is in $results/said.
types() {
  code=0
  sh -c "$1" >"$results/said" 2>&1 </dev/null || code=$?
  { echo "\$ $1"; cat "$results/said"; } >>"$results/all-said"
  check "$1" "${2:-0}" "$code"
}

# shows_text PATTERN: the output of the last command contains the pattern.
shows_text() { check "the output contains /$1/" yes "$(grep -qE -- "$1" "$results/said" && echo yes)"; }

boot_1() {
  holds 'the service is active' within 20 is_active

  # The status.
  types 'systemctl status metronome'
  shows_text 'Status: "120 BPM 4/4 stopped'
  types 'systemctl cat metronome'
  types 'journalctl -u metronome'
  types 'journalctl -u metronome -b'
  types 'journalctl -u metronome -n 5'
  shows_text 'metronome: '
  types 'metronome check' 0
  types 'metronome wiring'
  shows_text 'GPIO17'
  types 'metronome wiring --config /etc/metronome/metronome.yaml'
  types 'cat /proc/bus/input/devices'

  # Check and reload the configuration, and log the statistics.
  types 'metronome config --check'
  types 'systemctl reload metronome'
  types 'systemctl kill --signal=HUP metronome'
  holds 'the configuration is reloaded' within 5 log_has 'configuration reloaded'
  types 'systemctl kill --signal=USR1 metronome'
  holds 'the figures are logged' within 5 log_has 'figures \{.*"uptime_s":'
  types 'journalctl -u metronome -n 1'
  shows_text '"skipped":0'

  # Presets.
  types 'metronome presets save "Blue in Green" --tempo 54 --signature 4/4'
  types 'metronome presets list'
  shows_text '54.*4/4.*Blue in Green'
  types 'metronome presets move "Blue in Green" 1'
  types 'metronome presets recall "Blue in Green"'
  types 'metronome presets'
  holds 'the preset is recalled' within 5 says_status '^54 BPM 4/4'

  # Run by hand, while the service is stopped.
  types 'systemctl stop metronome'
  cp $settings /tmp/try.yaml
  (cd /tmp && types 'timeout --preserve-status -s INT 5 metronome run --config try.yaml')
  types 'metronome off'
  types 'systemctl start metronome'
  types 'systemctl enable metronome'
  types 'systemd-sysusers metronome.conf'
  USER=root
  export USER
  types 'usermod -aG gpio $USER'

  # A drop-in. The editor is a program that writes to the given file.
  cat >/run/editor <<'END'
#!/bin/sh
for file; do :; done
sed -i '/^### Anything between here/a [Service]\nNice=-1' "$file"
END
  chmod +x /run/editor
  SYSTEMD_EDITOR=/run/editor
  export SYSTEMD_EDITOR
  # This command needs a terminal.
  types 'script -qec "systemctl edit metronome" /dev/null'
  types 'systemctl restart metronome'
  check 'the drop-in has an effect' -1 "$(shows Nice)"
  types 'systemctl revert metronome'
  types 'systemctl restart metronome'
  check 'the reverted drop-in has no effect' 0 "$(shows Nice)"

  # Uninstall.
  types 'echo y | apt remove metronome'
  types 'echo y | apt purge metronome'
  types 'echo y | apt autoremove'
  types 'userdel metronome'
  check 'the user is deleted' '' "$(getent passwd metronome)"
}
