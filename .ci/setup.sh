# SPDX-License-Identifier: Apache-2.0
# Sourced by tests/run.sh and examples/quickstart.sh: installs packages, and finds out what the machine has.

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 2; }

# Installs those of the named Debian packages that are missing.
install_packages() {
  local missing=()
  command -v dpkg-query > /dev/null || { echo "not a Debian system; assumed to be installed: $*"; return 0; }
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${missing[*]}"
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo > /dev/null || die "run as root once, or install: ${missing[*]}"
    root=(sudo)
  fi
  export DEBIAN_FRONTEND=noninteractive
  { "${root[@]}" apt-get update -qq \
    && "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"; } > /tmp/tessera-apt.$$ 2>&1 \
    || { cat /tmp/tessera-apt.$$ >&2; rm -f /tmp/tessera-apt.$$; die "apt-get could not install ${missing[*]}"; }
  rm -f /tmp/tessera-apt.$$
}

# The newest clang from 19 down to 16 that is installed or can be: prints its number, nothing if there is none.
newest_clang() {
  local version
  for version in 19 18 17 16; do
    command -v "clang++-$version" > /dev/null && { echo $version; return; }
  done
  for version in 19 18 17 16; do
    apt-cache show "clang-$version" > /dev/null 2>&1 && { echo $version; return; }
  done
}

# The instruction sets that this CPU runs, widest first, as names of presets.
cpu_isas() {
  local flags
  flags=" $(grep -m1 -E '^flags' /proc/cpuinfo 2> /dev/null | cut -d: -f2) "
  has() { local flag; for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done; }
  has avx512f avx512bw avx512cd avx512dq avx512vl && echo v4
  has avx2 fma bmi2 f16c movbe && echo v3
  has sse4_2 ssse3 popcnt && echo v2
  return 0
}

# Compile jobs: one a core, and 2 GiB of memory for each.
jobs_for_memory() {
  local cores gibibytes
  cores=$(nproc)
  gibibytes=$(awk '/MemAvailable/ {print int($2 / 1048576 / 2)}' /proc/meminfo)
  [ "$gibibytes" -ge 1 ] || gibibytes=1
  echo $((cores < gibibytes ? cores : gibibytes))
}

# The Python interpreter that has NumPy, or any.
python_with_numpy() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' > /dev/null 2>&1 && { echo "$python"; return; }
  done
  echo python3
}

# ccache, where it is installed, also for precompiled headers.
use_ccache() {
  command -v ccache > /dev/null || return 0
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}

base_packages=(g++ cmake ninja-build ccache pkg-config libboost-dev libxsimd-dev nlohmann-json3-dev libcli11-dev
  libutf8proc-dev python3)
