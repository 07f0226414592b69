# The suite that the simulated board passes, on the real one.
# shellcheck shell=sh disable=SC2154

plug
code=0
"$here/board-conformance" >"$results/board-conformance.out" 2>"$results/board-conformance.err" </dev/null || code=$?
check 'the real board passes the conformance suite' 0 $code
check 'the suite tells what passed' yes "$(if [ -s "$results/board-conformance.out" ]; then echo yes; fi)"
