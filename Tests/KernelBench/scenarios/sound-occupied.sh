#: limit=120
#: kernel=snd_aloop.pcm_substreams=1
# Another program has the card: before the program starts, and again as soon as it is back after having been pulled out
# in mid-play. The lights go on, it says so once, and sounds again when the card is free.
# shellcheck shell=sh disable=SC2154

# pulled_out_and_taken SECONDS: the card is away for a second and then another program's for so long.
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
  let_card_go
  sounds_again
  sleep 15.2
  check 'as many open files as before' "$open" "$(handles)"
}

plug
listen
hold_card
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
# Without a card the lead is that of the light alone, until the next press.
start_metronome before sound=loopback lead_ms=1 voices_lead_ms=24 sound_worst_us=500
mark mute
said 1 'audio: waiting for .*in use'
press play
sleep 10.3
said 1 'audio: waiting for'
said 0 'audio: locked'
let_card_go
sounds_again
sleep 20.07
said 1 'audio: locked'
pulled_out_and_taken 4.41
said 2 'audio: waiting for .*in use'
said 2 'audio: locked'
mark require beats=100
end_metronome TERM

# For so long that the program looks after it only every other second.
start_metronome during sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 10.3
pulled_out_and_taken 37.13
said 1 'audio: waiting for .*in use'
said 2 'audio: locked'
mark require beats=120
end_metronome TERM
stop_listening
