#: quick=both
# Every kind of exit leaves every line off, with exit code 0: in mid-pulse, between pulses, stopped, before the first beat.
# shellcheck shell=sh disable=SC2034,SC2154

plug
configuration <<'END'
audio: {device: none}
END

# The first beat is 1 ms after the press, which takes 0.11 s: after this time the second pulse of 120 BPM is lit.
for signal in TERM INT; do
  start_metronome "$signal-in-a-pulse" lit=1
  press play
  sleep 0.405
  end_metronome $signal

  start_metronome "$signal-between-pulses" lit=0
  press play
  sleep 0.555
  end_metronome $signal

  start_metronome "$signal-while-stopped" lit=0
  press play
  sleep 1.02
  press play
  sleep 0.5
  end_metronome $signal

  start_metronome "$signal-at-rest" lit=0
  end_metronome $signal
done

# The same while the sound card plays.
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
start_metronome TERM-with-sound lit=1
press play
sleep 2.42
end_metronome TERM
start_metronome INT-with-sound lit=1
press play
sleep 2.42
end_metronome INT
stop_listening

# Signals that must not end it: SIGHUP under nohup, and the suspend keys in mid-pulse, with the buzzer on.
configuration <<'END'
audio: {device: none}
END
metronome_as='env --ignore-signal=HUP'
start_metronome goes-on
press play
sleep 0.405
for signal in HUP TSTP TTIN TTOU; do
  kill -$signal "$metronome"
  sleep 0.505
done
end_metronome TERM
