#: limit=120
#: kernel=snd_dummy.enable=0 snd_virmidi.enable=0
# The sound card is pulled out in mid-play and plugged in again, and was not there at the start: it sounds again by itself,
# on the beat. The lights never noticed.
# shellcheck shell=sh disable=SC2154

# pull_and_plug SECONDS
pull_and_plug() {
  before=$(ticks)
  mark mute
  unbind_card
  sleep "$1"
  check 'fewer than 50 ticks of the processor meanwhile' yes "$([ $(($(ticks) - before)) -lt 50 ] && echo yes)"
  bind_card
  listen
  sounds_again
  sleep 15.2
  check 'as many open files as before' "$open" "$(handles)"
}

plug
listen
configuration <<'END'
audio: {device: Loopback}
END
# Of the sound it says eight lines at once, and then no more than one a minute: twice in a run, therefore.
start_metronome by-name sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 10.3
said 1 'audio: locked'
open=$(handles)
for pause in 3 0.31; do pull_and_plug $pause; done
said 3 'audio: locked'
said 2 'audio: waiting for'
mark require beats=85
end_metronome TERM

start_metronome for-long sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 10.3
pull_and_plug 47.7
said 2 'audio: locked'
said 1 'audio: waiting for'
mark require beats=140
end_metronome TERM

# Pulled out while nothing plays, and back before the next start.
start_metronome at-rest sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 3.1
press play
sleep 1
unbind_card
sleep 1
bind_card
listen
sleep 3
press play
sleep 5
mark require beats=15
end_metronome TERM
stop_listening

# No card at all when it starts, and any will do.
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind
check 'there is no card' '--- no soundcards ---' "$(sed 's/^ *//' /proc/asound/cards)"
echo 'audio: {device: auto}' | configuration
start_metronome late-card sound=loopback lead_ms=1 voices_lead_ms=24 sound_worst_us=500
mark mute
press play
sleep 5.3
said 1 'audio: waiting for'
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
listen
sounds_again
sleep 15.2
said 1 'audio: locked'
open=$(handles)
pull_and_plug 3
said 2 'audio: waiting for'
mark require beats=70
end_metronome TERM
stop_listening
