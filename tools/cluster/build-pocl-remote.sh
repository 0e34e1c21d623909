#!/usr/bin/env bash
# Builds PoCL's remote driver and its server pocld from PoCL's source, where the distribution has none, and installs them
# into a directory of their own; the system's OpenCL stays as it is. Takes about two minutes of CPU time. Needs cmake,
# ninja, patch, a C++ compiler, pkg-config, ocl-icd-opencl-dev, opencl-clhpp-headers and libhwloc-dev.
#
# usage: tools/cluster/build-pocl-remote.sh SOURCE [PREFIX]
#   SOURCE  PoCL's source, 6.0 or newer: its directory, or a .tar.gz or .tar.xz of a release
#   PREFIX  where to install (default: ~/.local/share/samcl/pocl, where sam-cluster looks)
set -euo pipefail
fail() { echo "build-pocl-remote: $*" >&2; exit 1; }

[ $# -ge 1 ] && [ $# -le 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
source=$(realpath -e "$1" 2>/dev/null) || fail "there is no $1; PoCL's releases are at https://github.com/pocl/pocl/releases"
prefix=$(realpath -m "${2:-$HOME/.local/share/samcl/pocl}")
for tool in cmake ninja patch pkg-config; do
  command -v "$tool" >/dev/null || fail "$tool is missing"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/source"
if [ -d "$source" ]; then cp -r "$source/." "$work/source"; else tar -xf "$source" -C "$work/source" --strip-components=1; fi
[ -f "$work/source/pocld/daemon.cc" ] || fail "$1 is no source of PoCL with its server (pocld/daemon.cc is missing)"

patch -p1 --batch -d "$work/source" <"$(dirname "$0")/pocl-remote.patch" >"$work/patched" ||
  { grep -E "FAILED|file to patch" "$work/patched" >&2; echo "build-pocl-remote: warning: not all mends of tools/cluster/pocl-remote.patch fit this source" >&2; }

cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
  -DENABLE_REMOTE_CLIENT=1 -DENABLE_REMOTE_SERVER=1 -DENABLE_ICD=1 -DENABLE_HOST_CPU_DEVICES=0 -DENABLE_LLVM=0 \
  -DENABLE_TESTS=0 -DENABLE_EXAMPLES=0 -DENABLE_POCLCC=0 -DENABLE_SPIRV=OFF >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "PoCL cannot be configured"; }
ninja -C "$work/build" install >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "PoCL cannot be built"; }
install -D -m 644 "$(dirname "$0")/pocl-remote.patch" "$prefix/share/samcl/pocl-remote.patch"  # for sam-cluster: which mends it has
echo "installed in $prefix: bin/pocld, and the client for OCL_ICD_VENDORS=$prefix/etc/OpenCL/vendors"
