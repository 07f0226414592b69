#: limit=200
# A dial turns the volume from 0 to -36 dB and back, in steps of 1.5 dB: each click is as much softer or louder, and a change
# during a tone makes no noise. The volume survives SIGKILL and a stop. The judge measures the recordings that `volumes` names.
# shellcheck shell=sh disable=SC2034,SC2154

rel_dial=7
plug
bind_device Bench_Dial rel $rel_dial volume
plug_device dial 'Bench Dial' rel:$rel_dial

# record NUMBER: starts an ear at the Loopback card's other end, and keeps all frames that it hears.
record() {
  cat >"$results/asound.conf" <<END
</usr/share/alsa/alsa.conf>
pcm.heard { type file slave.pcm "hw:Loopback,1" file "$results/heard.$1" format raw }
END
  ALSA_CONFIG_PATH="$results/asound.conf" "$here/ear" capture heard >"$results/ear.$1" 2>"$results/ear.$1.err" &
  ear=$!
  sleep 0.2
}

# stop_recording: the last frames may be lost.
stop_recording() {
  sleep 1
  stop_listening
}

# decibels FROM TO: -1.5, -3 ... for the numbers of steps 1, 2 ... below 0 dB; up or down.
decibels() { seq "$1" "$(if [ "$1" -le "$2" ]; then echo 1; else echo -1; fi)" "$2" | awk '{ print -1.5 * $1 }'; }

# clicks: a bar has clicks of four kinds; from standard input the volume of each click.
clicks() { awk '{ print substr("XYxo", (NR - 1) % 4 + 1, 1), $1 }'; }

# --- Clicks -----------------------------------------------------------------------------------------------------------------

configuration <<'END'
audio: {device: "hw:Loopback,0", volume: 1}
rhythm: XYxo
# The judge of the lines knows two levels.
outputs: {light: {line: GPIO17, pulse_ms: {medium: 50, ghost: 50}}, buzzer: {line: GPIO22, pulse_ms: {medium: 20, ghost: 20}}}
inputs:
  - {device: "Bench Dial", relative: {REL_DIAL: volume}}
END
state=/run/state
mkdir $state
record 1
start_metronome steps sound=unheard lead_ms=24
# The clicks of the first bar are at 0 dB. After that the dial is turned midway between two clicks, 25 detents each way: the
# last one has no effect. The command `press` takes 0.11 s, and the first beat is 24 ms after the press.
press play
sleep 1.65
turn dial $rel_dial -25 0.5
turn dial $rel_dial 25 0.5
turn dial $rel_dial -12 0.5
press play
# Saved within two seconds.
sleep 3
mark require beats=66
end_metronome KILL 137
logged 1 'volume -36 dB, playing'
{
  printf '0\n0\n0\n0\n'
  decibels 1 24
  echo -36
  decibels 23 0
  echo 0
  decibels 1 12
} | clicks >"$results/steps"

# The next clicks begin at -18 dB, and after a stop at -13.5 dB.
start_metronome killed sound=unheard lead_ms=24
logged 1 'volume -18 dB, stopped'
press play
sleep 1.65
turn dial $rel_dial 3
press play
mark require beats=4
end_metronome TERM
start_metronome stopped sound=unheard lead_ms=24
logged 1 'volume -13.5 dB, stopped'
press play
sleep 1.65
press play
mark require beats=4
end_metronome TERM
stop_recording
{
  echo clicks heard.1
  cat "$results/steps"
  printf '%s\n' -18 -18 -18 -18 | clicks
  printf '%s\n' -13.5 -13.5 -13.5 -13.5 | clicks
} >"$results/volumes"

# --- A tone -----------------------------------------------------------------------------------------------------------------

# 5.6 s of 997 Hz in floating point.
perl -e '
  my ($rate, $count) = (48000, 268800);
  print pack("A4 V A4 A4 V v v V V v v A4 V", "RIFF", 36 + 4 * $count, "WAVE", "fmt ", 16, 3, 1, $rate, 4 * $rate, 4, 32,
    "data", 4 * $count);
  for my $frame (0 .. $count - 1) {
    my $fade = $frame < $count - $frame ? $frame : $count - $frame;
    print pack("f<", ($fade < 2400 ? $fade / 2400 : 1) * 0.9 * sin(6.283185307179586 * 997 * $frame / $rate));
  }' >"$results/tone.wav"
configuration <<'END'
audio: {device: "hw:Loopback,0", volume: 1, sounds: {strong: tone.wav}}
tempo: 10
signature: 1/4
inputs:
  - {device: "Bench Dial", relative: {REL_DIAL: volume}}
END
state=
record 2
start_metronome tone tempo=10000 numerator=1 sound=unheard lead_ms=24
press play
sleep 0.35
turn dial $rel_dial -24 0.1
turn dial $rel_dial 24 0.1
sleep 0.5
press play
mark require beats=1
end_metronome TERM
stop_recording
{
  echo tone heard.2
  decibels 0 24
  decibels 23 0
} >>"$results/volumes"
unplug_device dial
