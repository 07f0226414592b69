#: kernel=snd_dummy.enable=0 snd_aloop.enable=0 snd_virmidi.enable=0
# A machine without a sound card: with any card allowed the lights play without it; a card configured by name is waited for,
# or with --no-wait it is an error.
# shellcheck shell=sh disable=SC2034,SC2154

check 'there is no card' '--- no soundcards ---' "$(sed 's/^ *//' /proc/asound/cards)"
plug
echo 'audio: {device: auto}' | configuration
start_metronome without-card card=none
press play
sleep 30
press faster
sleep 30
end_metronome TERM
check 'the missing card is mentioned once' 1 "$(grep -ciE 'sound|audio|card' "$results/without-card.err")"

echo 'audio: {device: Headphones}' | configuration
options=--no-wait
refuses named-card 69 'Headphones'
options=
start_metronome without-named-card card=none
logged 1 'audio: waiting for Headphones'
press play
sleep 10
end_metronome TERM
logged 1 'Headphones'
