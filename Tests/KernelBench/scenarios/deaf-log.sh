#: limit=60
# The log goes to a full pipe that no process reads: presses still work, and a signal ends the program.
# shellcheck shell=sh disable=SC2154

plug
echo 'audio: {device: none}' | configuration
mkfifo /run/deaf
exec 3<>/run/deaf
dd if=/dev/zero of=/run/deaf oflag=nonblock bs=4096 2>"$results/filled" || true
check 'the pipe is full' 1 "$(grep -c 'temporarily unavailable' "$results/filled")"
ln -s /run/deaf "$results/deaf.err"
start_metronome deaf
press play
sleep 3.3
press faster
sleep 3
press numerator
sleep 3
end_metronome TERM
rm "$results/deaf.err"
