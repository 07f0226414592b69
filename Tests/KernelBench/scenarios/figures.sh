#: limit=200
# On SIGUSR1 the log has a line of figures: as many beats as the kernel saw, what was skipped while the program was stopped,
# and so on over a chip that goes and comes back, another configuration, a stop, and a sound card that is opened anew. It
# ends nothing.
# shellcheck shell=sh disable=SC2154

# ask KEY=VALUE...: for the figures, in the middle between two beats.
ask() {
  mark "figures $*"
  kill -USR1 "$metronome"
  sleep 0.01
}

plug
echo 'audio: {device: none}' | configuration
start_metronome counts
ask
# The beats fall 0.001, 0.501 ... after the press, which takes 0.11.
press play
sleep 20.15
ask
# Four beats fall into it, the last of them more than half a beat before its end.
stall 2
sleep 3.2
ask skipped=4
unplug
sleep 3.3
plug
await_lines
sleep 2
ask skipped=4
printf 'audio: {device: none}\nauto_stop: 1h\n' | configuration
kill -HUP "$metronome"
sleep 3
ask skipped=4
press play
sleep 2
ask skipped=4
mark require beats=50
end_metronome TERM
said 1 'configuration read again: auto_stop$'
said 6 'figures \{"uptime_s":'

listen
echo 'audio: {device: "hw:Loopback,0"}' | configuration
start_metronome sounds sound=loopback lead_ms=24 sound_worst_us=500
press play
sleep 10.2
ask
stall 2
sleep 3.35
ask skipped=4 missed_clicks=some xruns=some
mark mute
echo 'audio: {device: none}' | configuration
kill -HUP "$metronome"
sleep 2
echo 'audio: {device: "hw:Loopback,0"}' | configuration
kill -HUP "$metronome"
sounds_again
sleep 10.15
ask skipped=4 missed_clicks=some xruns=some reopenings=1
mark require beats=50
end_metronome TERM
stop_listening
