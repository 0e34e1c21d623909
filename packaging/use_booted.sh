#!/bin/bash
# What an administrator does with the package, inside a machine that systemd has booted; started there by test_package.sh.
# The last line of /root/log is "done" if all of it went well.
exec >/root/log 2>&1
set -exo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive POCL_DEVICES="basic basic"
what() { systemctl show sam-managerd -p "$1" --value; }

apt-get install -y -qq /samcl.deb
systemctl enable sam-managerd
systemctl start sam-managerd
sam-run --manager required -- clinfo -l | tee /root/devices
[ "$(grep -c "Device #" /root/devices)" = 1 ]
sam-doctor
sam-ctl register clock --priority 5 --period 10ms

# The configuration is read again; what is wrong in it is said, and the old one stays.
mkdir -p /etc/samcl
echo "policy = 'edf'" >/etc/samcl/sam-managerd.toml
systemctl reload sam-managerd
until sam-ctl status | grep "policy edf"; do sleep 0.1; done

# Its death is the end of nothing.
kill -9 "$(what MainPID)"
until [ "$(what NRestarts)" = 1 ] && [ "$(what ActiveState)" = active ]; do sleep 0.1; done
sam-ctl list | grep clock

# Nor is a hang: the watchdog ends it.
mkdir -p /run/systemd/system/sam-managerd.service.d
printf '[Service]\nWatchdogSec=2s\n' >/run/systemd/system/sam-managerd.service.d/quick.conf
systemctl daemon-reload
systemctl restart sam-managerd
before=$(what MainPID)
kill -STOP "$before"
until [ "$(what MainPID)" != "$before" ] && [ "$(what ActiveState)" = active ]; do sleep 0.1; done
journalctl -u sam-managerd | grep -i "watchdog timeout"

# The socket alone starts it.
systemctl stop sam-managerd.service sam-managerd.socket
systemctl start sam-managerd.socket
sam-ctl list | grep clock
systemd-analyze security --threshold=30 sam-managerd | tail -n 1

apt-get purge -y -qq samcl
[ -z "$(find / -xdev \( -path /proc -o -path /var/lib/dpkg -o -path /var/log -o -path /tmp -o -path /root \) -prune -o \
  \( -name '*samcl*' -o -name 'sam-*' \) -print | grep -vFx /samcl.deb)" ]
! grep -x sam-managerd /proc/[0-9]*/comm
set +x
echo done
