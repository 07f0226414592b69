#: limit=120
#: kernel=snd_dummy.enable=0 snd_virmidi.enable=0
# The sound card is unplugged in mid-play and plugged in again, and is missing at a start: the sound resumes by itself, on
# the beat. The lights are not affected.
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
  check 'the number of open files is unchanged' "$open" "$(handles)"
}

plug
listen
configuration <<'END'
audio: {device: Loopback}
END
# Audio messages are limited to eight at once, then one per minute: two messages in a run.
start_metronome by-name
press play
sleep 10.3
logged 1 'audio: locked'
open=$(handles)
for pause in 3 0.31; do pull_and_plug $pause; done
logged 3 'audio: locked'
logged 2 'audio: waiting for'
end_metronome TERM

start_metronome for-long
press play
sleep 10.3
pull_and_plug 47.7
logged 2 'audio: locked'
logged 1 'audio: waiting for'
end_metronome TERM

# Unplugged while stopped, and back before the next start.
start_metronome at-rest
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
end_metronome TERM
stop_listening

# No card at all at the start, and any card is allowed.
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind
check 'there is no card' '--- no soundcards ---' "$(sed 's/^ *//' /proc/asound/cards)"
echo 'audio: {device: auto}' | configuration
start_metronome late-card card=none
mark mute
press play
sleep 5.3
logged 1 'audio: waiting for'
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
listen
sounds_again
sleep 15.2
logged 1 'audio: locked'
open=$(handles)
pull_and_plug 3
logged 2 'audio: waiting for'
end_metronome TERM
stop_listening
