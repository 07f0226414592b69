#: quick=both
# An RGB light: each level has its color, and its lines switch in one call, also within beats and after presses. Then other colors.
# shellcheck shell=sh disable=SC2034,SC2154

plug
# With the green and the blue line.
outputs=5
with_colors() {
  configuration <<END
tempo: 133.7
rhythm: "Xooo|x.xo|Yo|o. swing=62%"
audio: {device: none}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
rgb: {green: GPIO23, blue: GPIO12$1}
END
}

with_colors ''
start_metronome colors
press play
sleep 9.3
for pause in 1.1 0.7 2.3; do
  press faster
  sleep $pause
done
press denominator
sleep 4
end_metronome TERM

with_colors ', strong: white, medium: cyan, weak: magenta, ghost: green'
start_metronome others
press play
sleep 7.7
end_metronome TERM
