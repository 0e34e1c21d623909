#!/usr/bin/env bash
# Makes the Debian package of a build and tests it: unpacked into a directory, programs run from there. With --installed it
# is installed, used and removed in a clean root instead, made of this system's packages (as root; half a minute); with
# --booted systemd boots there, too, and the service is started, reloaded, killed and hung (needs systemd-nspawn); with
# --chroot it is a fresh Debian from the network (needs debootstrap; minutes). Exit code 77: that can't be done here.
#
# usage: packaging/test_package.sh BUILD_DIRECTORY [--installed | --booted | --chroot]
set -euo pipefail
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "package: $*" >&2; exit 1; }

(cd "$work" && cpack --config "$build/CPackConfig.cmake" >cpack.log 2>&1) || { tail -n 30 "$work/cpack.log" >&2; fail "cpack failed"; }
package=$(echo "$work"/samcl_*.deb)
[ -f "$package" ] || fail "cpack made no package"
# As an administrator and a user do it. Runs in namespaces of its own, so that nothing of it stays.
use_installed() {
  root=$1
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/dev"
  mknod -m 666 "$root/dev/null" c 1 3
  inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
  user() { chroot --userspec=someone --groups=samcl "$root" env -i PATH=/usr/bin:/bin HOME=/tmp POCL_DEVICES="basic basic" "$@"; }
  inside apt-get install -y -qq ./samcl.deb >"$root/install.log" 2>&1 || { cat "$root/install.log" >&2; fail "it can't be installed"; }
  inside sh -c 'echo someone:x:1000:1000::/tmp:/bin/sh >>/etc/passwd; echo someone:x:1000: >>/etc/group'
  inside sam-managerd
  inside sam-ctl register clock --priority 5 --period 10ms
  user sam-run --manager required --task clock -- clinfo -l | tee "$root/devices"
  [ "$(grep -c "Device #" "$root/devices")" = 1 ] || fail "a program of a user in the group samcl sees other devices than one"
  ! user sam-ctl register mine --priority 6 --period 10ms 2>"$root/refused" || fail "a user may register tasks"
  grep -q "sam-ctl: .*administrator" "$root/refused" || fail "the refusal says: $(cat "$root/refused")"
  { user sam-doctor || true; } | grep '^OK    manager "default"' || fail "sam-doctor of a user does not find the manager"
  inside sam-ctl status
  kill "$(inside sam-ctl status --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["pid"])')"
  inside apt-get purge -y -qq samcl >"$root/purge.log" 2>&1 || { cat "$root/purge.log" >&2; fail "it can't be removed"; }
  left=$(cd "$root" && find . -xdev \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./tmp \) -prune -o \
    \( -name '*samcl*' -o -name 'sam-*' \) -print | grep -vFx ./samcl.deb || true)
  [ -z "$left" ] || fail "left behind: $left"
}

# The same where systemd is.
use_booted() {
  root=$1
  tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
  units=$root/etc/systemd/system
  mkdir -p "$units/multi-user.target.wants"
  ln -s /dev/null "$units/systemd-firstboot.service"
  ln -s ../use.service "$units/multi-user.target.wants/"
  cp "$here/use_booted.sh" "$root/root/use.sh"
  cat >"$units/use.service" <<'END'
[Unit]
After=multi-user.target
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=oneshot
ExecStart=/root/use.sh
TimeoutStartSec=100
END
  timeout 120 systemd-nspawn --quiet --register=no --keep-unit --directory "$root" --boot >"$work/boot.log" 2>&1 </dev/null || true
  [ -f "$root/root/log" ] || { tail -n 30 "$work/boot.log" >&2; fail "systemd did not boot"; }
  [ "$(tail -n 1 "$root/root/log")" = done ] || { tail -n 40 "$root/root/log" >&2; fail "that is where it failed under systemd"; }
}

can_not() { echo "package: that can't be tried here: $*"; exit 77; }

if [ -n "${2:-}" ]; then
  refused=$(unshare --mount --pid --fork true 2>&1) || can_not "$refused"
  here=$(realpath "$(dirname "$0")") root=$work/root
  case $2 in
    --installed) python3 "$here/clean_root.py" "$root" "$package" apt pocl-opencl-icd clinfo ;;
    --booted)
      command -v systemd-nspawn >/dev/null || can_not "systemd-nspawn is not installed"
      python3 "$here/clean_root.py" "$root" "$package" apt pocl-opencl-icd clinfo systemd systemd-sysv ;;
    --chroot)
      command -v debootstrap >/dev/null || can_not "debootstrap is not installed"
      debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log"
      cp /etc/resolv.conf /etc/hosts "$root/etc/"
      chroot "$root" apt-get install -y -qq pocl-opencl-icd clinfo >"$work/install.log" 2>&1 ;;
    *) fail "unknown option $2" ;;
  esac
  cp "$package" "$root/samcl.deb"
  if [ "$2" = --booted ]; then
    use_booted "$root"
  else
    export -f use_installed fail
    unshare --mount --pid --fork --kill-child bash -euo pipefail -c 'use_installed "$1"' bash "$root"
  fi
  echo "package: $(basename "$package") was installed, used and removed"
  exit 0
fi

if command -v lintian >/dev/null; then
  found=$(lintian --allow-root --fail-on none --tag-display-limit 0 "$package")
  [ -z "$found" ] || { echo "$found" >&2; fail "lintian has complaints"; }
else
  echo "package: lintian is not installed, so not asked"
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
