# Everything works in the unit's sandbox: lines, sound, pedal, state, presets, real-time priority.
# shellcheck shell=sh disable=SC2034,SC2154

# thread NAME: scheduling class and priority of a thread of the service.
thread() { ps -L -o comm=,cls=,rtprio= -p "$pid" | awk -v name="$1" '$1 == name { print $2, $3 }'; }
status_of() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$pid/status"; }

boot_1() {
  holds 'the service is active' within 20 is_active
  systemd-analyze security $service >"$results/security"
  score=$(sed -n 's/.*Overall exposure level for metronome.service: \([0-9.]*\).*/\1/p' "$results/security")
  figure "exposure $score"
  holds 'the exposure is at most 1.0' awk "BEGIN { exit !(\"$score\" != \"\" && $score <= 1.0) }"

  # A card with a clock, and a pedal.
  echo 'inputs: [{device: "Bench Pedal", keys: {KEY_PAGEDOWN: play}}]' | configure
  within 10 is_active
  plug_device pedal 'Bench Pedal' key:109
  holds 'the pedal is found' within 5 log_has '"Bench Pedal" is connected'
  pid=$(shows MainPID)
  check 'user' metronome "$(ps -o user= -p "$pid" | tr -d ' ')"
  check 'capabilities' 0000000000000000 "$(status_of CapEff)"
  check 'no new privileges' 1 "$(status_of NoNewPrivs)"
  check 'system calls filtered' 2 "$(status_of Seccomp)"
  check 'the beat thread has real-time priority' 'FF 80' "$(thread beats)"
  check 'the audio thread has real-time priority' 'FF 75' "$(thread audio)"
  check 'the control thread has no real-time priority' 'TS -' "$(thread metronome)"
  holds 'memory is locked' [ "$(status_of VmLck | tr -dc 0-9)" -gt 1000 ]
  figure "locked $(status_of VmLck)"

  since=$(uptime_seconds)
  tap_key pedal 109
  sleep 6
  holds 'the pedal starts the light' [ "$(flashes "$since")" -ge 10 ]
  holds 'the card plays' grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status
  holds 'the clock of the card is tracked' within 20 log_has 'audio: locked'
  holds 'the status shows the outputs' within 5 says_status '^120 BPM 4/4 playing . light.*buzzer.*audio locked'
  systemctl status --no-pager $service >"$results/status"
  holds 'systemctl status shows the status' grep -q 'Status: "120 BPM 4/4 playing' "$results/status"
  if [ -e /dev/cpu_dma_latency ]; then
    check 'the processor is kept awake' yes "$(find "/proc/$pid/fd" -lname /dev/cpu_dma_latency | grep -q . && echo yes)"
  else
    figure 'no cpu_dma_latency in this kernel'
  fi
  tap_key pedal 109

  press faster
  sleep 3
  check 'the state is saved' 'tempo 121' "$(grep '^tempo' $memory/state)"
  check 'the owner of the state' 'metronome metronome' "$(stat -c '%U %U' $memory/state)"
  check 'the owner and mode of its folder' 'metronome:metronome 750' "$(stat -c '%U:%G %a' $memory)"
  check 'root can save presets' 0 "$(metronome presets save 'On the box' >"$results/presets" 2>&1; echo $?)"
  holds 'the preset is listed' sh -c "metronome presets list | grep -q '121.*On the box'"
  check 'the log has no error' '' "$(journalctl --no-pager -o cat -u $service | grep -iE 'refused|denied|not permitted|without')"
}
