#: limit=200
# SIGUSR1 logs a line of statistics, and the program continues. The counts (beats, skipped beats and so on) match what the
# kernel saw. They stay correct after a stall, an unplugged chip, a reload, a stop and a reopened sound card.
# shellcheck shell=sh disable=SC2154

# ask BEATS SKIPPED [FAULT]...: requests the statistics, which must have these numbers, and no other faults than these. Call it
# midway between two beats.
ask() {
  wanted="$1 beats, $2 skipped"
  shift 2
  some=$*
  kill -USR1 "$metronome"
  sleep 0.01
  line=$(grep 'metronome: figures {' "$results/$run.err" | tail -n 1)
  check "$run: figures" "$wanted" "$(figure beats) beats, $(figure skipped) skipped"
  for key in failed_sets missed_clicks reopenings xruns; do
    found=none
    if [ "$(figure $key)" != 0 ]; then found=some; fi
    case " $some " in *" $key "*) expected=some ;; *) expected=none ;; esac
    check "$run: $key" $expected $found
  done
}

# figure KEY: its number in the line of statistics.
figure() { echo "$line" | grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d: -f2; }

plug
echo 'audio: {device: none}' | configuration
start_metronome counts
ask 0 0
# The beats are 0.001 s, 0.501 s ... after the press. The command `press` takes 0.11 s.
press play
sleep 20.15
ask 41 0
# Four beats fall in the stall; the last of them is more than half a beat before the end of the stall.
stall 2
sleep 3.2
ask 47 4
unplug
sleep 3.3
plug
await_lines
sleep 2
ask 58 4
printf 'audio: {device: none}\nauto_stop: 1h\n' | configuration
reload
sleep 3
ask 64 4
press play
sleep 2
ask 64 4
end_metronome TERM
logged 1 'configuration reloaded: auto_stop$'
logged 6 'figures \{.*"uptime_s":'

listen
echo 'audio: {device: "hw:Loopback,0"}' | configuration
start_metronome sounds
press play
sleep 10.2
ask 21 0
stall 2
sleep 3.35
ask 28 4 missed_clicks xruns
mark mute
echo 'audio: {device: none}' | configuration
reload
sleep 2
echo 'audio: {device: "hw:Loopback,0"}' | configuration
reload
sounds_again
sleep 10.15
ask 52 4 missed_clicks xruns reopenings
end_metronome TERM
stop_listening
