#: kernel=ssl0=pts
#: root=host
# A serial port whose device accepts no byte: a driver of the kernel, at whose other end nobody reads. This driver does not even discard
# what is queued, so that closing the port takes the kernel 30 s. The beat and the keep-alives do not notice it: not when a reload removes
# the port, not when it fails and is retried, and not when it is open at the end of the program.
# shellcheck shell=sh disable=SC2034,SC2154

port=/dev/ttyS0
# A keep-alive each 100 ms.
export NOTIFY_SOCKET=/run/notify WATCHDOG_USEC=400000
"$here/manager" "$NOTIFY_SOCKET" >"$results/told" 2>"$results/manager.err" &
manager=$!
sleep 0.2

seconds() { cut -d' ' -f1 /proc/uptime; }

# longest_gap: between two keep-alives, in milliseconds, rounded up.
longest_gap() {
  awk '/WATCHDOG=1/ { if (last && $1 - last > gap) gap = $1 - last; last = $1 } END { print int((gap + 999999) / 1000000) }' \
    "$results/told"
}

with_port() {
  configuration <<END
tempo: 240
audio: {device: none}
midi: {out: [{device: $port, notes: {}}]}
END
}

without_port() {
  configuration <<END
tempo: 240
audio: {device: none}
END
}

plug
# Until the other end and the driver are full.
began=$(seconds)
dd if=/dev/zero of=$port bs=1024 count=200 oflag=nonblock 2>/dev/null || true
check 'the kernel waits half a minute for this port' yes \
  "$(echo "$began $(seconds)" | awk '{ took = $2 - $1; print (took > 29) ? "yes" : took }')"

# is_open: whether the program has the port open.
is_open() { ls -l "/proc/$metronome/fd" | grep -o $port || true; }

# --- A reload removes the open port, and the next ones bring it back ----------------------------------------------------
with_port
start_metronome refuses
logged 1 "the MIDI output $port is connected as $port"
press play
sleep 1
check "$run: the port is open" $port "$(is_open)"
without_port
reload
sleep 0.5
check "$run: the port is closed" '' "$(is_open)"
for _ in 1 2 3; do
  with_port
  reload
  sleep 0.01
  without_port
  reload
  sleep 0.01
done
with_port
reload
sleep 1
logged 0 'does not work'

# --- It fails, and is retried -------------------------------------------------------------------------------------------
sleep 200
logged 1 "the MIDI output $port does not work: it accepts no more bytes; it is retried after pauses of 1 s to 60 s"
logged 0 'works again'
check "$run: lines about the port" 3 "$(grep -c "$port" "$results/$run.err")"
end_metronome TERM
gap=$(longest_gap)
check 'a keep-alive is at most 100 ms late' yes "$([ "$gap" -le 200 ] && echo yes || echo "$gap ms apart")"

# --- The program ends while it is open ----------------------------------------------------------------------------------
sleep 35
start_metronome ends
press play
sleep 1
check "$run: the port is open" $port "$(is_open)"
began=$(seconds)
end_metronome TERM
took=$(echo "$began $(seconds)" | awk '{ print int(($2 - $1) * 1000) }')
check 'the program ends within 0.5 s' yes "$([ "$took" -le 500 ] && echo yes || echo "$took ms")"
echo "keep-alives at most $gap ms apart, one each 100 ms; the end took $took ms" >"$results/figures"
kill "$manager"
wait "$manager" || true
