#: limit=400
# The program is stopped for a while at various moments. Then light and sound continue in phase, without a burst. No sound is
# played twice or late.
# shellcheck shell=sh disable=SC2154

plug
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
for duration in 0.01 0.05 0.12 0.3 0.5 2; do
  start_metronome "stalled-for-$duration"
  press play
  # The beats are 0.024 s, 0.524 s ... after the press. The command `press` takes 0.11 s. The stalls begin at various phases
  # of the beat, for example just before a beat, when its click is already in the buffer.
  for pause in 2.407 3.161 2.237 3.003 2.401; do
    sleep "$pause"
    stall "$duration"
  done
  sleep 3
  end_metronome TERM
done
stop_listening
