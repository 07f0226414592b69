# As an ordinary user who may use lines and cards but has no real-time rights: it says so once, and plays.
# shellcheck shell=sh disable=SC2034,SC2154

plug
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
chgrp -R 29 /dev/snd
chmod 660 /dev/snd/*
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
metronome_as='setpriv --reuid 1000 --regid 1000 --groups 29,997 --'
# An ordinary thread is woken up to 50 µs late unless it asks for less.
start_metronome ordinary sound=loopback lead_ms=24 lateness_us=60 sound_worst_us=500
press play
sleep 60.3
press slower
sleep 60
mark require beats=239
end_metronome TERM
stop_listening
check 'the missing rights are mentioned once' 1 "$(grep -ciE 'real-time|priority' "$results/ordinary.err")"
