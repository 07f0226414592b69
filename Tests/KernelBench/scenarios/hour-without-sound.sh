#: limit=900
# An hour of playing without sound, with all kinds of presses while it plays; with `run --quick` its long pauses take a twentieth.
# shellcheck shell=sh

if [ "${quick:-}" ]; then part=20; fi

plug
configuration <<'END'
audio: {device: none}
END
start_metronome hour
press play
plays 600.123

# Tempo, faster and slower, at odd moments of a beat.
for pause in 0.111 0.272 0.613 1.314 0.05 2.777; do
  press faster
  sleep $pause
done
plays 300
for pause in 0.413 0.1 0.09 3.3 0.717; do
  press slower
  sleep $pause
done
plays 300.5

# Signature: 4/4, 1/4, 2/4, 3/4; then eighths to thirty-seconds, up to 6/32, and back to 4/4.
for pause in 0.37 5.005 4.2; do
  press numerator
  sleep $pause
done
for pause in 60.2 30.17 20.03; do
  press denominator
  sleep $pause
done
for pause in 1.01 1.02 1.037; do
  press numerator
  sleep $pause
done
sleep 10
press denominator
plays 600.7

# A single tap gives no tempo, and bounces count once.
press tap
sleep 10.3
press_bouncing faster
sleep 5.05
press_bouncing numerator
plays 700.01

# Stop in mid-beat, start again.
press play
sleep 5.25
press play
plays 1150
end_metronome TERM
