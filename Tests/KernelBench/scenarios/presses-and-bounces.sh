#: quick=both
# The play, tempo and signature buttons with clean and bouncing contacts: each press counts once.
# shellcheck shell=sh

plug
configuration <<'END'
audio: {device: none}
END
start_metronome presses

# Settings changed while stopped apply at the start.
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

# A full cycle: the numerator wraps at the denominator. The denominator wraps after 32, and lowers the numerator.
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

# Presses as fast as a thumb can make them; then presses shorter than the lock-out.
turn=0
while [ $turn -lt 40 ]; do
  press faster 0.03
  turn=$((turn + 1))
done
press slower 0.004
sleep 1.1
press slower 0.012
sleep 1.1

# Repeated starts and stops, also with bounces.
for pause in 0.2 1.234 0.07 0.52 2.05 0.3; do
  press play
  sleep $pause
  press_bouncing play
  sleep $pause
done
end_metronome TERM
