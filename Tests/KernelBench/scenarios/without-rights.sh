# An ordinary user with access to lines and cards but without real-time rights: the program reports it once, and plays. A
# pedal without read permission is opened when the permission is granted.
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
# An ordinary thread wakes up to 50 µs late unless it lowers its timer slack.
start_metronome ordinary lateness_us=60
logged 1 '"Bench Pedal": only root may open /dev/input/event0'
press play
sleep 30.3
logged 0 '"Bench Pedal" is connected'
chgrp 29 /dev/input/event0
chmod 660 /dev/input/event0
sleep 0.5
logged 1 '"Bench Pedal" is connected'
sleep 29.5
press slower
sleep 60
end_metronome TERM
stop_listening
check 'the missing rights are mentioned once' 1 "$(grep -ciE 'real-time|priority' "$results/ordinary.err")"

# A chip without permission: at boot the permissions come after the device.
chmod 600 /dev/gpiochip*
echo 'audio: {device: none}' | configuration
begin no-rights
await_end 'a chip that is for others' 69
logged 1 'only root may open /dev/gpiochip'
options=--wait
begin rights-come-late
sleep 5
logged 1 'waiting for the GPIO lines: only root may open /dev/gpiochip'
chgrp 997 /dev/gpiochip*
chmod 660 /dev/gpiochip*
await_lines
logged 1 'acquired the GPIO lines on gpiochip[0-9]+ \[pinctrl-bcm2711\]'
end_metronome TERM
