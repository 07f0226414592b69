#: quick=both
# Every button, pressed well and badly: each press counts once, whatever its contact does.
# shellcheck shell=sh

plug
configuration <<'END'
audio: {device: none}
END
start_metronome presses

# Before the start: what is set while stopped is what is played.
press faster
press numerator
press_bouncing denominator
press play
sleep 3.3

for button in slower faster numerator denominator; do
  press_bouncing $button
  sleep 1.07
  press $button
  sleep 0.61
  press $button 0.9
  sleep 0.29
done

# All the way round: the numerator wraps at its limit, the denominator after 32, taking the numerator down with it.
turn=0
while [ $turn -lt 34 ]; do
  press numerator 0.04
  sleep 0.043
  turn=$((turn + 1))
done
turn=0
while [ $turn -lt 5 ]; do
  press denominator
  sleep 0.7
  turn=$((turn + 1))
done
sleep 2

# Quick presses, as fast as a thumb goes; then shorter than the lock-out.
turn=0
while [ $turn -lt 40 ]; do
  press faster 0.03
  turn=$((turn + 1))
done
press slower 0.004
sleep 1.1
press slower 0.012
sleep 1.1

# Start and stop, again and again, bouncing too.
for pause in 0.2 1.234 0.07 0.52 2.05 0.3; do
  press play
  sleep $pause
  press_bouncing play
  sleep $pause
done
mark require beats=60
end_metronome TERM
