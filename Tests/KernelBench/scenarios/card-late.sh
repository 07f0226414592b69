# A missing sound card that is configured by name is waited for: the lights play, and the clicks start when it appears.
# shellcheck shell=sh disable=SC2034,SC2154

plug
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind
echo 'audio: {device: Loopback}' | configuration
options=--no-wait
refuses without-waiting 69 'Loopback'
for options in '' --wait; do
  echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind 2>/dev/null || true
  start_metronome "late$options"
  logged 1 'audio: waiting for Loopback'
  sleep 5
  echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/bind
  sleep 1
  logged 1 'audio: .*Loopback plays'
  listen
  sleep 0.5
  press play
  sleep 20
  end_metronome TERM
  stop_listening
done
