#: limit=120
#: kernel=snd_aloop.pcm_substreams=1
# Another program holds the card: before the program starts, and again right after the card was unplugged in mid-play and
# returned. The lights continue, the program reports it once, and sounds again when the card is free.
# shellcheck shell=sh disable=SC2154

# pulled_out_and_taken SECONDS: unplugs the card for a second; then another program holds it for this time.
pulled_out_and_taken() {
  open=$(handles)
  before=$(ticks)
  mark mute
  unbind_card
  hold_card
  sleep 1
  bind_card
  listen
  sleep "$1"
  check 'fewer than 50 ticks of the processor meanwhile' yes "$([ $(($(ticks) - before)) -lt 50 ] && echo yes)"
  release_card
  sounds_again
  sleep 15.2
  check 'the number of open files is unchanged' "$open" "$(handles)"
}

plug
listen
hold_card
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
# Without a card the lead is the lead of the light alone, until the next press.
start_metronome before card=none
mark mute
logged 1 'audio: waiting for .*in use'
press play
sleep 10.3
logged 1 'audio: waiting for'
logged 0 'audio: locked'
release_card
sounds_again
sleep 20.07
logged 1 'audio: locked'
pulled_out_and_taken 4.41
logged 2 'audio: waiting for .*in use'
logged 2 'audio: locked'
end_metronome TERM

# Long enough for the program to retry only every other second.
start_metronome during
press play
sleep 10.3
pulled_out_and_taken 37.13
logged 1 'audio: waiting for .*in use'
logged 2 'audio: locked'
end_metronome TERM
stop_listening
