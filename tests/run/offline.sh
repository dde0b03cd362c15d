#!/usr/bin/env bash
# Where apt cannot install, ./run says in one line what is missing, and goes on.
set -euo pipefail

run=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/tree"
cp "$run" "$work/tree/run"

# A machine that has cmake and g++ alone, and no network.
fake() { printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
fake dpkg-query 'for last; do :; done; case $last in g++ | cmake) echo "ii ";; *) exit 1;; esac'
# It writes on after the line that matters, as the true one does: who stops reading there ends it.
fake apt-cache 'case $2 in
libsleef3) ;;
*) echo "  Candidate: 1.0"; sleep 0.02; echo "  Version table:" ;;
esac'
fake apt-get 'echo "E: Could not resolve host" >&2; exit 100'
fake sudo '"$@"'

out=$(PATH="$work/bin:$PATH" "$work/tree/run" packages 2>&1) || {
  printf 'failed:\n%s\n' "$out"
  exit 1
}
expect() { grep -q -- "$1" <<<"$out" || { printf 'no "%s" in:\n%s\n' "$1" "$out"; exit 1; }; }
expect '^packages: could not install ninja-build .*llvm-19-dev.*; going on without'
expect '^packages: not offered here: libsleef3$'
if grep -q '[^-]cmake' <<<"${out//packages:/}"; then
  printf 'asks for what is there:\n%s\n' "$out"
  exit 1
fi
printf '%s\n' "$out"
