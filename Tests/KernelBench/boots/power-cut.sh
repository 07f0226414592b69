#: cuts=yes
#: disk=ext4
#: limit=200
# A box whose power is cut: in each boot buttons change tempo, volume, rhythm and presets, and the state is saved as often as
# possible.
# Most boots run `cut-init`, without systemd. In the other boots, `session` runs this file.
# shellcheck shell=sh disable=SC2034,SC2154

boot_1() {
  cat >$settings <<'END'
autoplay: true
audio: {device: none}
signature: 6/8
buttons:
  preset_1: {line: GPIO19, short: volume_down, long: store 1}
  preset_2: {line: GPIO20, short: volume_up, long: store 2}
END
  systemctl stop $service
  rm -rf "${memory:?}"/*
}

# report WORDS: prints immediately, for the program that cuts the power.
report() { echo "$*" >/dev/console; }

boot_2() {
  within 30 is_active && report 'the service is active'
  within 10 log_has 'BPM, .*, playing'
  report "$(journalctl --no-pager -o cat -u $service | grep 'BPM, .*, playing' | head -n 1)"
  report_presets
  seen=
  while :; do
    press_once
    # A newer save has followed the previous state, so the previous state is certainly on the disk.
    found=$(tr '\n' ';' <$memory/state) || continue
    if [ "$found" != "$seen" ] && [ "$seen" ]; then report "acknowledged $seen"; fi
    seen=$found
  done
}

# report_presets: the list, before any press, from the metronome that plays. On a busy machine it may answer late.
report_presets() {
  until list=$(metronome presets list --state "$memory" 2>/dev/null); do sleep 0.2; done
  if [ "$list" ]; then echo "$list" | sed 's/^/restored preset /' >/dev/console; fi
  report 'restored presets: all'
}

# does WHAT COMMAND...: reports what a press will do, and presses.
does() {
  report "pressed $1"
  shift
  "$@"
}

# press_once: presses in turn, from another one in each boot. Faster in odd boots, slower in even ones, so that no state occurs
# twice in a boot. The volume goes down for twenty boots, then up.
press_once() {
  presses=$((${presses:-0} + 1))
  case $(((cut * 3 + presses) % 8)) in
    1) if [ $((cut / 20 % 2)) = 0 ]; then does volume_down press preset_1; else does volume_up press preset_2; fi ;;
    3) does next_subdivision chord numerator denominator ;;
    5) does next_accents chord numerator tap ;;
    7) does "store $((1 + cut % 2))" hold "preset_$((1 + cut % 2))" 0.7 ;;
    *) if [ $((cut % 2)) = 1 ]; then does faster press faster; else does slower press slower; fi ;;
  esac
  sleep "1.$(shuf -i 100-999 -n 1)"
}
