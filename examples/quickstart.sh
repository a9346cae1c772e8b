#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# examples/quickstart.sh [SENTENCE…]
#
# Turns sentences into embeddings with MiniLM and prints how similar they are: installs what is missing (Debian 12 or 13,
# as root or with sudo), builds tessera-embed for this CPU, downloads the real weights once, and embeds the sentences
# given, or those of examples/models/sentences.txt. Run it again: it only does what is left to do.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/setup.sh

case ${1-} in -h | --help) sed -n '4,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac

packages=("${base_packages[@]}")
python3 -m pip --version > /dev/null 2>&1 || packages+=(python3-pip)
install_packages "${packages[@]}"
use_ccache

say "building tessera-embed (log: build/quickstart/build.log)"
mkdir -p build/quickstart
log=build/quickstart/build.log
{ cmake --preset release -B build/quickstart -DTESSERA_TESTS=OFF -DTESSERA_BENCHMARKS=OFF \
  && cmake --build build/quickstart --target tessera-embed -j "$(jobs_for_memory)"; } > "$log" 2>&1 \
  || { tail -n 40 "$log" >&2; die "tessera-embed does not build"; }

say "the weights of all-MiniLM-L6-v2"
model=$(bash examples/models/minilm_weights.sh)
echo "$model"

say "similarity of the sentences (cosine of their embeddings)"
embed=(build/quickstart/bin/tessera-embed --weights "$model/model.safetensors" --vocab "$model/vocab.txt" --similarity)
if [ $# -gt 0 ]; then printf '%s\n' "$@" | "${embed[@]}" -
else "${embed[@]}" examples/models/sentences.txt; fi
