#: limit=200
# SIGUSR1 logs a line of statistics, and the program continues. The counts (beats, skipped beats and so on) match what the
# kernel saw. They stay correct after a stall, an unplugged chip, a reload, a stop and a reopened sound card.
# shellcheck shell=sh disable=SC2154

# ask KEY=VALUE...: requests the statistics, which must have these values. Call it midway between two beats.
ask() {
  mark "figures $*"
  kill -USR1 "$metronome"
  sleep 0.01
}

plug
echo 'audio: {device: none}' | configuration
start_metronome counts
ask
# The beats are 0.001 s, 0.501 s ... after the press. The command `press` takes 0.11 s.
press play
sleep 20.15
ask
# Four beats fall in the stall; the last of them is more than half a beat before the end of the stall.
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
logged 1 'configuration reloaded: auto_stop$'
logged 6 'figures \{.*"uptime_s":'

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
