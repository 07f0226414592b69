#: limit=400
# The companions of a box: each is installed without the other, works in its sandbox, and is stopped, killed, flooded and
# purged, while the beat goes on.
# shellcheck shell=sh disable=SC2034,SC2154

# unit_is UNIT STATE
unit_is() { [ "$(systemctl show -P ActiveState "$1")" = "$2" ]; }

# exposure_of UNIT
exposure_of() { systemd-analyze security "$1" | sed -n 's/.*Overall exposure level for [^:]*: \([0-9.]*\).*/\1/p'; }

# request METHOD TARGET LINES: sends a request with these further lines to the page, and prints the printable part of what arrives
# within two seconds.
request() {
  bash -c 'exec 3<>/dev/tcp/127.0.0.1/80 && printf "%s %s HTTP/1.1\r\nHost: localhost\r\n%b\r\n" "$1" "$2" "$3" >&3 && timeout 2 cat <&3' - "$@" |
    tr -c '[:print:]' '\n'
}

web() { request GET "$@"; }

# ask NAME TOKEN: the answer to a phone that asks to be paired. Without a token it is a new phone.
ask() { request POST "/pair?name=$1" "Origin: http://localhost\r\nUser-Agent: $1\r\n${2:+Cookie: token=$2\r\n}Content-Length: 0\r\n"; }
token_of() { sed -n 's/.*[Cc]ookie: token=\([0-9a-f]*\).*/\1/p' "$results/$1.asked"; }
number_of() { grep -xE '[1-6]{3}' "$results/$1.asked"; }
is_paired() { ask "$1" "$(token_of "$1")" | grep -q ' 204 '; }

# shown SINCE UNTIL: the number that the light has shown, digit by digit.
shown() {
  flash_instants | awk -v since="$1" -v until="$2" '
    $1 < since || $1 > until { next }
    count && $1 - last > 0.6 { printf "%d", count; count = 0 }
    { count++; last = $1 }
    END { print count }'
}

# streams: whether the server of the page is connected to the box.
streams() {
  web /socket 'Origin: http://localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' |
    grep -q 'box connected=1'
}

# link_says PATTERN: whether metronome-link has logged it.
link_says() { journalctl --no-pager -o cat -u metronome-link | grep -qE -- "$1"; }

boot_1() {
  holds 'the service is active' within 20 is_active

  # One without the other.
  check 'apt installs metronome-remote' 0 "$(apt install "$here/metronome-remote.deb")"
  check 'its page is off' inactive "$(systemctl show -P ActiveState metronome-remote.socket)"
  check 'its socket can be enabled' 0 "$(systemctl enable --now metronome-remote.socket >"$results/enabled" 2>&1 && echo 0)"
  holds 'its server runs before anybody has opened the page' within 5 unit_is metronome-remote.service active
  holds 'the page is served' sh -c "$(command -v bash) -c 'exec 3<>/dev/tcp/127.0.0.1/80'"
  web / '' >"$results/page"
  holds 'the page is answered' grep -q '200' "$results/page"
  holds 'it is the page' grep -qi '<title>' "$results/page"
  holds 'it is connected to the box' within 5 streams
  web / 'Host: evil.example\r\n' >"$results/evil"
  holds 'a second host is refused' grep -qE 'HTTP/1.1 4' "$results/evil"
  score=$(exposure_of metronome-remote.service)
  figure "exposure of metronome-remote $score"
  holds 'its exposure is at most 0.3' awk "BEGIN { exit !(\"$score\" != \"\" && $score <= 0.3) }"
  pid=$(systemctl show -P MainPID metronome-remote.service)
  check 'it sees no state folder but its own' "metronome-remote " "$(find "/proc/$pid/root/var/lib" -mindepth 1 -maxdepth 1 -printf "%f ")"
  check 'apt removes metronome-remote' 0 "$(apt purge metronome-remote)"
  check 'apt installs metronome-link' 0 "$(apt install "$here/metronome-link.deb")"
  holds 'it is active' within 10 unit_is metronome-link.service active
  holds 'it is connected in its role' within 5 link_says 'connected to the metronome as link'
  score=$(exposure_of metronome-link.service)
  figure "exposure of metronome-link $score"
  holds 'its exposure is at most 1.0' awk "BEGIN { exit !(\"$score\" != \"\" && $score <= 1.0) }"
  check 'apt installs metronome-remote again' 0 "$(apt install "$here/metronome-remote.deb")"
  systemctl enable --now metronome-remote.socket >"$results/enabled" 2>&1

  # A stranger asks to be paired, and then the owner's phone. The box shows both numbers, each for ten seconds, the first one at once,
  # and the person presses at that of his phone. The press of play plays two beats until the chord is held.
  for name in stranger owner; do ask $name >"$results/$name.asked"; done
  opened=$(uptime_seconds)
  chord play denominator 0.6
  sleep 19
  figure "the numbers of stranger and owner $(number_of stranger) $(number_of owner)"
  check 'the box shows the number of the phone that asked first' "$(number_of stranger)" "$(shown "$(echo "$opened" | awk '{ print $1 + 0.75 }')" "$(echo "$opened" | awk '{ print $1 + 10.5 }')")"
  check 'then the number of the other one' "$(number_of owner)" "$(shown "$(echo "$opened" | awk '{ print $1 + 10.5 }')" "$(uptime_seconds)")"
  chord play denominator 0.6
  holds 'the phone whose number is shown is paired' within 5 is_paired owner
  check 'the other one is not' no "$(is_paired stranger || echo no)"
  check 'all phones are forgotten at the box' 0 "$(metronome send forget_phones >"$results/forgotten" 2>&1 && echo 0)"
  sleep 1
  check 'the phone is not paired any more' no "$(is_paired owner || echo no)"

  # The beat does not notice what happens to them.
  begin_run accompanied
  press play
  sleep 3
  holds 'the page is connected while the box plays' streams
  systemctl kill -s KILL metronome-remote.service
  systemctl kill -s STOP metronome-link.service
  sleep 4
  holds 'the page is back' within 5 streams
  systemctl kill -s CONT metronome-link.service
  systemctl kill -s KILL metronome-link.service
  holds 'metronome-link is connected again' within 10 sh -c \
    '[ "$(journalctl --no-pager -o cat -u metronome-link | grep -c "connected to the metronome as link")" -ge 2 ]'
  for attempt in $(seq 150); do
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/80 && head -c 400 /dev/urandom >&3; sleep 2' >/dev/null 2>&1 &
  done
  sleep 4
  holds 'the page is served after garbage' within 5 streams
  systemctl restart metronome-remote.service metronome-link.service
  sleep 2
  check 'both are purged' 0 "$(apt purge metronome-remote metronome-link)"
  sleep 2
  end_run
  check 'nothing of them is left' '' "$(find /usr/bin /usr/share /usr/lib/systemd /lib/systemd /etc /var/lib -name '*metronome-remote*' -o -name '*metronome-link*' |
    grep -vE '^/var/lib/(dpkg|apt|systemd)/')"
  systemctl start $service
  holds 'the service is active without them' within 20 is_active
  check 'the log has no error' '' "$(journalctl --no-pager -o cat -u $service | grep -iE 'refused|denied|not permitted|without')"
}
