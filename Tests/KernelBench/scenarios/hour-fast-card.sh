#: limit=1500
#: root=host
#: quick=no
# An hour on a card whose clock is 200 ppm fast. Without correction the sound would be 720 ms ahead of the light at the end.
# shellcheck shell=sh disable=SC2154

plug
shift_card 200
listen
configuration <<'END'
audio: {device: "hw:Loopback,0", period: 1024}
END
start_metronome fast settle_s=10
press play
sleep 900.123
for pause in 0.111 0.272 0.613 1.314 2.777 0.2 300.02; do
  press faster
  sleep $pause
done
press numerator
sleep 300.3
press denominator
sleep 120.21
press denominator
sleep 20.04
press denominator
sleep 5.3
press denominator
sleep 300.7
press play
sleep 3.31
press play
sleep 1650
end_metronome TERM
stop_listening
logged 1 'audio: locked \+[12][0-9][0-9]\.[0-9] ppm'
