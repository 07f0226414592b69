# Silent mode with a sound card: no click while it lasts, and every click before and after; the clicks continue while light
# and buzzer show the tempo.
# shellcheck shell=sh

plug
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
start_metronome lights-only
press play
sleep 5.2
# The stop by the edge of a long press is undone.
hold play 0.7
sleep 4.1
hold play 0.7
sleep 4.3
chord faster play
sleep 9
press play
sleep 0.5
# The start by the edge of a long press is kept.
hold play 0.9
sleep 3
press play
sleep 1
end_metronome TERM
stop_listening
