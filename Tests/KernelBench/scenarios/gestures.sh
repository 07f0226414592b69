# Gestures beyond single presses: short and long, held for repetitions, two buttons together, and lost edges.
# shellcheck shell=sh disable=SC2154

plug
echo 'audio: {device: none}' | configuration

# --- Held, while stopped and while playing ----------------------------------------------------------------------------
hold_all() {
  for held in 0.49 0.5 0.51 1.3 3.1; do
    for button in slower faster numerator denominator; do
      hold $button $held
      sleep 0.217
    done
  done
}
start_metronome held
hold_all
press play
sleep 1.7
hold_all
sleep 2
end_metronome TERM

# --- Two together -----------------------------------------------------------------------------------------------------
# A reply takes up to 9 s; the next command may interrupt it.
chords() {
  press faster
  press faster
  chord slower faster
  sleep 1.1
  press slower
  chord faster slower
  sleep 1.2
  chord play faster
  sleep 10.05
  chord faster play
  sleep 10.1
  chord play numerator
  sleep 6.02
  chord numerator play
  sleep 2.003
  press numerator
  sleep 1.5
}
start_metronome together
chords
press play
sleep 1.234
chords
chords
# The rest of a chord has no effect; of three buttons the third acts alone.
contact play closed
sleep 0.05
contact faster closed
sleep 0.05
contact slower closed
sleep 2
contact slower open
contact faster open
contact play open
sleep 10
end_metronome TERM

# --- Lights only ----------------------------------------------------------------------------------------------------
start_metronome silent
hold play 0.7
sleep 3.3
chord play faster
sleep 10
hold play 1.6
sleep 2.7
press play
sleep 1
hold play 0.6
sleep 3
press play
sleep 1
press play
sleep 2
end_metronome TERM

# --- Worn contacts --------------------------------------------------------------------------------------------------
start_metronome bouncing
for button in faster slower numerator denominator play numerator denominator faster slower; do
  press_bouncing $button
  sleep 0.83
done
sleep 2
end_metronome TERM

# --- Lost edges -------------------------------------------------------------------------------------------------------
# The program is stopped while a button is pressed more often than the kernel can buffer; the last release is among the lost
# edges, and how many depends on the library. Afterwards no button counts as held: a held one would repeat forever.
flood() {
  contact "$1" closed
  sleep 0.1
  freeze
  turn=0
  while [ $turn -lt 75 ]; do
    contact "$1" open
    sleep 0.03
    contact "$1" closed
    sleep 0.03
    turn=$((turn + 1))
  done
  contact "$1" open
  sleep 0.05
  thaw
  sleep 1
  before=$(tail -n 1 "$results/$run.err")
  sleep 2
  check "$run: $1 is not held" "$before" "$(tail -n 1 "$results/$run.err")"
}
launch lost
for button in faster denominator; do flood $button; done
press play
sleep 2.5
press numerator
press faster
sleep 3
end_metronome TERM
