#: limit=1500
#: root=host
#: quick=no
# An hour on a card whose clock is 200 ppm slow, at tempi and signatures whose beats are not whole frames.
# shellcheck shell=sh disable=SC2154

plug
shift_card -200
listen
configuration <<'END'
tempo: 133.7
signature: 7/8
audio: {device: "hw:Loopback,0", period: 1024}
END
start_metronome slow settle_s=10
press play
sleep 1200.123
for pause in 0.311 0.172 7.613; do
  press slower
  sleep $pause
done
press numerator
sleep 600.3
for pause in 1.01 0.777 120.21; do
  press denominator
  sleep $pause
done
press play
sleep 3.31
press play
sleep 1680
end_metronome TERM
stop_listening
logged 1 'audio: locked -[12][0-9][0-9]\.[0-9] ppm'
