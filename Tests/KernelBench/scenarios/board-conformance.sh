#: quick=both
# Runs the conformance suite of the simulated board on the real one.
# shellcheck shell=sh disable=SC2154

plug
code=0
# With real-time priority, like the program's MIDI thread: the kernel's worker cannot empty a MIDI output before it is full.
chrt --fifo 1 "$here/board-conformance" "$header" hw:Loopback,0 "$here/hand-device" "$here/midi-source" </dev/null \
  >"$results/board-conformance.out" 2>"$results/board-conformance.err" || code=$?
check 'the real board passes the conformance suite' 0 $code
check 'the suite reports no failure' 1 "$(grep -cx '[1-9][0-9]* passed, 0 failed' "$results/board-conformance.out")"
