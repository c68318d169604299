#!/bin/sh
# The first process of the second kernel. The root is the host's, read-only. `folder`, from the kernel's command line, is
# the host's folder for this boot: it has the job, and gets the output.
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mkdir -p /dev/shm /run/tmp /run/modules/lib
mount -t tmpfs tmpfs /dev/shm
mount -t hostfs shared /mnt -o "$folder"
ln -s /proc/self/fd /dev/fd

# The kernel asks for most modules by itself. Nothing asks for tun: its device is made by the module. iptables asks for its
# own modules, but a lab hides this modprobe from it.
ln -s /usr/lib/uml/modules /run/modules/lib/modules
printf '#!/bin/sh\nexec modprobe -d /run/modules "$@"\n' >/run/modprobe
chmod +x /run/modprobe
echo /run/modprobe >/proc/sys/kernel/modprobe
/run/modprobe --all tun ip_tables ip6_tables
# This kernel has nf_tables without IPv4 and IPv6, so iptables must be the older one.
mount --bind /usr/sbin/xtables-legacy-multi /usr/sbin/xtables-nft-multi

sh /mnt/job </dev/null >/mnt/stdout 2>/mnt/stderr
echo $? >/mnt/exit-code
echo o >/proc/sysrq-trigger
# init must not end before the kernel.
sleep 60
