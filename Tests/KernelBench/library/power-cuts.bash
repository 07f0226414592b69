# A box whose power is cut, again and again. To be sourced by `boot`.
# shellcheck shell=bash disable=SC2154

# Each so many cuts it is the whole system that is cut, with systemd; the others, with the metronome alone, are quicker.
whole_every=5

# cut_power RELEASE
cut_power() {
  local release=$1 here=$work/$1/power-cut began=$SECONDS word=ok number said kept=$results/$1/power-cut
  mkdir -p "$here/results"
  ln "$work/$release"/kit/* "$here"
  cp "$bench/boots/power-cut.sh" "$here/scenario.sh"
  if boot_once "$here" power-cut "$release" 1; then
    # shellcheck disable=SC2064 # as it is now
    trap "kill_kernel '$here'; exit 143" TERM
    # One more than there are cuts: after the last, too, it must be as it was.
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

# cut_once FOLDER RELEASE NUMBER: boots, and cuts the power at some moment of the next presses and saves. What the kernel has
# written to the disk is what is on it.
cut_once() {
  local here=$1 release=$2 number=$3 init=cut-init boot=1 console pid
  if ((number % whole_every == 0)); then init=init boot=2; fi
  console=$here/results/cut-$number.log
  rm -rf "$here/results/boot-2"
  mkdir "$here/results/boot-2"
  : >"$console"
  ln -sf "$console" "$here/console.log"
  # Its own shell would say that it was killed.
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

# kill_kernel FOLDER: it is a process group of its own, and the last of it lets go of the disk.
kill_kernel() {
  local group
  group=$(cat "$1/kernel/pid" 2>/dev/null || echo 0)
  while ((group > 1)) && kill -KILL -- "-$group" 2>/dev/null; do sleep 0.01; done
}

# wait_for_saves CONSOLE COUNT PROCESS: until it has played and has saved so often, or has ended.
wait_for_saves() {
  local console=$1 count=$2 pid=$3
  until grep -q ' playing' "$console" && (($(grep -c '^acknowledged' "$console") >= count)); do
    kill -0 "$pid" 2>/dev/null || return 0
    sleep 0.05
  done
}
