# Five minutes on the Dummy card, whose clock is exact: the written frames are kept, and the card's position is traced.
# shellcheck shell=sh

plug
tape
configuration <<'END'
audio: {device: taped}
END
start_metronome taped
press play
sleep 120.4
press faster
sleep 0.3
press faster
sleep 60.2
press numerator
sleep 60.13
press denominator
sleep 30.3
press play
sleep 2.2
press play
sleep 30
end_metronome TERM
listen_to_tape
