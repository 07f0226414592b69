# Shared by the other scripts, which source it: installs Debian packages, and changes to the repository's folder.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The headers of libyaml and of the real board's libraries, and the libraries that every Swift program on Linux links with.
build_packages=(libyaml-dev libgpiod-dev libasound2-dev libevdev-dev pkg-config libc6-dev g++ git ca-certificates)

# The versions of other packages that a release is built with, see Package.swift.
export METRONOME_EXACT=yes

# Builds of the tests. In the strict build, warnings are errors. Each build has a separate folder, because a change of options
# rebuilds everything.
test_build=(--scratch-path .build-test)
strict_build=(--scratch-path .build-check -Xswiftc -warnings-as-errors --enable-code-coverage)

# swift_fast ARGUMENT...: runs swift with the optimizer for the modules in which the tests spend most of their time.
swift_fast() { METRONOME_FAST_TESTS=yes swift "$@"; }

# install_packages NAME...: installs the Debian packages that are missing.
install_packages() {
  [ "$(uname)" = Linux ] || return 0
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null | grep -q '^ii' || missing+=("$name")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "Not a Debian system: install the equivalents of ${missing[*]} by hand." >&2
    return 1
  fi
  local root=()
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Run as root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  echo "Installing ${missing[*]}" >&2
  "${root[@]}" apt-get update -qq >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# need_swift: fails with an installation hint if Swift is missing.
need_swift() {
  command -v swift >/dev/null && return 0
  echo "Swift 6.0 or later is needed: on Debian 13 'apt install swiftlang', elsewhere see https://swift.org/install" >&2
  return 1
}

# program_version: prints the version of the programs.
program_version() { sed -n 's/^public let programVersion = "\([0-9.]*\)"$/\1/p' Sources/MetronomeCore/Version.swift | grep .; }
