#!/usr/bin/env bash
# Installs what is missing, builds, runs all tests: the release build, then the project's own code under the
# address and thread sanitizers, and the manager where undefined behaviour is found, too. Quick where nothing has changed since the last run.
#
# usage: tools/test.sh
# RELEASE_ONLY=1 in the environment leaves the sanitizers out. SANITIZE_ALL=1 runs every test of the sanitized
# builds, not only those of the pure logic.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install-dependencies.sh

# Of what ctest prints: what passed is only counted.
only_what_failed() { grep --line-buffered -vE '^ +Start +[0-9]+: | Passed +[0-9.]+ sec'; }

builds=(release)
[ -n "${SANITIZE_ALL:-}" ] && builds=(release asan tsan)
jobs=$(nproc)

for build in "${builds[@]}"; do tools/build.sh "$build"; done

# Under the sanitizers by day: the pieces that have threads; under asan, which also finds undefined behaviour, what has one
# thread, the manager and its clients as processes, bursts of events, and the OpenCL cases on two devices, too. By night
# SANITIZE_ALL=1 runs everything, and after it `ctest --test-dir build/tsan -C Nightly -R nightly` the cases: to build
# all of libsamcl twice takes too long by day.
pieces=(threads_test device_test memory_test copy_pool_test)
of_processes=(protocol_test registry_test daemon_soak_test manager_test)
of_one_thread=(objects_test observe_test launch_test held_launches_test many_queues_test command_order_test
  random_commands_test coherence_test engine_test merge_test ndrange_test)
run_one_by_one() {
  local result=0 test
  for test in "$@"; do
    SAMCL_SOAK_HOURS=6 SAMCL_STORM_SECONDS=2 "build/$build/tests/$test" --gtest_brief=1 || result=1
  done
  return $result
}
if [ -z "${RELEASE_ONLY:-}${SANITIZE_ALL:-}" ]; then
  for build in asan tsan; do
    tests=("${pieces[@]}") beside=() programs=()
    if [ "$build" = asan ]; then
      tests+=("${of_processes[@]}") beside=("${of_one_thread[@]}") programs=(samcl event_bursts opencl_cases)
    fi
    # A race in a process that is killed later shows in its report only.
    reports=build/$build/races
    rm -rf "$reports" && mkdir -p "$reports"
    export TSAN_OPTIONS="log_path=$PWD/$reports/process die_after_fork=0"
    tools/build.sh "$build" "${tests[@]}" "${beside[@]}" "${programs[@]}"
    echo "samcl: testing ($build)"
    failed=
    run_one_by_one "${beside[@]}" >"$reports.beside" 2>&1 &
    run_one_by_one "${tests[@]}" || failed=1
    wait $! || failed=1
    cat "$reports.beside"
    together=(ctest --test-dir "build/$build" --output-on-failure --no-tests=error -R '^samcl.sanitized')
    if [ ${#programs[@]} -gt 0 ] && ! "${together[@]}" --parallel "$jobs" | only_what_failed; then
      # GCC 12's libtsan ends a process, seldom, because it finds no room for 500 TB of its own: it seems to take a
      # beginning thread's memory to be that large while libraries come and go, as PoCL's kernels do. That is no finding.
      if grep -rqs "ERROR: ThreadSanitizer failed to allocate" "$reports"; then
        echo "samcl: libtsan could not go on, once more what failed"
        "${together[@]}" --rerun-failed | only_what_failed || failed=1
      else
        failed=1
      fi
    fi
    ! grep -r -h -A 40 "WARNING: ThreadSanitizer" "$reports" || failed=1
    [ -z "$failed" ] || grep -r -h -A 40 "ERROR: " "$reports" || true  # why a process died
    [ -z "$failed" ] || { echo "samcl: tests of the $build build failed, see above" >&2; exit 1; }
  done
fi

# One run over all builds, so that it has one result.
mkdir -p build/all
for build in "${builds[@]}"; do
  echo "subdirs(\"$PWD/build/$build\")"
done >build/all/CTestTestfile.cmake
ctest --test-dir build/all --parallel "$jobs" --output-on-failure --no-tests=error |
  only_what_failed
