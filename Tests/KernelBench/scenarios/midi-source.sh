# The box follows a source that jumps, stalls, restarts and loops, without a card and with one. The source writes down each of its
# messages, also those that it holds back or loses; the judge counts its beats from them.
# shellcheck shell=sh disable=SC2154

source_plays() {
  "$here/midi-source" 3 2 "$@" >>"$results/source" 2>>"$results/midi.err"
  sleep 1
}

# Each kind once. In the song the clocks are numbered from 0, so that 96 is the first of the second bar.
every_kind() {
  # A start of an even clock; up on a beat, down within one; a stall that ends in a burst; one whose clocks never come.
  set -- clock 120 37 start clock 120 96 clock 160 108 clock 80 84 hold 16 burst 16 320 clock 80 80 lose 12 clock 80 84 stop
  # Free clocks of another tempo; a start 1 ms after a clock, and the clock anew 2 ms later.
  set -- "$@" clock 120 30 start anew 2000 clock 120 102 stop
  # A start and a continue after a silence.
  set -- "$@" wait_us 1500000 start wait_us 4000 continue anew 1000 clock 120 96
  # Loops between two clocks: of a bar, the second just before the clock, when its click is in the buffer; to the second bar; to the
  # middle of a bar; and within a beat. A click that is in the buffer already has the pitch of the old place, so both have the same.
  set -- "$@" stop position 0 continue clock 120 96 wait_us 15000 stop position 0 continue clock 120 96
  set -- "$@" stop position 16 continue clock 120 72 stop position 8 continue clock 120 108
  set -- "$@" stop position 0 continue clock 120 106 stop
  # It goes on within a beat.
  source_plays "$@" wait_us 800000 continue anew 1000 clock 120 80 stop
}

follower() {
  configuration <<END
audio: {device: $1}
midi: {in: "hw:CARD=VirMIDI,DEV=2", transport: follow}
END
}

plug
"$here/midi-ear" 3 1 >>"$results/midi" 2>>"$results/midi.err" &
receiver=$!

follower none
start_metronome silent source=midi
every_kind
end_metronome TERM

follower '"hw:Loopback,0"'
listen
start_metronome audible source=midi
every_kind
end_metronome TERM
stop_listening

kill -TERM "$receiver"
wait "$receiver"
check 'the tools have no errors' '' "$(cat "$results/midi.err")"
