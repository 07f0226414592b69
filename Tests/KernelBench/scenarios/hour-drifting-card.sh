#: limit=1500
#: root=host
# An hour on a card whose clock is 50 ppm fast, and after twenty minutes 50 ppm slow. With `run --quick` six minutes, and
# two.
# shellcheck shell=sh disable=SC2154

if [ "${quick:-}" ]; then part=10; fi

plug
shift_card 50
listen
configuration <<'END'
audio: {device: "hw:Loopback,0", period: 1024}
END
start_metronome drifting sound=loopback lead_ms=88 sound_settle_s=10 sound_p99_us=300 sound_worst_us=1000
press play
plays 600.123
for pause in 0.111 0.272 2.777; do
  press faster
  sleep $pause
done
plays 596
shift_card -50
plays 600.2
press numerator
plays 1800
mark require "beats=$((7200 / ${part:-1}))"
end_metronome TERM
stop_listening
logged 1 'audio: locked [-+][0-9]+\.[0-9] ppm'
