#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# benchmarks/compare.sh [ROW…] [OPTION…]
#
# Times the bundled encoders and what a user would pick instead (PyTorch as it is and compiled, ONNX Runtime as it is and
# with its fusions for transformers, OpenVINO) on the same work in one run, in turns, and prints Markdown tables of our
# time ÷ each peer's. Rows: bert_base_128 bert_large_384 minilm_l6_128 minilm_sentences_32 minilm_sentences_1; default:
# all. Options, among them --threads N, --peers PEER,…, --json FILE, --sentences FILE: see --options.
#
# What is missing is installed first (Debian 12 or 13, as root or with sudo); the peers go to ~/.cache/tessera/peers, or
# where TESSERA_PEERS says (1.5 GB, and 6 GB for the models of all rows). bench.models.encoder is built in build/compare;
# with --ours PROGRAM that program is timed instead, given twice the two are compared with each other as well.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/setup.sh

build=yes
for argument in "$@"; do
  case $argument in
    -h | --help) sed -n '4,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --options) exec python3 benchmarks/peers/compare.py --help ;;
    --ours | --ours=*) build=no ;;
  esac
done

install_packages "${base_packages[@]}" python3-venv python3-dev   # PyTorch compiles against its headers
peers=${TESSERA_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera/peers}
requirements=benchmarks/peers/requirements.txt
mkdir -p "$peers"
if ! cmp -s "$requirements" "$peers/installed.txt"; then
  say "installing the peers into $peers (log: $peers/install.log)"
  { python3 -m venv "$peers/venv" && "$peers/venv/bin/python" -m pip install --retries 1 -r "$requirements"; } \
    > "$peers/install.log" 2>&1 || { tail -n 20 "$peers/install.log" >&2; die "the peers cannot be installed"; }
  cp "$requirements" "$peers/installed.txt"
fi

ours=()
if [ $build = yes ]; then
  say "building bench.models.encoder (log: build/compare/build.log)"
  use_ccache
  mkdir -p build/compare
  log=build/compare/build.log
  { cmake --preset release -B build/compare -DTESSERA_TESTS=OFF \
    && cmake --build build/compare --target bench.models.encoder -j "$(jobs_for_memory)"; } > "$log" 2>&1 \
    || { tail -n 40 "$log" >&2; die "bench.models.encoder does not build"; }
  ours=(--ours "$PWD/build/compare/benchmarks/bench.models.encoder")
fi

say "timing, in turns"
compare=$PWD/benchmarks/peers/compare.py
cd "$caller"
exec "$peers/venv/bin/python" "$compare" --cache "$peers" "${ours[@]}" "$@"
