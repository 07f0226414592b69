#: quick=both
# Rhythms by the hands: subdivisions, accents and tempo by buttons and chords while the metronome plays, a dotted beat, groups, two
# voices, and the volume by a dial and by chords. Light and buzzer show all levels; the ear recognizes every sound.
# At this volume three sounds together stay below the limiter.
# shellcheck shell=sh disable=SC2154

with_rhythm() {
  configuration <<END
$1
audio: {device: "hw:Loopback,0", volume: 0.7}
inputs:
  - {device: A Dial, relative: {REL_DIAL: volume}}
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
END
}

plug
plug_device dial 'A Dial' rel:7
echo 'audio: {device: "hw:Loopback,0", volume: 0.7}' | configuration
render_sounds
listen

# --- Subdivisions and tempo ---------------------------------------------------------------------------------------------
with_rhythm 'tempo: 97'
start_metronome subdivisions
press play
sleep 3.217
# 2, 3, 4, 6, swing, off; then back.
for pause in 2.1 1.93 2.777 2.011 3.303 1.5; do
  chord numerator denominator
  sleep $pause
done
for pause in 2.77 1.9 2.3; do
  chord denominator tap
  sleep $pause
done
for pause in 0.111 0.272 0.413; do
  press faster
  sleep $pause
done
sleep 1.7
press play
sleep 1.3
press play
sleep 3.1
press numerator
sleep 4.4
end_metronome TERM

# --- A dotted beat and groups -------------------------------------------------------------------------------------------
with_rhythm 'tempo: 71
signature: 6/8
beat: 3/8
rhythm: sub=2'
start_metronome dotted
press play
sleep 5.003
press slower
sleep 2.9
# The accents: groups of two, groups of three, none, plain, dotted.
for pause in 4.1 3.7 4.3 3.9 5.1; do
  chord numerator tap
  sleep $pause
done
end_metronome TERM

with_rhythm 'tempo: 109
signature: 2+2+3/8
rhythm: "& 3:7 & x..x. @5/8 sound=click"'
start_metronome groups
press play
sleep 7.011
press faster
sleep 3.17
# --- The volume ---------------------------------------------------------------------------------------------------------
for detents in -1 -3 2 -6 8; do
  turn dial 7 $detents
  sleep 2.13
done
chord denominator slower
sleep 1.9
chord slower denominator
sleep 2.21
chord denominator faster
sleep 1.77
press play
sleep 1
end_metronome TERM
stop_listening
unplug_device dial
