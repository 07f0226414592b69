#: limit=600
#: root=host
#: quick=no
# Hours of playing on the Dummy card, with presses all along that leave the tempo as it is: so many beats that they can be
# counted, none missing; and nothing that grows. From outside it is said how many hours, and how many frames are written to the
# card at a time: with many of them an hour takes seconds.
# shellcheck shell=sh disable=SC2154

hours=${soak_hours:-1} period=${soak_period:-4096}
# The card's buffer of four periods and the beginning of a click, in whole milliseconds, and two more.
lead=$((((4 * period + 31) * 1000 + 47999) / 48000 + 2))
plug
configuration <<END
audio: {device: "hw:Dummy,0", period: $period}
END
start_metronome soak sound=unheard lead_ms=$lead
begun=$(cut -d. -f1 /proc/uptime)
uptime_until $((begun + 1))
press play

# at SECONDS: sleeps until so long after the press.
at() { uptime_until "$((begun + 1 + ${1%.*})).${1#*.}"; }

# Every minute something else is done, each time a little later within its beat: the beats are half a second apart.
do_something() {
  case $(($1 % 7)) in
    0) press numerator ;;
    1) press_bouncing numerator ;;
    2) chord slower faster ;;   # slower, taken back: the tempo as configured, and every beat as if nothing had been
    3) press_bouncing tap ;;    # a single tap is no tempo
    4) press numerator 1 ;;     # fewer, and fewer
    5) chord faster slower ;;
    6) for _ in 1 2 3; do press numerator; done ;;
  esac
}

at 60.0
memory=$(resident) files=$(handles) loops=$(threads)
echo "after a minute: $memory kB, $files files, $loops threads" >"$results/figures"
turn=0
while [ $turn -lt $((hours * 60 - 2)) ]; do
  at $((turn * 60 + 71)).$(printf %03d $((turn * 137 % 1000)))
  do_something $turn
  turn=$((turn + 1))
done
at $((hours * 3600 - 2)).0
echo "after $hours hours: $(resident) kB, $(handles) files, $(threads) threads" >>"$results/figures"
check 'as many files are open as after a minute' "$files" "$(handles)"
check 'as many threads run' "$loops" "$(threads)"
grown=$(($(resident) - memory))
check 'its memory has grown by 1 MB at the most' yes "$([ $grown -le 1024 ] && echo yes || echo "by $grown kB")"
# The first beat fell the lead after the press, and each half second another: this is halfway to the one that would be too many.
end=$((hours * 3600000 - 250 + lead))
at "$((end / 1000)).$(printf %03d $((end % 1000)))"
press play
mark "require beats=$((hours * 7200)) presses=$((hours * 60 - 2))"
sleep 0.5
mark figures
kill -USR1 "$metronome"
sleep 0.5
said 1 "\"beats\":$((hours * 7200)),\"skipped\":0,.*\"missed_clicks\":0,\"xruns\":0,\"reopenings\":0,.*\"failed_sets\":0"
end_metronome TERM
said 1 'audio: locked [-+]0\.[0-9] ppm'
said 0 'left them out|ran dry|refused'
