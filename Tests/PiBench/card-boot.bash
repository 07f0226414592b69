# Functions that boot a system from an emulated SD card. Source it after library/common.bash of the kernel bench. Set $here to this folder,
# and $limit to the longest time of a boot in seconds. It makes the folder $work, which is removed at the end. The files of the boot are
# there: card.img, vmlinuz, initrd.img, the device tree, and script, which presses the buttons. The boot writes console and edges.
# shellcheck shell=bash

work=$(mktemp -d "${TMPDIR:-/var/tmp}/metronome-card.XXXXXX")
emulator=
cut_power() {
  [[ $emulator ]] || return 0
  kill -KILL "$emulator" 2>/dev/null || true
  wait "$emulator" 2>/dev/null || true
  emulator=
}
clean_up() {
  cut_power
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

failed=0
# check NAME COMMAND…: runs it and reports.
check() {
  if "${@:2}" >"$work/said" 2>&1; then
    echo "ok     $1$(sed -n '1s/^/: /p' <"$work/said")"
  else
    echo "FAILED $1"
    tail -n 20 "$work/said" | sed 's/^/  /'
    failed=$((failed + 1))
  fi
}
# quiet COMMAND…: shows its output only if it fails.
quiet() {
  local status=0
  "$@" >"$work/output" 2>&1 || status=$?
  ((status == 0)) || cat "$work/output"
  return "$status"
}
in_tools() { "$checkout/Scripts/lib/pi-tools" run "$work" "$@"; }

# make_plugin: builds the plugin of QEMU that emulates the header.
make_plugin() {
  need gcc libc6-dev python3
  gcc -std=gnu11 -O2 -shared -fPIC -fvisibility=hidden -o "$work/gpio-block.so" "$here/gpio-block/gpio-block.c"
}

# unpack_card IMAGE: unpacks the compressed image of a card to card.img.
unpack_card() {
  xz -dkc "$1" | dd of="$work/card.img" bs=1M conv=sparse iflag=fullblock status=none &&
    truncate -s "$(xz --robot -l "$1" | awk '$1 == "totals" { print $5 }')" "$work/card.img"
}
# from_card FILE…: copies files of the boot partition to $work.
from_card() { in_tools mcopy -n -i /work/card.img@@4M "${@/#/::/}" /work; }

# The emulation is as fast as that of the Pi bench, see its README.
#
# start [PARAMETERS [WRITES [OPTION…]]]: switches the power on, with more kernel parameters, with at most this many writes of a
# sector to the card in a second, and with more options of QEMU. The buttons are pressed as in $work/script.
start() {
  : >"$work/console"
  : >"$work/edges"
  # pi-tools executes QEMU in its place, so this is QEMU's process.
  "$checkout/Scripts/lib/pi-tools" run "$work" qemu-system-aarch64 -M raspi3b -kernel /work/vmlinuz -initrd /work/initrd.img \
    -dtb /work/bcm2837-rpi-3-b.dtb -drive "file=/work/card.img,if=sd,format=raw${2:+,throttling.iops-write=$2}" \
    -append "console=ttyS1,115200 ro net.ifnames=0 systemd.journald.forward_to_console=1 systemd.show_status=1 ${1:-}" \
    -icount shift=1,sleep=off -display none -monitor none -serial null -serial file:/work/console \
    -plugin file=/work/gpio-block.so,script=/work/script,log=/work/edges "${@:3}" >"$work/emulator" 2>&1 </dev/null &
  emulator=$!
}
# wait_for PATTERN: until a line of the console matches it.
wait_for() {
  local end=$((SECONDS + limit))
  until grep -qaE "$1" "$work/console"; do
    if ((SECONDS >= end)) || ! kill -0 "$emulator" 2>/dev/null; then
      tail -n 20 "$work/console" "$work/emulator"
      return 1
    fi
    sleep 0.5
  done
}
