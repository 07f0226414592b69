#: limit=60
# The chip goes away while it plays: it says so once, waits without spinning, and ends when told to.
# shellcheck shell=sh disable=SC2154

plug
echo 'audio: {device: none}' | configuration
launch unplugged
press play
sleep 1.2
unplug
sleep 1
before=$(ticks)
sleep 3
grown=$(($(ticks) - before))
check 'fewer than 20 ticks of the processor in 3 s' yes "$(if [ $grown -lt 20 ]; then echo yes; else echo $grown; fi)"
check 'it runs on' yes "$(kill -0 "$metronome" && echo yes)"
end_metronome TERM
check 'the buttons are mentioned once' 1 "$(grep -ci button "$results/unplugged.err")"
