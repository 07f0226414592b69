#: cuts=yes
#: disk=ext4
#: limit=200
# The box whose power is cut: each time it is on, somebody presses a button again and again, and it saves as often as it may.
# Most of the boots are without systemd, by `cut-init`, and only these by `session`.
# shellcheck shell=sh disable=SC2034,SC2154

boot_1() {
  printf 'autoplay: true\naudio: {device: none}\n' >$settings
  systemctl stop $service
  rm -rf "${memory:?}"/*
}

# tell WORDS: at once, to who cuts the power.
tell() { echo "$*" >/dev/console; }

boot_2() {
  within 30 is_active && tell 'the service is active'
  within 10 log_has 'BPM, .*, playing'
  tell "$(journalctl --no-pager -o cat -u $service | grep 'BPM, .*, playing' | head -n 1)"
  seen=
  while :; do
    press_once
    # What was there before has been followed by another save: it is on the disk for certain.
    found=$(grep -aE '^(save|tempo)' $memory/state | tr '\n' ' ')
    if [ "$found" != "$seen" ] && [ "$seen" ]; then tell "acknowledged metronome state 1 $seen"; fi
    seen=$found
  done
}

# press_once: the odd cuts make it faster, the even ones slower.
press_once() {
  if [ $((cut % 2)) = 1 ]; then button=faster; else button=slower; fi
  tell pressed
  press $button
  sleep "1.$(shuf -i 100-999 -n 1)"
}
