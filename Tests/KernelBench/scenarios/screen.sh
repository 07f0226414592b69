#: root=host
#: kernel=i2c_stub.chip_addr=0x3c
# An SSD1306 screen on a simulated I2C bus: it shows each change. Then a screen that does not answer, and a reload that finds it. Then the
# songs of a set list on an SH1106, whose names have umlauts and accents.
# shellcheck shell=sh disable=SC2034,SC2154

plug
if [ ! -e /dev/i2c-0 ]; then
  echo 'this kernel has no simulated I2C bus; build-kernel builds one that has' >"$results/skipped"
  check 'this kernel has no simulated I2C bus: nothing is checked' 1 1
  exit 0
fi
echo 1 >"$tracing/events/smbus/smbus_write/enable"

# with_screen ADDRESS: the configuration with a screen at this address.
with_screen() {
  configuration <<END
audio: {device: none}
display: {i2c: /dev/i2c-0, address: $1, brightness: 6}
END
}

with_screen 0x3C
start_metronome shows
press play
sleep 3
press faster
sleep 1.5
press numerator
sleep 3
press denominator
sleep 3
press faster
sleep 0.2
press faster
sleep 0.2
press slower
sleep 7
end_metronome TERM
logged 0 'display'

# The screen has the other address: no device answers at the configured one.
with_screen 0x3D
start_metronome absent display=none
mark display faulty
press play
sleep 20
logged 1 'the display cannot be used: .*/dev/i2c-0, address 0x3D does not answer'
logged 1 'display'
with_screen 0x3C
reload
mark display back after_ms=1000
sleep 3
logged 1 'the display works again'
press faster
sleep 3
end_metronome TERM
logged 1 'the display cannot be used'

# A count-in, bars up to two digits, changes of tempo and metre, a pause, other songs; stopped, the next song.
cat >"$results/list.score" <<'END'
song "Für Elise" count=1
Übung: 9 3/4 180
Žluťoučký_kůň: 3 4/4 200
       pause 2s
       2 4/4 200>150
song "L’été à Łódź: ñandú"
1 120
END
configuration <<'END'
audio: {device: none}
display: {i2c: /dev/i2c-0, chip: sh1106, brightness: 2}
score: list.score
END
start_metronome songs
sleep 3
press play
sleep 24
press play
sleep 5
press faster
sleep 3
end_metronome TERM
logged 0 'display'
