# A serial port, for which a pseudo-terminal stands: the box follows a clock that arrives on it, also while its control loop is busy or
# stands still, and sends its own clock to it. The port appears later, is removed, and returns.
# shellcheck shell=sh disable=SC2034,SC2154

port=/dev/midi-uart
mount -t devpts devpts /dev/pts

# line [BPM LAST-BPM SECONDS]: the machine at the other end of the line.
line() {
  "$here/serial-line" $port "$@" >>"$results/midi" 2>>"$results/midi.err" &
  other=$!
}

# readers: the number of threads that read serial ports.
readers() { cat /proc/"$metronome"/task/*/comm | grep -cx 'midi in'; }

# the_port_is_removed TIMES: after the other machine has ended.
the_port_is_removed() {
  wait "$other"
  mark source unplug
  sleep 0.2
  logged "$1" "the MIDI input $port was removed; waiting for it"
  check "$run: no thread without a port" 0 "$(readers)"
}

plug

# --- The box follows ---------------------------------------------------------------------------------------------------
configuration <<END
audio: {device: none}
# It would show the stop, which the box gets 0.3 ms after its time in the record.
outputs: {pendulum: {line: none}}
midi: {in: $port, transport: follow}
END
outputs=2
start_metronome even source=midi lateness_us=40
check 'no thread before the port appears' 0 "$(readers)"
line 133 133 60
sleep 2
logged 1 "the MIDI input $port is connected as $port"
check 'one thread with the port' 1 "$(readers)"
the_port_is_removed 1
mark source plug
line 97.3 97.3 40
sleep 2
logged 2 "the MIDI input $port is connected as $port"
the_port_is_removed 2
logged 3 'locked to the MIDI clock at 133 BPM'
end_metronome TERM

start_metronome ramp source=midi lateness_us=150
line 80 160 120
the_port_is_removed 1
end_metronome TERM

# --- The control loop is busy ------------------------------------------------------------------------------------------
# Measured at most 2.04 µs.
start_metronome busy source=midi lateness_us=40
line 133 133 60
sleep 20
for pause in 0.013 0.009 0.031 0.017 0.05 0.021 0.15 0.011 0.027 0.043; do
  stall_control $pause
done
sleep 5
stall_control 3
the_port_is_removed 1
logged 0 'lost bytes'
end_metronome TERM

# --- The box leads -----------------------------------------------------------------------------------------------------
configuration <<END
tempo: 133.7
audio: {device: none}
midi: {out: [{device: $port}]}
END
outputs=3
start_metronome leads port=none
mark port gone
line
mark port back
sleep 1.5
logged 1 "the MIDI output $port is connected as $port"
press play
sleep 7.003
press faster
sleep 3
press denominator
sleep 5.1
press denominator
sleep 3.7
press play
sleep 1.71
press play
sleep 10.03
press play
sleep 1
end_metronome TERM
kill -TERM "$other"
wait "$other"
check 'the tools have no errors' '' "$(cat "$results/midi.err")"
