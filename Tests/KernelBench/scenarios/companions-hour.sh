#: limit=3000
#: root=host
# An hour of a rhythm with sound, with metronome-remote and metronome-link: again and again, in a random order, each is killed, stopped,
# restarted and flooded, and so is the control socket. The beats must stay exact, and after each attack the box answers a good
# client. With `run --quick` each attack once, and shorter, with a MIDI clock and recorded sound. The hour leaves these out, because they
# are slow to simulate.
# shellcheck shell=sh disable=SC2034,SC2154

state=/run/state
socket=$state/control
client() { "$here/control-client" $socket "$@" 2>>"$results/client.err"; }
network() { "$here/network-client" "$@" 2>>"$results/client.err"; }
note() { echo "$*" >>"$results/figures"; }

if [ "${quick:-}" ]; then
  seconds=60 long=2 pause_ms=1900 audio='{device: "hw:Loopback,0"}'
else
  seconds=${seconds:-3600} long=20 pause_ms=${pause_ms:-80000} audio='{device: "hw:Dummy,0", period: 4096}'
fi
seed=${seed:-1}
# draw LIMIT: sets `drawn` to a number from 0 to LIMIT - 1.
draw() {
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  drawn=$((seed / 65536 % $1))
}

# --- The companions, as their units run them ----------------------------------------------------------------------------
# The kernel uses this machine's root folder, so the users are added to copies of its files.
for file in passwd group; do grep -v '^metronome' /etc/$file >/run/$file; done
for name in metronome-remote:9001 metronome-link:9002; do
  echo "${name%:*}:x:${name#*:}:${name#*:}::/:/usr/sbin/nologin" >>/run/passwd
  echo "${name%:*}:x:${name#*:}:" >>/run/group
done
echo 'metronome:x:9000:' >>/run/group
for file in passwd group; do mount --bind /run/$file /etc/$file; done
mkdir -m 2750 $state
chgrp metronome $state
install -d -o metronome-remote -m 700 /run/phones
ip link set lo up
ip link set lo multicast on
ip route add 224.0.0.0/4 dev lo

# as NAME COMMAND...: as the user of a companion.
as() {
  user=$1
  shift
  setpriv --reuid="$user" --regid="$user" --groups=metronome "$@"
}

# begin_companion NAME PORT COMMAND...
begin_companion() {
  name=$1 port=$2
  shift 2
  "$here/network-client" keep "$port" "/run/$name" "$@" 2>>"$results/$name.err" &
  eval "keeper_$port=$!"
}

# companion NAME: its process.
companion() { cat "/run/metronome-$1"; }

# note_peak NAME: notes the largest resident memory of its process so far, in kB.
note_peak() { sed -n "s/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p" "/proc/$(companion "$1")/status" >>"$results/peak.$1"; }

# peak NAME: the largest resident memory of all its processes.
peak() { sort -n "$results/peak.$1" | tail -n 1; }

# connections: how often metronome-link has connected to the box.
connections() { grep -c 'connected to the metronome as link' "$results/metronome-link.err" || true; }

# --- The attacks --------------------------------------------------------------------------------------------------------
stop_and_continue() {
  kill -STOP "$(companion "$1")"
  sleep $((long / 2))
  kill -CONT "$(companion "$1")"
}
remote_killed() { kill -KILL "$(companion remote)"; }
remote_restarted() { kill -TERM "$(companion remote)"; }
remote_stopped() { stop_and_continue remote; }
remote_flooded() { network assault 80 1000 "$long" >>"$results/assault"; }
link_killed() { kill -KILL "$(companion link)"; }
link_restarted() { kill -TERM "$(companion link)"; }
link_stopped() { stop_and_continue link; }
link_flooded() { network datagrams $((long * 10000)) 100 >>"$results/datagrams"; }
# By programs with each of the roles.
socket_flooded() {
  client flood $((long * 10000)) 100 >>"$results/flood" &
  one=$!
  as metronome-remote "$here/control-client" $socket flood $((long * 1000)) 1000 >>"$results/flood" 2>>"$results/client.err" &
  two=$!
  as metronome-link "$here/control-client" $socket flood $((long * 1000)) 1000 >>"$results/flood" 2>>"$results/client.err" &
  wait $one
  wait $two
  wait $!
}
socket_crowded() {
  for _ in 1 2 3; do client crowd 1000 3 >>"$results/crowd"; done
}
socket_unread() { client deaf 120 >>"$results/deaf"; }
attacks='remote_killed remote_restarted remote_stopped remote_flooded link_killed link_restarted link_stopped link_flooded'
attacks="$attacks socket_flooded socket_crowded socket_unread"

# step_back_and_forth: a command of a good client, which the judge expects to be carried out. The tempo is the first one again
# after two commands.
way=slower
step_back_and_forth() {
  if [ $way = faster ]; then way=slower; else way=faster; fi
  check "$1: the box answers $way" 'done' "$(client do "$tracing/trace_marker" $way)"
}

# all_attacks: each of them once, in a random order.
all_attacks() {
  draw 32768
  for attack in $(echo $attacks | tr ' ' '\n' | awk -v seed="$drawn" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort | cut -d ' ' -f 2); do
    draw "$pause_ms"
    sleep "$((drawn / 1000)).$(printf %03d $((drawn % 1000)))"
    before=$(connections) remote=$(companion remote) link=$(companion link)
    mark "attack $attack"
    note_peak remote
    note_peak link
    $attack
    step_back_and_forth "$attack"
    check "$attack: the page shows the box" answered "$(network look 80 15)"
    sleep 3
    if [ $way = faster ]; then bpm=134.70; else bpm=133.70; fi
    check "$attack: metronome-link has the tempo of the box" "0 peers, $bpm BPM" \
      "$(sed -n 's/.*: \(.* peers, .*\)/\1/p' "$results/metronome-link.err" | tail -n 1)"
    case $attack in
      remote_killed | remote_restarted) remote=$(companion remote) ;;
      link_killed | link_restarted)
        check "$attack: metronome-link is connected again" $((before + 1)) "$(connections)"
        link=$(companion link)
        ;;
    esac
    check "$attack: no other process has ended" "$remote $link" "$(companion remote) $(companion link)"
  done
}

