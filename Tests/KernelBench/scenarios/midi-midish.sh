#: root=host
# Debian's sequencer midish as the other machine, in both directions. First it follows: it plays a note per quarter from a MIDI file
# by the box's clock, through a change of tempo, a stop and a start. Then it leads: its clock is a grid of whole milliseconds, and
# the box's light is compared with the line through its clocks.
# Measured with midish 1.0.4: its notes at most 6.8 µs after the quarters' clocks; the light at most 29 µs from the line. A clock has
# two receivers, and each reading of the virtual clock takes 0.26 µs: measured at most 5.3 µs.
# shellcheck shell=sh disable=SC2034,SC2154

# The sequencer's clients of the four devices of the card VirMIDI are 24 to 27.
start_midish() {
  mkfifo /run/midish
  midish -v </run/midish >>"$results/midish" 2>>"$results/midi.err" &
  sequencer=$!
  exec 3>/run/midish
}

midish_does() { echo "$1" >&3; }

end_midish() {
  exec 3>&-
  wait "$sequencer"
  rm /run/midish
}

start_receiving() {
  "$here/midi-ear" "$1" 1 >>"$results/received" 2>>"$results/midi.err" &
  receiver=$!
  sleep 0.3
}

stop_receiving() {
  kill -TERM "$receiver"
  wait "$receiver"
}

octal() { for number; do printf '\\%03o' "$number"; done; }

# A MIDI file with 64 quarters: the note 32 in the first, 95 in the last. 24 ticks per quarter.
write_song() {
  # shellcheck disable=SC2059 # bytes
  {
    printf 'MThd\000\000\000\006\000\000\000\001\000\030MTrk\000\000\002\004'
    note=32
    while [ $note -lt 96 ]; do
      printf "$(octal 0 144 $note 100 24 128 $note 0)"
      note=$((note + 1))
    done
    printf '\000\377\057\000'
  } >"$1"
}

plug
write_song /run/song.mid

# --- midish follows ----------------------------------------------------------------------------------------------------
configuration <<END
tempo: 120
audio: {device: none}
buttons: {preset_1: {line: GPIO19}}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}
END
state=/run/state
mkdir "$state"
check 'stores a preset' 'stored' "$(presets save fast --tempo 133.7 >/dev/null && echo stored)"
start_receiving 0
start_midish
# Its notes go to the device at which the receiver listens.
midish_does 'dnew 0 "25:0" wo'
midish_does 'dnew 1 "24:0" ro'
midish_does 'dclkrx 1'
midish_does 'import "/run/song.mid"'
midish_does 'p'
buttons=7
start_metronome leads
sleep 1
press play
sleep 12
press preset_1
sleep 20.3
press play
sleep 2.3
press play
sleep 24
press play
sleep 1
end_metronome TERM
end_midish
stop_receiving
# The velocity of each note is 100. The song has 64 quarters, and starts again with the box.
notes=$(grep -c ' 64$' "$results/received")
check 'midish plays at least 100 notes' yes "$([ "$notes" -ge 100 ] && echo yes || echo "$notes")"

# --- midish leads ------------------------------------------------------------------------------------------------------
configuration <<END
audio: {device: none}
midi: {in: "hw:CARD=VirMIDI,DEV=2", transport: follow}
END
state='' buttons=6
start_receiving 3
start_metronome follows source=received lateness_us=100
start_midish
midish_does 'dnew 0 "26:0" wo'
midish_does 'dnew 1 "25:0" wo'
midish_does 'dclktx {0 1}'
midish_does 't 133'
midish_does 'p'
if [ "${quick:-}" ]; then sleep 60; else sleep 235; fi
logged 1 'locked to the MIDI clock at 133 BPM'
midish_does 's'
sleep 2
end_metronome TERM
end_midish
stop_receiving
check 'the tools have no errors' '' "$(grep -v '^Warning, no MIDI devices configured' "$results/midi.err")"
