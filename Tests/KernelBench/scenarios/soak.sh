#: limit=600
#: root=host
#: quick=no
# Hours of playing on the Dummy card, with presses that leave the tempo unchanged: the beats can be counted, none may be
# missing, and no resource may grow.
# The environment sets the hours and the frames per period. Time is virtual: with long periods, an hour takes seconds to run.
# shellcheck shell=sh disable=SC2154

hours=${soak_hours:-1} period=${soak_period:-4096}
# The lead: a buffer of four periods and the 31 frames before a delayed click, rounded up to milliseconds, plus 2 ms.
lead=$((((4 * period + 31) * 1000 + 47999) / 48000 + 2))
plug
configuration <<END
audio: {device: "hw:Dummy,0", period: $period}
END
start_metronome soak
begun=$(cut -d. -f1 /proc/uptime)
uptime_until $((begun + 1))
press play

# at SECONDS: sleeps until this time after the press.
at() { uptime_until "$((begun + 1 + ${1%.*})).${1#*.}"; }

# do_something NUMBER: performs one of seven actions.
do_something() {
  case $(($1 % 7)) in
    0) press numerator ;;
    1) press_bouncing numerator ;;
    2) chord slower faster ;;   # the chord undoes the first press and resets the tempo: no beat moves
    3) press_bouncing tap ;;    # a single tap gives no tempo
    4) press numerator 1 ;;     # held: the numerator decreases repeatedly
    5) chord faster slower ;;
    6) for _ in 1 2 3; do press numerator; done ;;
  esac
}

at 60.0
memory=$(resident) files=$(handles) loops=$(threads)
echo "after a minute: $memory kB, $files files, $loops threads" >"$results/figures"
# One action a minute, each 137 ms later within its second: the actions come at different times within a beat.
turn=0
while [ $turn -lt $((hours * 60 - 2)) ]; do
  at $((turn * 60 + 71)).$(printf %03d $((turn * 137 % 1000)))
  do_something $turn
  turn=$((turn + 1))
done
at $((hours * 3600 - 2)).0
echo "after $hours hours: $(resident) kB, $(handles) files, $(threads) threads" >>"$results/figures"
check 'the number of open files is the same as after one minute' "$files" "$(handles)"
check 'the number of threads is unchanged' "$loops" "$(threads)"
grown=$(($(resident) - memory))
check 'memory has grown by at most 1 MB' yes "$([ $grown -le 1024 ] && echo yes || echo "by $grown kB")"
# The first beat was one lead after the press, the others at half-second intervals. The end is halfway between the last
# expected beat and the next one.
end=$((hours * 3600000 - 250 + lead))
at "$((end / 1000)).$(printf %03d $((end % 1000)))"
press play
sleep 0.5
kill -USR1 "$metronome"
sleep 0.5
logged 1 "\"beats\":$((hours * 7200)),\"failed_sets\":0,.*\"missed_clicks\":0,\"reopenings\":0,\"skipped\":0,.*\"xruns\":0"
end_metronome TERM
logged 1 'audio: locked [-+]0\.[0-9] ppm'
logged 0 'woke up too late|underruns|setting the GPIO lines failed'
