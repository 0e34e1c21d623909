#!/usr/bin/env bash
# Khronos' OpenCL conformance tests, with samcl and without: fetches them at a named commit, builds the suites asked for,
# plays each of their subtests in a process of its own, and writes what differs as a table. Takes hours for all suites on one
# core, most of it PoCL's compiler; a suite by itself takes minutes.
#
# usage: tools/conformance.sh [--source DIR] [--work DIR] [SUITE...] [-- OPTIONS of tests/conformance/compare.py]
#   SUITE     a program of the tests, such as basic, api, buffers, svm, cl_copy_images (default: the list below)
#   --source  a folder that has OpenCL-CTS, OpenCL-Headers and SPIRV-Headers already (default: cloned from GitHub)
#   --work    where sources, builds and results go (default: build/conformance)
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "conformance: $*" >&2; exit 1; }

declare -A commits=(
  [OpenCL-CTS]=b8f8906c251926b1b3679323bfbf3df730b40fb8
  [OpenCL-Headers]=15b536b7fbe1098cea462a27db496b287ac89b63
  [SPIRV-Headers]=0d25db97cb9b8f725e4c95e4553001710e7fc39d
)
usual=(basic api buffers events atomics compiler select profiling svm device_partition printf thread_dimensions
       mem_host_flags relationals vectors commonfns geometrics half integer_ops computeinfo allocations workgroups
       non_uniform_work_group c11_atomics generic_address_space image_streams cl_copy_images cl_fill_images
       cl_read_write_images cl_get_info kernel_image_methods samplerless_reads conversions bruteforce)

work=build/conformance sources= suites=()
while [ $# -gt 0 ]; do
  case $1 in
    --source) [ $# -ge 2 ] || fail "--source expects a folder"; sources=$(realpath -e "$2") || fail "there is no folder $2"; shift 2 ;;
    --work) [ $# -ge 2 ] || fail "--work expects a folder"; work=$2; shift 2 ;;
    --) shift; break ;;
    -h|--help) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) fail "unknown option '$1'; expected --source, --work, suites, or -- before the options of compare.py" ;;
    *) suites+=("$1"); shift ;;
  esac
done
[ ${#suites[@]} -gt 0 ] || suites=("${usual[@]}")
[ -x build/release/bin/sam-run ] || fail "build/release/bin/sam-run is missing: cmake --build --preset release"
command -v spirv-as >/dev/null || fail "spirv-as is missing, which the tests of the compiler are assembled by: Debian's package spirv-tools"
mkdir -p "$work"
work=$(realpath "$work")

if [ -z "$sources" ]; then
  sources=$work/sources
  for name in "${!commits[@]}"; do
    folder=$sources/$name
    [ "$(git -C "$folder" rev-parse HEAD 2>/dev/null)" = "${commits[$name]}" ] && continue
    rm -rf "$folder"
    git init -q "$folder"
    git -C "$folder" fetch -q --depth 1 "https://github.com/KhronosGroup/$name" "${commits[$name]}" &&
      git -C "$folder" checkout -q FETCH_HEAD || fail "$name cannot be fetched from GitHub; --source takes a folder that has it"
  done
fi
for name in "${!commits[@]}"; do
  [ -d "$sources/$name" ] || fail "$sources has no $name; expected are ${!commits[*]}"
done

launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
log=$work/build.log
{ cmake -G Ninja --compile-no-warning-as-error -S "$sources/OpenCL-CTS" -B "$work/build" -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" \
    -DCL_INCLUDE_DIR="$sources/OpenCL-Headers" -DCL_LIB_DIR="$(pkg-config --variable=libdir OpenCL)" \
    -DSPIRV_INCLUDE_DIR="$sources/SPIRV-Headers" -DOPENCL_LIBRARIES=OpenCL &&
  cmake --build "$work/build" --parallel "${JOBS:-$(nproc)}" --target "${suites[@]/#/test_}"; } >"$log" 2>&1 ||
  { tail -n 20 "$log" >&2; fail "the tests cannot be built; all of the log is $log"; }

exec python3 tests/conformance/compare.py --programs "$work/build" --bin build/release/bin --results "$work/results" "${suites[@]}" "$@"