# --- The hour -----------------------------------------------------------------------------------------------------------
rhythm='Xooo|x.xo|Yo|o. swing=62% & 4:3 sound=cowbell'
plug
meter
metronome_as="setpriv --regid=metronome --clear-groups $metronome_as"
if [ "${quick:-}" ]; then midi='midi: {out: [{device: "hw:CARD=VirMIDI,DEV=0"}]}'; else midi=; fi
configuration <<END
tempo: 133.7
rhythm: "$rhythm"
audio: $audio
$midi
outputs:
  light: {levels: [strong, medium, weak, ghost], pulse_ms: {strong: 20, medium: 15, weak: 10, ghost: 5}}
  buzzer: {levels: [strong, medium, weak], pulse_ms: {strong: 40, medium: 28, weak: 20, ghost: 8}}
END
if [ "${quick:-}" ]; then
  render_sounds
  listen
  "$here/midi-ear" 0 1 >"$results/midi" 2>"$results/midi.err" &
  receiver=$!
  sleep 0.3
fi
# shellcheck disable=SC2086 # several words
start_metronome accompanied
begin_companion metronome-remote 80 unshare --net setpriv --reuid=metronome-remote --regid=metronome-remote --groups=metronome \
  env STATE_DIRECTORY=/run/phones "$here/metronome-remote" --control $state --page "$here/Page"
begin_companion metronome-link 0 setpriv --reuid=metronome-link --regid=metronome-link --groups=metronome \
  "$here/metronome-link" --socket $socket
check 'the page shows the box' answered "$(network look 80 15)"
check 'metronome-link has its role' 1 "$(connections)"
begun=$(cut -d. -f1 /proc/uptime)
"$here/network-client" page 80 $seconds >"$results/page" 2>>"$results/client.err" &
page=$!
press play
sleep 5.3
# In the kernel, a worker thread carries the bytes from the sending port to the receiving one. Without real-time priority it runs after
# the processes that woke up before it. The judge would then see the delay of this thread, not of the program.
if [ "${quick:-}" ]; then
  workers=$(grep -l '^kworker/0:[0-9]*H' /proc/[0-9]*/comm)
  for worker in $workers; do chrt -f -p 1 "$(echo "$worker" | tr -dc 0-9)"; done
fi
beats=$(metered beats)
sound=$(metered audio)
all_attacks
memory=$(resident) files=$(handles) loops=$(threads) rounds=1
note "after round 1: $memory kB, $files files, $loops threads"
while [ $(($(cut -d. -f1 /proc/uptime) - begun)) -lt "$seconds" ]; do
  all_attacks
  rounds=$((rounds + 1))
done
wait $page
sleep 3
note "after round $rounds: $(resident) kB, $(handles) files, $(threads) threads"
note_peak remote
note_peak link
note "metronome-remote at most $(peak remote) kB, metronome-link at most $(peak link) kB"
check 'the companions stay below 40 MB' yes \
  "$([ "$(peak remote)" -le 40960 ] && [ "$(peak link)" -le 40960 ] && echo yes)"
grown=$(($(resident) - memory))
check 'the memory does not grow' yes "$([ $grown -le 128 ] && echo yes || echo $grown)"
check 'the number of open files' "$files" "$(handles)"
check 'the number of threads' "$loops" "$(threads)"
check 'allocations, frees and references on the beat thread' "$beats" "$(metered beats)"
check 'allocations, frees and references on the audio thread' "$sound" "$(metered audio)"
note "$(wc -l <"$results/accompanied.err") lines in the log"
note "$(awk '{ print $1 " pages, " $2 " messages, " $3 " WebSockets, " $4 " failures of the good page" }' "$results/page")"
note "$(awk '{ n += $1 } END { print n " connections of the assault" }' "$results/assault")"
note "$(awk '{ n += $1 } END { print n " datagrams" }' "$results/datagrams")"
note "$(awk '{ n += $1; m += $2 } END { print n " messages, " m " answers" }' "$results/flood")"
check 'the good page is served and follows the box' '' "$(awk -v seconds="$seconds" '$1 < seconds / 2 || $2 < seconds * 4' "$results/page")"
check 'each assault opens a thousand connections' '' "$(awk '$1 < 1000' "$results/assault")"
check 'each flood of datagrams is sent' '' "$(grep -vx $((long * 10000)) "$results/datagrams" || true)"
check 'each flood stays connected' '' "$(grep -v ' open$' "$results/flood" || true)"
# The kernel refuses a few of them, because more than the backlog wait at once.
check 'thousands of connections are closed' '' "$(awk '$1 < 900 || $1 != $2' "$results/crowd")"
check 'clients that do not read are disconnected' '' "$(grep -vx closed "$results/deaf" || true)"
eval "kill \$keeper_80 \$keeper_0"
kill "$(companion remote)" "$(companion link)"
end_metronome TERM
if [ "${quick:-}" ]; then
  stop_listening
  kill -TERM "$receiver"
  wait "$receiver"
  check 'the receiver has no errors' '' "$(cat "$results/midi.err")"
fi
check 'the clients have no errors' '' "$(cat "$results/client.err")"
