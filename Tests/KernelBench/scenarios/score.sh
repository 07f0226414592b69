#: quick=both
# A set list of three songs: all kinds of changes of tempo, repeats, pauses, count-ins, silent bars and dropped beats, a
# practice speed. A pause is ended by a pedal, another one by play, a section without an end by a button. In two ramps the
# control loop stands still for 5 s: no beat may be missing or late.
# At this volume two sounds together stay below the limiter.
# Measured with both libgpiods: 335 beats and 168 pulses within beats, at most 0.76 µs late; 386 sounds, p99 5.1 µs from the light.
# shellcheck shell=sh disable=SC2154

page_down=109

plug
plug_device pedal 'A Pedal' key:$page_down
cat >"$results/list.score" <<'END'
song "Eight" count=1
intro:  4 3/4 96.5
rise:   8 90>150
fall:   6 2+2+3/8 150-70 mute=2/1bar
        pause wait
even:   4 70~110 Xx.o|xo|x|Y
steps:  * 100+12/2bar..160!stop sub=2
{2
verse:  2 5/4 132.7 drop=40% seed=3
riff:   1 6/8 =
}
        pause 1.5s
        pause 3beat
solo:   4 120 swing=62% sub=2 vol=0.7
& 3:4
coda:   3 120-60
song "Vamp" scale=85%
vamp:   * 140 X.xx
end:    4 140>60
song "Drops"
first:  6 150 drop=30%:4bar seed=7
        pause wait
second: 8 120-180 mute=3/1beat count=1
END
configuration <<'END'
audio: {device: "hw:Loopback,0", volume: 0.7}
score: list.score
buttons:
  preset_next: {short: next_section}
inputs:
  - {device: A Pedal, keys: {KEY_PAGEDOWN: preset_next}}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
END
render_sounds
listen
start_metronome songs
# "Eight": up to its pause 37.3 s, and 65 s after it.
press play
sleep 13
stall_control 5
sleep 22.117
tap_key pedal $page_down
sleep 58.3
stall_control 5
sleep 5
logged 1 '"Vamp", song 2 of 3'
# "Vamp": its first section has no end.
press play
sleep 7.77
press numerator
sleep 14.1
# "Drops": up to its pause 9.6 s.
press play
sleep 12.03
press play
sleep 16.9
# "Eight" again, stopped in its second section, and continued there.
press play
sleep 15.31
press play
sleep 1.2
press play
sleep 5.017
end_metronome TERM
stop_listening
unplug_device pedal
