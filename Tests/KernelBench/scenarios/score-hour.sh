#: limit=3000
#: root=host
# An hour of a set list of three songs with all kinds of changes of tempo, two voices, silent bars and dropped beats,
# recorded at the other end of the Loopback card; with `run --quick` three minutes, with `run --with minutes=10` ten.
# Measured: 7,368 beats and 3,121 pulses within beats, at most 0.96 µs late; 9,410 sounds, p99 0.5 µs from the light.
# The pause of the first song is ended by a pedal. In two changes of tempo the control loop stands still for 5 s.
# shellcheck shell=sh disable=SC2154

page_down=109
if [ "${quick:-}" ]; then minutes=3; else minutes=${minutes:-60}; fi
repetitions=$((minutes * 10 / 7 - 1))

plug
plug_device pedal 'A Pedal' key:$page_down
# The first song lasts 20 s and 13.9 s after its pause, the second one 29.8 s, and the third one 5.333 s and 42.156 s for each
# repetition.
cat >"$results/list.score" <<END
song "One" count=1
        8 4/4 60>180 Xo|xo|Yo|xo
        pause wait
        10 3/4 180-90 mute=2/1bar
song "Two" scale=90%
        6 7/8 100~160 swing=2:1@16 sub=2
        2 72,76.5,81,85.5,90,94.5,99,103.5
        4 5/4 120 drop=25%:2bar seed=11
& 4:5
        pause 2beat
song "Three" count=2
{$repetitions
        6 4/4 90>150
& 3:4
        4 3/4 150-70 sub=2
        3 6/8 70~133.7
        8 4/4 100+10/1bar..140!reverse drop=20% seed=5
        pause 1.25s
}
END
configuration <<'END'
audio: {device: "hw:Loopback,0"}
score: list.score
buttons:
  preset_next: {short: next_section}
inputs:
  - {device: A Pedal, keys: {KEY_PAGEDOWN: preset_next}}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak], pulse_ms: {strong: 40, medium: 28, weak: 20, ghost: 8}}
END
render_sounds
listen
start_metronome songs settle_s=10
press play
sleep 7
stall_control 5
sleep 9.5
tap_key pedal $page_down
sleep 16
press play
sleep 31
press play
sleep 8
stall_control 5
sleep "$((repetitions * 42156 / 1000 - 5))"
logged 2 'stopped, "One"'
end_metronome TERM
stop_listening
unplug_device pedal
