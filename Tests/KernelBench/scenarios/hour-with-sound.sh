#: limit=1500
#: root=host
#: quick=no
# An hour of clicks on the Loopback card, recorded at its other end, with presses.
# shellcheck shell=sh

plug
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
start_metronome hour settle_s=10
press play
sleep 900.123
for pause in 0.111 0.272 0.613 1.314 2.777; do
  press faster
  sleep $pause
done
sleep 600
for pause in 0.413 0.1 3.3; do
  press slower
  sleep $pause
done
press numerator
sleep 300.3
press denominator
sleep 120.21
press numerator
press numerator
sleep 60.04
press denominator
sleep 30.3
press denominator
sleep 5.07
press denominator
sleep 300.7
press play
sleep 3.31
press play
sleep 1280
end_metronome TERM
stop_listening
