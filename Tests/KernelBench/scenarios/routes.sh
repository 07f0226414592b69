# Sounds on the channels of their routes, and nothing on any other: a card of five channels with the count-in for all, another one with
# ten, of which the default uses two, one ear, and other routes after a reload.
# shellcheck shell=sh disable=SC2154

# record COUNT SECONDS: opens this many channels of the card's other end.
record() {
  "$here/ear" channels hw:Loopback,1 "$1" "$2" >"$results/channels.$1" 2>>"$results/channels.err" &
  recorder=$!
  sleep 0.2
}
# heard COUNT CHANNEL: how many sounds are on a channel; peak: the highest magnitude.
heard() { awk -v channel="$2" '$1 == channel { print $2 }' "$results/channels.$1"; }
peak() { awk -v channel="$2" '$1 == channel { print $3 }' "$results/channels.$1"; }
# silent COUNT CHANNEL...: these channels are zero to the bit.
silent() {
  count=$1
  shift
  for channel; do check "channel $channel of $count" '0 0' "$(heard "$count" "$channel") $(peak "$count" "$channel")"; done
}

plug
configuration <<'END'
audio:
  device: "hw:Loopback,0"
  routes: [{channels: [3, 4]}, {channels: 1, play: count_in, gain_db: -6}, {channels: 2, play: count_in}]
count_in: 1
END
record 5 6
launch five
press play
sleep 3.7
press play
wait $recorder
check 'the count-in for all' '4 4' "$(heard 5 1) $(heard 5 2)"
check 'the headphones' '8 8' "$(heard 5 3) $(heard 5 4)"
check '6 dB softer, within 0.1 dB' yes "$(awk -v a="$(peak 5 1)" -v b="$(peak 5 2)" 'BEGIN {
  decibels = 20 * log(a / b) / log(10); print (decibels > -6.1 && decibels < -5.9 ? "yes" : decibels) }')"
silent 5 5
end_metronome TERM

configuration <<'END'
audio: {device: "hw:Loopback,0"}
END
record 10 4
launch ten
press play
sleep 2.2
press play
wait $recorder
check 'the default' '5 5' "$(heard 10 1) $(heard 10 2)"
silent 10 3 4 5 6 7 8 9 10
end_metronome TERM

configuration <<'END'
audio: {device: "hw:Loopback,0", routes: [{channels: 1}]}
END
record 2 4
launch ear
press play
sleep 2.2
press play
wait $recorder
check 'the left ear' 5 "$(heard 2 1)"
silent 2 2
end_metronome TERM
check 'the recorder has no errors' '' "$(cat "$results/channels.err")"
