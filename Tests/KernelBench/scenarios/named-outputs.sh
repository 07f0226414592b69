#: quick=both
# Seven outputs: beside light, pendulum and buzzer a lamp bar for the first, each and the last beat of a bar, and a second
# pendulum. Each edge is as promised, also after presses, of a button that the configuration adds, too.
# shellcheck shell=sh disable=SC2034,SC2154

plug
outputs=7 buttons=7
configuration <<END
tempo: 137.3
signature: 3/4
audio: {device: none}
outputs:
  bar_first: {line: GPIO23, shows: first, pulse_ms: {strong: 120}}
  bar_each: {line: GPIO12, levels: [], pulse_ms: {strong: 30, medium: 30, weak: 30, ghost: 30}}
  bar_last: {line: GPIO13, active: high, shows: last, pulse_ms: {weak: 60}}
  swing_left: {line: GPIO18, shows: left}
buttons:
  boost: {line: GPIO4, short: faster}
END
start_metronome seven
press play
sleep 6.3
for pause in 1.1 0.7 2.3; do
  press faster
  press boost
  sleep $pause
done
press play
sleep 0.4
press play
sleep 3.1
end_metronome TERM
