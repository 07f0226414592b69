#: limit=1500
#: root=host
# Two metronomes, of which one follows the other's MIDI clock: at one tempo, along a ramp from 80 to 160 BPM in two minutes, and with
# the cable unplugged for 30 s. With `run --quick` only 20 s at one tempo, with `run --with seconds=3600` an hour.
# shellcheck shell=sh disable=SC2034,SC2154

cable() { "$here/midi-source" 0 2 "$1" 2>>"$results/midi.err"; }

# The follower has a light on GPIO27, where the leader has its pendulum otherwise, and a button on GPIO7.
start_follower() {
  cat >"$results/follower.yaml" <<END
audio: {device: none}
midi: {in: "hw:CARD=VirMIDI,DEV=2", transport: follow}
outputs: {light: {line: GPIO27}, pendulum: {line: none}, buzzer: {line: none}}
buttons:
  play: {line: GPIO7}
  slower: {line: none}
  faster: {line: none}
  numerator: {line: none}
  denominator: {line: none}
  tap: {line: none}
END
  "$here/metronome" run --config "$results/follower.yaml" >"$results/follower.out" 2>>"$results/follower.err" </dev/null &
  follower=$!
  sleep 1
}

end_follower() {
  kill -TERM "$follower"
  wait "$follower"
}

# follows LIMIT [FROM UNTIL]: each light of the leader has one of the follower: in the first four beats, and between these times of the
# cable, within 20 ms; in the first ten seconds within 1 ms, and later within the limit, in microseconds.
follows() {
  check "$run: the lights of both" 'as promised' "$(awk -v run="bench run $run" -v one=$((base + 17)) -v two=$((base + 27)) -v limit="$1" \
    -v from="${2:-0}" -v until="${3:-0}" '
    index($0, run) { count[one] = count[two] = 0 }
    NF > 4 && $(NF - 3) == "gpio_value:" && $(NF - 1) == "set" {
      line = $(NF - 2)
      if ($NF && !level[line]) at[line, ++count[line]] = $(NF - 4) + 0
      level[line] = $NF
    }
    END {
      if (!count[one] || count[one] != count[two]) { print count[one], "and", count[two]; exit }
      for (beat = 1; beat <= count[one]; beat++) {
        light = at[one, beat]
        away = (at[two, beat] - light) * 1e6
        allowed = light - at[one, 1] < 10 ? 1000 : limit
        if (beat <= 4 || light >= from && light <= until) allowed = 20000
        if (away > allowed || -away > allowed) { print away, "µs apart at", light; exit }
      }
      print "as promised"
    }' "$tracing/trace")"
}

plug
buttons=5
cable plug

# --- One tempo ---------------------------------------------------------------------------------------------------------
configuration <<END
tempo: 133.7
audio: {device: none}
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}
outputs: {pendulum: {line: none}}
END
start_metronome even
start_follower
press play
if [ "${quick:-}" ]; then seconds=20; else seconds=${seconds:-120}; fi
sleep "$seconds"
press play
sleep 0.5
end_follower
end_metronome TERM
follows 100
check 'the follower plays the tempo' 1 "$(grep -c 'playing, locked to the MIDI clock at 133.7 BPM' "$results/follower.err")"

if [ "${quick:-}" ]; then exit 0; fi

# --- A ramp, and the cable unplugged -------------------------------------------------------------------------------------
cat >"$results/ramp.score" <<'END'
song "Ramp"
rise: 60 4/4 80>160
end:  *  4/4 160
END
configuration <<END
audio: {device: none}
score: ramp.score
midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}
outputs: {pendulum: {line: none}}
END
start_metronome ramp
start_follower
press play
sleep 140
from=$(cut -d' ' -f1 /proc/uptime)
cable unplug
sleep 30
cable plug
until=$(cut -d' ' -f1 /proc/uptime)
sleep 30
press play
sleep 0.5
end_follower
end_metronome TERM
follows 1000 "$from" "$((${until%.*} + 1))"
check 'the follower has noticed' 1 "$(grep -c 'MIDI clock lost, holding its tempo' "$results/follower.err")"
check 'the tools have no errors' '' "$(cat "$results/midi.err")"
