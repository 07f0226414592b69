# A card with a known latency of 3.3 ms: its frames are sent that much before the light.
# shellcheck shell=sh

plug
tape
configuration <<'END'
audio: {device: taped, latency_us: 3300}
END
# The buffer, the start of an interpolated click and the latency take 25.3 ms.
start_metronome latency
press play
sleep 20.4
press faster
sleep 0.3
press numerator
sleep 20.2
press play
sleep 2.2
press play
sleep 20
end_metronome TERM
listen_to_tape
