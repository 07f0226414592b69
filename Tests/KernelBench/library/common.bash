# Shared by the bench's programs. Must be sourced by bash, with `bench` set to the folder Tests/KernelBench.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used by the scripts that source this file
checkout=$(cd "${bench:?}/../.." && pwd)
# shellcheck disable=SC2034
cache=${METRONOME_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/metronome}

# The versions of other packages that a release is built with, see Package.swift.
export METRONOME_EXACT=yes

# Options of the packaged build: Swift's library is linked statically, and relocated sections become read-only after
# loading, which is not every linker's default.
# shellcheck disable=SC2034
optimized=(
  -c release --static-swift-stdlib --disable-local-rpath
  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
  # A small binary: no exported symbols, identical functions merged, relocations packed (glibc 2.36 and later), and no
  # index of the unwind tables, which only exceptions of C++ need.
  -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
  -Xlinker --no-eh-frame-hdr
)

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# need PACKAGE...: installs missing packages.
need() {
  local package missing=()
  for package in "$@"; do
    # shellcheck disable=SC2016 # dpkg-query's own format
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == 'install ok installed' ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  command -v apt-get >/dev/null || die "needs ${missing[*]}, and this machine has no apt-get"
  [[ $(id -u) == 0 ]] || die "needs ${missing[*]}: apt-get install ${missing[*]}, as root"
  say "installs ${missing[*]}"
  local log
  log=$(mktemp)
  apt_install "${missing[@]}" >"$log" 2>&1 || { apt_get update && apt_install "${missing[@]}"; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "apt-get could not install ${missing[*]}; the end of its output is above"
  }
  rm -f "$log"
}

apt_install() { apt_get install -q -y --no-install-recommends "$@"; }

# Only one of these scripts runs apt-get at a time, because apt-get fails while another one is running.
apt_get() {
  mkdir -p "$cache"
  DEBIAN_FRONTEND=noninteractive flock --close "$cache/apt-get.lock" apt-get "$@" </dev/null
}

# program_version: prints the version of the programs. Their source is its only place.
program_version() {
  sed -n 's/^public let programVersion = "\([0-9.]*\)"$/\1/p' "$checkout/Sources/MetronomeCore/Version.swift" | grep . ||
    die "Sources/MetronomeCore/Version.swift has no version"
}

# The mirror for Debian packages that this machine uses.
mirror() {
  # shellcheck disable=SC2016 # apt-get's own format
  apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "Debian" && $3 == "main" && $1 !~ /security/ { sub(/\/$/, "", $1); print $1; exit }'
}

# The kernel: the requested one, an existing one, or one built now.
find_kernel() {
  local kernel
  if [[ -n ${METRONOME_KERNEL:-} ]]; then
    [[ -x $METRONOME_KERNEL ]] || die "METRONOME_KERNEL=$METRONOME_KERNEL does not exist, or is not executable"
    readlink -f "$METRONOME_KERNEL"
    return
  fi
  # That kernel has no room for the registers of AMX, and crashes on processors that have it.
  kernel=$checkout/../shared/kernel/linux
  if [[ -x $kernel ]] && ! grep -qw amx_tile /proc/cpuinfo; then readlink -f "$kernel"; else "$bench/build-kernel"; fi
}

# build_tools ROOT OUTPUT compiles the programs that run inside the kernel, with the compiler and libraries of a root.
build_tools() {
  local root=$1 output=$2 compile='cc -O2 -Wall -Wextra -Werror -std=gnu11'
  cp "$bench"/tools/*.c "$bench"/tools/*.h "$checkout/Benchmarks/AllocationCounter/heap.h" "$root$output"
  chroot "$root" /bin/sh -euc "cd '$output'; $compile -o ear ear.c -lasound -lm; $compile -o knob knob.c -lasound
    $compile -o midi-ear midi-ear.c -lasound; $compile -o midi-source midi-source.c -lasound -lm
    $compile -o serial-line serial-line.c -lm; $compile -o holder holder.c; $compile -o power-off power-off.c; $compile -o hand-device hand-device.c
    $compile -o manager manager.c; $compile -o control-client control-client.c; $compile -o freeze-thread freeze-thread.c
    $compile -o network-client network-client.c; $compile -o life-player life-player.c
    $compile -shared -fPIC -o fault.so fault.c; $compile -shared -fPIC -o loop-meter.so loop-meter.c
    $compile -shared -fPIC -o unanswered.so unanswered.c"
}
