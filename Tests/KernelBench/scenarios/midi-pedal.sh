# A MIDI controller: controllers and notes as buttons, a turned controller as a dial, a program that recalls a preset, another channel,
# running status with clocks in between, and the port unplugged and plugged in again in mid-hold. Then a pedal that sends no releases.
# shellcheck shell=sh disable=SC2154

virmidi() { echo snd_virmidi.0 >/sys/bus/platform/drivers/snd_virmidi/"$1"; }

# send BYTE...: sends hexadecimal bytes to the box.
send() {
  for byte; do printf "\\$(printf %03o "0x$byte")"; done >/dev/snd/midiC2D3
  sleep 0.1
}

plug
state=/run/state
mkdir "$state"
configuration <<END
audio: {device: none}
inputs:
  - midi: "hw:CARD=VirMIDI,DEV=2"
    channel: 1
    cc: {64: play}
    note: {60: numerator}
    relative: {16: tempo}
    program: recall
END
launch pedal
logged 1 'the MIDI input hw:CARD=VirMIDI,DEV=2 is connected as /dev/snd/midiC2D2'
"$here/midi-source" 3 2 2>>"$results/midi.err"

send B0 40 7F
logged 1 '120 BPM, 4/4, playing'
send B0 40 00
send B0 10 05
logged 1 '125 BPM, 4/4, playing'
send B0 10 7D
logged 1 '122 BPM, 4/4, playing'
# Another channel means nothing.
send B1 40 7F
send B1 40 00
logged 0 '122 BPM, 4/4, stopped'
# Running status, interrupted by clocks: the note goes on and off.
send 90 F8 3C F8 64 3C F8 00
sleep 1
logged 1 '122 BPM, 1/4, playing'
send B0 40 7F 40 00
sleep 1
logged 1 '122 BPM, 1/4, stopped'

# A preset by its number.
check 'stores a preset' 0 "$(presets save waltz --tempo 97 --signature 3/4 >/dev/null && echo 0)"
send C0 00
sleep 0.5
logged 1 '97 BPM, 3/4, stopped'

# Unplugged while the pedal is down: the press ends.
send B0 40 7F
logged 1 '97 BPM, 3/4, playing'
virmidi unbind &
sleep 2
logged 1 'the MIDI input hw:CARD=VirMIDI,DEV=2 was removed; waiting for it'
virmidi bind
sleep 2
logged 2 'the MIDI input hw:CARD=VirMIDI,DEV=2 is connected'
"$here/midi-source" 3 2 2>>"$results/midi.err"
send B0 40 7F
send B0 40 00
sleep 1
logged 2 '97 BPM, 3/4, stopped'
end_metronome TERM

# A latching pedal, whose on and off are both presses, beside a dial with another encoding.
configuration <<END
audio: {device: none}
inputs:
  - midi: "hw:CARD=VirMIDI,DEV=2"
    cc: {64: play, 65: numerator}
    relative: {16: tempo}
    encoding: offset-64
    latching: true
END
launch latching
"$here/midi-source" 3 2 2>>"$results/midi.err"
send B0 41 7F
sleep 1
logged 1 '97 BPM, 4/4, stopped'
send B0 40 7F
logged 1 '97 BPM, 4/4, playing'
sleep 1
send B0 40 00
sleep 1
logged 2 '97 BPM, 4/4, stopped'
send B0 40 7F
sleep 1
logged 2 '97 BPM, 4/4, playing'
send B0 10 43
logged 1 '100 BPM, 4/4, playing'
send B0 10 3E
logged 1 '98 BPM, 4/4, playing'
send B0 10 40
sleep 1
logged 1 '98 BPM, 4/4, playing'
end_metronome TERM
check 'the tools have no errors' '' "$(cat "$results/midi.err")"
