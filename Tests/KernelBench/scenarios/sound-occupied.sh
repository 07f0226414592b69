#: kernel=snd_aloop.pcm_substreams=1
# Another program has the card: before the program starts, and again as soon as it is back after having been pulled out
# in mid-play. The lights go on, it says so once, and sounds again when the card is free.
# shellcheck shell=sh disable=SC2154

plug
listen
hold_card
configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
# Without a card the lead is that of the light alone, until the next press.
start_metronome occupied sound=loopback lead_ms=1 voices_lead_ms=24
mark 'mute'
said 1 'audio: waiting for .*in use'
press play
sleep 10.3
said 1 'audio: waiting for'
said 0 'audio: locked'
let_card_go
sounds_again
sleep 20.07
said 1 'audio: locked'
open=$(handles)

for pause in 4.41 7.13; do
  before=$(ticks)
  unbind_card
  hold_card
  sleep 1
  bind_card
  listen
  sleep "$pause"
  check 'fewer than 50 ticks of the processor meanwhile' yes "$([ $(($(ticks) - before)) -lt 50 ] && echo yes)"
  let_card_go
  sounds_again
  sleep 15.2
  check 'as many open files as before' "$open" "$(handles)"
done
said 3 'audio: locked'
said 3 'audio: waiting for .*in use'
mark require beats=120
end_metronome TERM
stop_listening
