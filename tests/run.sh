#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/run.sh          builds and runs the tests: GCC with the widest instruction set of this CPU and with x86-64-v2,
#                       static tests with GCC and clang, the conformance kit where it is present
# tests/run.sh --all    the same with both compilers and every instruction set, headers and negative tests with clang as
#                       well, all planted faults, ASan+UBSan, TSan, long fuzzing, NEON under emulation, the kit with 1
#                       and 2 threads, and the table of compile times
#
# --only STAGE (repeatable) runs the named stages alone; --list prints their names; --fuzz-seconds N is the time for each
# fuzz target (default 120). On Debian 12 and 13 what is missing is installed first (as root, or with sudo). Builds and
# logs go to build/; a second run builds only what changed. The last lines are the totals; the exit code is 0 if nothing
# failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. .ci/setup.sh

all=no list=no fuzz_seconds=120 only=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=yes ;;
    --list) list=yes ;;
    --only) [ $# -gt 1 ] || die "--only needs the name of a stage"; only+=("$2"); shift ;;
    --fuzz-seconds) [ $# -gt 1 ] || die "--fuzz-seconds needs a number"; fuzz_seconds=$2; shift ;;
    -h | --help) sed -n '4,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown argument '$1'; see --help" ;;
  esac
  shift
done

passed=0 failed=0 summary=() started=$SECONDS
log_folder=$PWD/build/log
mkdir -p "$log_folder"

# record STAGE PASSED FAILED NOTE: one line of the summary, and the totals.
record() {
  passed=$((passed + $2)) failed=$((failed + $3))
  summary+=("$(printf '%-16s %5d passed %4d failed   %s' "$1" "$2" "$3" "$4")")
}

# build STAGE CMAKE-ARGUMENT...: configures and builds build/STAGE, of it $goal alone where that is set. What does not
# build is counted and shown, the rest is still tested.
build() {
  local stage=$1 log=$log_folder/$1.build.log; shift
  say "$stage: building (log: build/log/$stage.build.log)"
  if ! cmake -B "build/$stage" -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "-DPython3_EXECUTABLE=$(command -v "$python")" "$@" > "$log" 2>&1; then
    tail -n 40 "$log"
    record "$stage" 0 1 "does not configure"
    return 1
  fi
  grep -E '^-- tessera:' "$log"
  if ! cmake --build "build/$stage" -j "$jobs" --target "${goal:-all}" -- -k 0 >> "$log" 2>&1; then
    grep -E -A12 '^FAILED|error:|undefined reference' "$log" | head -n 120
    record "$stage" 0 1 "does not build"
  fi
}

# run_ctest STAGE CTEST-ARGUMENT...: runs the tests of build/STAGE and adds ctest's own count to the totals.
run_ctest() {
  local stage=$1 log=$log_folder/$1.test.log begin=$SECONDS; shift
  say "$stage: testing (log: build/log/$stage.test.log)"
  ctest --test-dir "build/$stage" --output-on-failure --no-label-summary --no-tests=error -j "$(nproc)" "$@" > "$log" 2>&1
  local status=$? line bad total
  grep -vE '^ +Start +[0-9]+:|   Passed  |^Internal ctest|^ *[0-9]+/[0-9]+ Test .*Passed' "$log" | cat -s
  line=$(grep -E '[0-9]+ tests failed out of [0-9]+' "$log")
  if [ -z "$line" ]; then
    record "$stage" 0 1 "ctest ended with $status"
    return
  fi
  read -r bad total <<< "$(sed -E 's/.* ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/' <<< "$line")"
  record "$stage" $((total - bad)) "$bad" "$((SECONDS - begin)) s of testing"
}

