#: quick=both
# An RGB light: each level has its color, and its lines switch in one call, also within beats and after presses. Then other colors.
# shellcheck shell=sh disable=SC2034,SC2154

plug
# With the green and the blue line.
outputs=5
shows='light_ms=20,15,10,5 light_levels=strong,medium,weak,ghost buzzer_ms=20,15,10,5 buzzer_levels=strong,medium,weak,ghost'
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
# shellcheck disable=SC2086 # several settings
start_metronome colors tempo=133700 'rhythm=Xooo|x.xo|Yo|o._swing=62%' colors=red,yellow,green,blue $shows
press play
sleep 9.3
for pause in 1.1 0.7 2.3; do
  press faster
  sleep $pause
done
press denominator
sleep 4
mark require beats=25 hits=40
end_metronome TERM

with_colors ', strong: white, medium: cyan, weak: magenta, ghost: green'
# shellcheck disable=SC2086
start_metronome others tempo=133700 'rhythm=Xooo|x.xo|Yo|o._swing=62%' colors=white,cyan,magenta,green $shows
press play
sleep 7.7
mark require beats=15 hits=25
end_metronome TERM
