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
start_metronome drifting settle_s=10
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
end_metronome TERM
stop_listening
logged 1 'audio: locked [-+][0-9]+\.[0-9] ppm'