# conformance STAGE THREADS: the kit's operators and models with the programs of build/STAGE.
conformance() {
  local stage=$1 threads=$2 name=conformance.$1.$2 log=$log_folder/conformance.$1.$2.log begin=$SECONDS weights=()
  local folder more=()
  [ $all = no ] || more=(--more 1)            # cases of other sizes and attributes, against NumPy
  if folder=$(bash examples/models/minilm_weights.sh 2> "$log"); then weights=(--weights "$folder"); else cat "$log"; fi
  say "$name: operators, models and real weights, $threads thread(s)"
  "$python" tests/conformance/run.py --build "build/$stage" --forward --threads "$threads" --march "x86-64-$stage" \
    "${weights[@]}" "${more[@]}" > "$log" 2>&1
  local status=$? line good bad
  cat "$log"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  if [ -z "$line" ]; then
    record "$name" 0 1 "ended with $status"
    return
  fi
  read -r good bad <<< "$(sed -E 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/' <<< "$line")"
  [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
  record "$name" "$good" "$bad" "$((SECONDS - begin)) s"
}

# --- Stages -----------------------------------------------------------------------------------------------------------

# Everything, with the tests that only compile (headers, static, fail: both compilers; in the short form headers and fail
# with GCC, and two of the planted faults). Those need no other stage: the stages below compile the same headers for their
# instruction set, and run what they build.
gcc_all() {
  local leave_out=()
  [ $all = yes ] || leave_out=(-E '^((headers|fail)\..*\.clang|reference\.faults)$')
  build "$1" --preset "$1" && run_ctest "$1" "${leave_out[@]}"
}
gcc_run() { build "$1" --preset "$1" -DTESSERA_BENCHMARKS=OFF && run_ctest "$1" -L run; }
# The tests alone: in the short form the programs are built once, for the widest vectors.
gcc_tests() { build "$1" --preset "$1" -DTESSERA_BENCHMARKS=OFF -DTESSERA_EXAMPLES=OFF && run_ctest "$1" -L run; }
clang_run() {
  build "$1" --preset "${1#clang-}" -DCMAKE_CXX_COMPILER="clang++-$clang" -DTESSERA_BENCHMARKS=OFF && run_ctest "$1" -L run
}
asan() { build asan --preset asan -DTESSERA_BENCHMARKS=OFF && run_ctest asan -L run; }
tsan() {                                    # clang's: GCC's does not know fences
  build tsan --preset tsan -DCMAKE_CXX_COMPILER="clang++-$clang" -DTESSERA_BENCHMARKS=OFF && run_ctest tsan -L run
}
fuzz() {
  goal=fuzz build fuzz --preset asan -DCMAKE_CXX_COMPILER="clang++-$clang" -DTESSERA_BENCHMARKS=OFF -DTESSERA_EXAMPLES=OFF \
    -DTESSERA_FUZZ=ON || return
  local target name log good=0 bad=0
  for target in build/fuzz/tests/fuzz/fuzz.*; do
    [ -f "$target" ] && [ -x "$target" ] || continue
    name=${target##*/fuzz.} log=$log_folder/fuzz.${target##*/fuzz.}.log
    say "fuzz: $name for $fuzz_seconds s"
    mkdir -p "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
    if "$target" -max_total_time="$fuzz_seconds" -timeout=20 -rss_limit_mb=4096 -artifact_prefix="build/fuzz/$name-" \
      "build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" > "$log" 2>&1; then
      tail -n 2 "$log"
      good=$((good + 1))
    else
      tail -n 60 "$log"
      bad=$((bad + 1))
    fi
  done
  [ $((good + bad)) -gt 0 ] || bad=1           # no target was built
  record fuzz $good $bad "$fuzz_seconds s a target"
}
neon() {
  # Headers that do not depend on the architecture, without those of the host's C library.
  local header
  mkdir -p build/neon/include
  for header in boost xsimd xtl doctest nlohmann CLI; do
    [ -e "/usr/include/$header" ] && ln -sfn "/usr/include/$header" "build/neon/include/$header"
  done
  build neon -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_EXTENSIONS=OFF -DTESSERA_BENCHMARKS=OFF \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
    "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu" \
    -DCMAKE_FIND_ROOT_PATH="/usr/aarch64-linux-gnu;$PWD/build/neon/include" -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
    -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_INCLUDE_PATH="$PWD/build/neon/include" && run_ctest neon -L run
}
compile_time() {
  say "compile_time: seconds, memory and instantiations"
  if "$python" benchmarks/compile_time/run.py --clang "clang++-$clang"; then record compile_time 1 0 ""
  else record compile_time 0 1 ""; fi
}

# --- What runs --------------------------------------------------------------------------------------------------------

read -r -d '' -a isas <<< "$(cpu_isas)"
native=${isas[0]:-release}                       # not an x86-64 CPU: what -march=native gives
kit=no
[ -d ../shared/conformance/cases ] && kit=yes

stages=("gcc_all $native")
if [ $all = yes ]; then
  export TESSERA_TEST_MORE=1                    # tests that have a longer form: tests/examples/on_demand.py
  for isa in "${isas[@]:1}"; do stages+=("gcc_run $isa"); done
  for isa in "${isas[@]:-release}"; do stages+=("clang_run clang-$isa"); done
  stages+=(asan tsan fuzz neon compile_time)
  if [ $kit = yes ]; then
    for isa in v3 "$native"; do
      [[ " ${isas[*]} " == *" $isa "* ]] || continue
      stages+=("conformance $isa 1" "conformance $isa 2")
      [ "$isa" = "$native" ] && break
    done
  fi
else
  [ "$native" != v2 ] && [[ " ${isas[*]} " == *" v2 "* ]] && stages+=("gcc_tests v2")
  [ $kit = yes ] && [ "$native" != release ] && stages+=("conformance $native 2")
fi

name_of() { local words; read -r -a words <<< "$1"; case ${words[0]} in
  gcc_* | clang_*) echo "${words[1]}" ;; conformance) echo "conformance.${words[1]}.${words[2]}" ;; *) echo "${words[0]}" ;; esac; }
if [ ${#only[@]} -gt 0 ]; then
  chosen=()
  for wanted in "${only[@]}"; do
    found=no
    for stage in "${stages[@]}"; do [ "$(name_of "$stage")" = "$wanted" ] && { chosen+=("$stage"); found=yes; }; done
    [ $found = yes ] || die "no stage '$wanted' here; --list (with --all) prints them"
  done
  stages=("${chosen[@]}")
fi
if [ $list = yes ]; then
  for stage in "${stages[@]}"; do name_of "$stage"; done
  exit 0
fi

packages=("${base_packages[@]}" doctest-dev libbenchmark-dev python3-numpy binutils)
[ $kit = no ] || python3 -m pip --version > /dev/null 2>&1 || packages+=(python3-pip)
install_packages "${packages[@]}"
clang=$(newest_clang)
[ -n "$clang" ] || die "clang 16 or newer is needed for the static and negative tests"
packages=("clang-$clang")
if [ $all = yes ]; then
  packages+=("libclang-rt-$clang-dev" g++-aarch64-linux-gnu qemu-user)
fi
install_packages "${packages[@]}"
use_ccache
jobs=$(jobs_for_memory)
python=$(python_with_numpy)
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=second_deadlock_stack=1

say "instruction sets of this CPU: ${isas[*]:-none of x86-64}; $(g++ --version | head -n 1); clang $clang; $jobs compile jobs"
for stage in "${stages[@]}"; do
  read -r -a words <<< "$stage"
  "${words[@]}"
done

say "summary ($(((SECONDS - started) / 60)) min $(((SECONDS - started) % 60)) s)"
printf '%s\n' "${summary[@]}"
echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
