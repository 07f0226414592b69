#: cuts=yes
#: disk=ext4
#: limit=200
# A box whose power is cut: in each boot a button is pressed repeatedly, and the state is saved as often as possible.
# Most boots run `cut-init`, without systemd. In the other boots, `session` runs this file.
# shellcheck shell=sh disable=SC2034,SC2154

boot_1() {
  printf 'autoplay: true\naudio: {device: none}\n' >$settings
  systemctl stop $service
  rm -rf "${memory:?}"/*
}

# report WORDS: prints immediately, for the program that cuts the power.
report() { echo "$*" >/dev/console; }

boot_2() {
  within 30 is_active && report 'the service is active'
  within 10 log_has 'BPM, .*, playing'
  report "$(journalctl --no-pager -o cat -u $service | grep 'BPM, .*, playing' | head -n 1)"
  seen=
  while :; do
    press_once
    # A newer save has followed the previous state, so the previous state is certainly on the disk.
    found=$(grep -aE '^(save|tempo)' $memory/state | tr '\n' ' ')
    if [ "$found" != "$seen" ] && [ "$seen" ]; then report "acknowledged metronome state 1 $seen"; fi
    seen=$found
  done
}

# press_once: faster in odd boots, slower in even ones.
press_once() {
  if [ $((cut % 2)) = 1 ]; then button=faster; else button=slower; fi
  report pressed
  press $button
  sleep "1.$(shuf -i 100-999 -n 1)"
}
