# As an ordinary user who may use lines and cards but has no real-time rights: it says so once, and plays. A pedal that it
# may not read is had when the rights come.
# shellcheck shell=sh disable=SC2034,SC2154

plug
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
chgrp -R 29 /dev/snd
chmod 660 /dev/snd/*
plug_device pedal 'Bench Pedal' key:109
listen
configuration <<'END'
audio: {device: "hw:Loopback,0"}
inputs:
  - {device: "Bench Pedal", keys: {KEY_PAGEDOWN: tap}}
END
metronome_as='setpriv --reuid 1000 --regid 1000 --groups 29,997 --'
# An ordinary thread is woken up to 50 µs late unless it asks for less.
start_metronome ordinary sound=loopback lead_ms=24 lateness_us=60 sound_worst_us=500
said 1 '"Bench Pedal": only root may open /dev/input/event0'
press play
sleep 30.3
said 0 '"Bench Pedal" is there'
chgrp 29 /dev/input/event0
chmod 660 /dev/input/event0
sleep 0.5
said 1 '"Bench Pedal" is there'
sleep 29.5
press slower
sleep 60
mark require beats=239
end_metronome TERM
stop_listening
check 'the missing rights are mentioned once' 1 "$(grep -ciE 'real-time|priority' "$results/ordinary.err")"

# A chip that it may not use: at boot the rights come after the device.
chmod 600 /dev/gpiochip*
echo 'audio: {device: none}' | configuration
begin no-rights
await_end 'a chip that is for others' 69
said 1 'only root may open /dev/gpiochip'
options=--wait
begin rights-come-late
sleep 5
said 1 'waits for the GPIO lines: only root may open /dev/gpiochip'
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
await_lines
said 1 'the GPIO lines are there, on gpiochip[0-9]+ \[pinctrl-bcm2711\]'
end_metronome TERM
