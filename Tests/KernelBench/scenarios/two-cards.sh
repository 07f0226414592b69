#: limit=600
#: kernel=snd_aloop.enable=1,1 snd_dummy.enable=0 snd_virmidi.enable=0
# Two cards whose clocks are 400 ppm apart play together for ten minutes. Then the second one is unplugged and plugged in again: the
# first one plays on, and the sound of the second one resumes. With `run --quick` one minute.
# shellcheck shell=sh disable=SC2154

if [ "${quick:-}" ]; then part=10; fi

# listen_to_second RUN: an ear at the other end of the second card.
listen_to_second() {
  "$here/ear" capture hw:Loopback_1,1 >"$results/$1.second" 2>>"$results/second.err" &
  second=$!
  sleep 0.2
}

plug
# Without a mark for the judge: at 200 ppm the rate of a Loopback card wanders.
"$here/knob" Loopback PCM 'PCM Rate Shift 100000' 1 0 99980 >>"$results/knob"
"$here/knob" Loopback_1 PCM 'PCM Rate Shift 100000' 1 0 100020 >>"$results/knob"
configuration <<'END_OF_FILE'
audio: {device: Loopback, second: {device: Loopback_1}}
END_OF_FILE
listen
listen_to_second together
start_metronome together settle_s=10
press play
plays 300.3
press faster
plays 300
end_metronome TERM
kill -TERM $second
wait $second
logged 2 'audio: locked'
logged 1 ' audio: locked [+](1[789]|2[012])[0-9]\.[0-9] ppm'
logged 1 'second audio: locked -(1[789]|2[012])[0-9]\.[0-9] ppm'

"$here/ear" capture hw:Loopback_1,1 >"$results/gone" 2>>"$results/second.err" &
second=$!
sleep 0.2
start_metronome unplugged settle_s=10
press play
sleep 10.3
echo snd_aloop.1 >/sys/bus/platform/drivers/snd_aloop/unbind &
unbinding=$!
wait $second
sleep 3
wait $unbinding
logged 1 'second audio: waiting for'
echo snd_aloop.1 >/sys/bus/platform/drivers/snd_aloop/bind
sleep 15.2
end_metronome TERM
stop_listening
logged 2 'second audio: locked'
logged 3 'audio: locked'
logged 1 'audio: waiting for'
