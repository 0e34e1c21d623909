#!/usr/bin/env bash
# Installs from Debian's packages what building and testing samcl needs; quick when all of it is there.
# Root, or a user with sudo. usage: tools/install-dependencies.sh
set -euo pipefail
packages=(
  g++ cmake ninja-build mold ccache git python3
  ocl-icd-opencl-dev ocl-icd-libopencl1 opencl-headers opencl-clhpp-headers pocl-opencl-icd clinfo
  clang-19 clang-format-19 clang-tidy-19 libclang-19-dev libclang-rt-19-dev llvm-19-dev
  libboost-dev libopenmpi-dev openmpi-bin libspdlog-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libexpected-dev
  libgtest-dev libgmock-dev libbenchmark-dev pkg-config coinor-libcbc-dev libqsopt-ex-dev libgmp-dev
  python3-pyopencl hashcat libviennacl-dev libclfft-dev ffmpeg
  oclgrind liboclgrind-dev
  pybind11-dev python3-dev python3-matplotlib
  dpkg-dev lintian groff-base libncurses-dev graphviz chromium systemd-container
)
missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "samcl: these packages are missing, and neither root nor sudo is here to install them: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "samcl: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
