#!/usr/bin/env bash
# Makes the Debian package of a build and tests it: unpacked into a directory, programs run from there. With --chroot
# it is installed, used and removed in a fresh Debian instead (as root; needs debootstrap and a network; minutes).
#
# usage: packaging/test_package.sh BUILD_DIRECTORY [--chroot]
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "package: $*" >&2; exit 1; }

(cd "$work" && cpack --config "$build/CPackConfig.cmake" >cpack.log 2>&1) || { tail -n 30 "$work/cpack.log" >&2; fail "cpack failed"; }
package=$(echo "$work"/samcl_*.deb)
[ -f "$package" ] || fail "cpack made no package"
if command -v lintian >/dev/null; then
  found=$(lintian --allow-root --fail-on none --tag-display-limit 0 "$package")
  [ -z "$found" ] || { echo "$found" >&2; fail "lintian has complaints"; }
else
  echo "package: lintian is not installed, so not asked"
fi

if [ "${2:-}" = --chroot ]; then
  root=$work/root
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log"
  cp "$package" "$root/samcl.deb"
  inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
  inside apt-get install -y -qq ./samcl.deb pocl-opencl-icd clinfo >"$work/install.log" 2>&1
  inside sam-managerd
  inside sam-ctl register clock --priority 5 --period 10ms
  inside env POCL_DEVICES="basic basic" sam-run --manager required --task clock -- clinfo -l
  inside sam-ctl status
  kill "$(inside sam-ctl status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["pid"])')"
  inside apt-get purge -y -qq samcl >"$work/purge.log" 2>&1
  left=$(find "$root" -xdev \( -path "$root/proc" -o -path "$root/var/lib/dpkg" -o -path "$root/var/log" \) -prune -o \( -name '*samcl*' -o -name 'sam-*' \) -print | grep -v "^$root/samcl.deb$" || true)
  [ -z "$left" ] || fail "left behind: $left"
  exit 0
fi

dpkg -x "$package" "$work/root"
bin=$work/root/usr/bin
for program in sam-run sam-ctl sam-top sam-doctor sam-report sam-managerd sam-profile sam-analyze sam-translate sam-cluster sam-plot; do
  [ -x "$bin/$program" ] || fail "$program is missing"
  "$bin/$program" --version | grep -q "^$program [0-9]" || fail "$program --version"
  ls "$work"/root/usr/share/man/man[18]/"$program".[18].gz >/dev/null || fail "$program has no man page"
  for completion in "bash-completion/completions/$program" "zsh/vendor-completions/_$program" "fish/vendor_completions.d/$program.fish"; do
    grep -qE -- "--version|-l version" "$work/root/usr/share/$completion" || fail "$completion does not know --version"
  done
done
for page in "$work"/root/usr/share/man/man*/*.gz; do
  gzip -dc "$page" >"$work/page"
  warnings=$(groff -man -Tutf8 -ww "$work/page" 2>&1 >/dev/null) || true
  [ -z "$warnings" ] || fail "$page: $warnings"
done
for format in sam-managerd.toml sam-ctl.json samcl-task samcl-report samcl-cluster; do
  [ -f "$work/root/usr/share/man/man5/$format.5.gz" ] || fail "$format has no man page"
done
for completion in "$work"/root/usr/share/bash-completion/completions/*; do bash -n "$completion"; done
for shell in zsh fish; do
  command -v "$shell" >/dev/null || { echo "package: $shell is not installed, so its completions are not read"; continue; }
  for completion in "$work"/root/usr/share/$shell/vendor*completions*/*; do "$shell" -n "$completion" || fail "$completion"; done
done
grep -q -- "--priority" "$work/root/usr/share/bash-completion/completions/sam-ctl" || fail "sam-ctl is not completed"

# A program runs with what was packed, under a manager that was packed.
export SAMCL_RUNTIME_DIR=$work/run SAMCL_INSTANCE=package XDG_STATE_HOME=$work/state SAMCL_CACHE_DIR=$work/cache
"$bin/sam-managerd" --instance package --foreground --exit-with $$ &
manager=$!
for _ in $(seq 100); do [ -S "$work/run/package.sock" ] && break; sleep 0.1; done
"$bin/sam-ctl" register shown --priority 3 --period 10ms
POCL_DEVICES="basic basic" "$bin/sam-run" --manager required --task shown -- clinfo -l >"$work/devices"
grep -q "Device #0" "$work/devices" || fail "no device is shown: $(cat "$work/devices")"
! grep -q "Device #1" "$work/devices" || fail "two devices are shown, so libsamcl.so was not used"
"$bin/sam-ctl" list | grep -q shown || fail "the task is not registered"
kill "$manager"
wait "$manager" || fail "the manager failed"

if command -v systemd-analyze >/dev/null; then
  unit=$(find "$work/root" -name sam-managerd.service)
  systemd-analyze security --offline=true --threshold=30 "$unit" >"$work/security" || fail "the unit is too open: $(tail -n 1 "$work/security")"
fi
echo "package: $(basename "$package") is fine"
