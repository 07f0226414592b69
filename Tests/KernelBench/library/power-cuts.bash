# Repeated power cuts of a box. Must be sourced by `boot`.
# shellcheck shell=bash disable=SC2154

# Every fifth cut happens with the whole system and systemd. The other cuts, with the metronome alone, are quicker.
whole_every=5

# cut_power RELEASE
cut_power() {
  local release=$1 here=$work/$1/power-cut began=$SECONDS word=ok number said kept=$results/$1/power-cut
  mkdir -p "$here/results"
  ln "$work/$release"/kit/* "$here"
  cp "$bench/boots/power-cut.sh" "$here/scenario.sh"
  if boot_once "$here" power-cut "$release" 1; then
    # shellcheck disable=SC2064 # expanded now on purpose
    trap "kill_kernel '$here'; exit 143" TERM
    # One more boot than cuts: the state after the last cut must be correct too.
    for ((number = 1; number <= cuts + 1; number++)); do
      cut_once "$here" "$release" "$number" || break
    done
  fi
  said=$(cd "$bench/judge" && python3 -B cuts.py "$here/results" $((cuts + 1))) || word=FAILED
  report "$release" power-cut "$word" $((SECONDS - began)) "$said"
  [[ $word == ok ]] || log "$here"
  rm -rf "$kept"
  mkdir -p "$kept"
  cp -r "$here"/results/. "$kept"
  rm -rf "$here"
}

# cut_once FOLDER RELEASE NUMBER: boots, and cuts the power at a random moment of the presses and saves. The disk then has exactly
# the data that the kernel has written.
cut_once() {
  local here=$1 release=$2 number=$3 init=cut-init boot=1 console pid
  if ((number % whole_every == 0)); then init=init boot=2; fi
  console=$here/results/cut-$number.log
  rm -rf "$here/results/boot-2"
  mkdir "$here/results/boot-2"
  : >"$console"
  ln -sf "$console" "$here/console.log"
  # The subshell hides the shell's message that the process was killed.
  {
    "$bench/library/box" "$here" "$(disk_of "$release" power-cut "$here")" 300 "boot=$boot" "cut=$number" \
      time-travel=inf-cpu nohz=off "init=$init" || true
  } 2>/dev/null &
  pid=$!
  wait_for_saves "$console" $((RANDOM % 4)) $pid
  sleep "0.$(printf %03d $((RANDOM % 150)))"
  kill_kernel "$here"
  wait $pid 2>/dev/null || true
  grep -q ' playing' "$console"
}

# kill_kernel FOLDER: kills its process group; the last process to exit releases the disk.
kill_kernel() {
  local group
  group=$(cat "$1/kernel/pid" 2>/dev/null || echo 0)
  while ((group > 1)) && kill -KILL -- "-$group" 2>/dev/null; do sleep 0.01; done
}

# wait_for_saves CONSOLE COUNT PROCESS: waits until the box has played and saved this number of times, or has ended.
wait_for_saves() {
  local console=$1 count=$2 pid=$3
  until grep -q ' playing' "$console" && (($(grep -c '^acknowledged' "$console") >= count)); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.05
  done
}
