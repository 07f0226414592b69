# Automatic stop, and count-in at each start: the lights show the counted-in bars too.
# shellcheck shell=sh

plug
configuration <<'END'
audio: {device: none}
auto_stop: 20s
END
start_metronome left-alone
press play
sleep 25
# Every press restarts the timeout, even one without an effect on playback.
press play
sleep 12
press tap
sleep 15
press numerator
sleep 25
press play
sleep 3
press play
sleep 25
press play
sleep 19
end_metronome TERM

# An undone stop resumes without another count-in.
configuration <<'END'
audio: {device: none}
count_in: 2
signature: 3/4
END
start_metronome counted-in
press play
sleep 10.1
chord play faster
sleep 11
press play
sleep 1
press play
sleep 5
end_metronome TERM

# It plays from power-on.
configuration <<'END'
audio: {device: none}
autoplay: true
count_in: 1
END
start_metronome by-itself
sleep 5
press faster
sleep 5
end_metronome TERM
