# Runs as the first process in a lab's private namespaces. It makes them look like a host with CNI plugins, prints
# "ready", and stays until its input is closed. No other process sees its mounts, and they end with it.
set -eu
plugins=$1 wrappers=$2 drivers=$3 node=$4 recorded=$5 users=$6 disk=$7
shift 7 # the rest are names and files of programs

# Binds everything from outside first, because later mounts hide parts of the file system.
mount -t tmpfs lab /run
mkdir -p /run/netns /run/lab/plugins /run/lab/wrappers /run/lab/drivers /run/lab/programs /run/lab/net.d /run/lab/records
mount --bind "$plugins" /run/lab/plugins
mount --bind "$wrappers" /run/lab/wrappers
mount --bind "$drivers" /run/lab/drivers
touch /run/lab/node
mount --bind "$node" /run/lab/node
while [ $# -gt 0 ]; do
  touch "/run/lab/programs/$1"
  mount --bind "$2" "/run/lab/programs/$1"
  shift 2
done
mount --bind /run/netns /run/netns
mount --make-shared /run/netns
mount -t tmpfs lab /opt
if [ "$disk" ]; then
  mount --bind "$disk" /var/lib
  # The second kernel boots for each lab. Its own boot id is another one.
  if [ -z "${CNI_WRAPPERS_SECOND_KERNEL-}" ]; then
    cat /proc/sys/kernel/random/uuid >/run/lab/boot_id
    mount --bind /run/lab/boot_id /proc/sys/kernel/random/boot_id
  fi
else
  mount -t tmpfs lab /var/lib
fi
# A log that a test writes must not reach the machine.
mount -t tmpfs lab /var/log
# This also hides the machine's control groups: programs in a test must not make any there.
umount --recursive --lazy /sys
mount -t sysfs lab /sys
mkdir -p /opt/cni/bin /var/lib/cni

# install_all FROM TO: like cp -P, but binds files, because a wrapper has a hundred megabytes. One cp and one mount do
# all of it: a process for each file would take most of a lab's start.
install_all() {
  links=
  for file in "$1"/*; do
    if [ -L "$file" ]; then
      links="$links $file"
    else
      : >"$2/${file##*/}"
      echo "$file $2/${file##*/} none bind"
    fi
  done >/run/lab/fstab
  mount --all --fstab /run/lab/fstab
  [ -z "$links" ] || cp -P $links "$2"
}

if [ "$recorded" = recorded ]; then
  mkdir /run/lab/real
  install_all /run/lab/plugins /run/lab/real
  install_all /run/lab/wrappers /run/lab/real
  echo '{"real": "/run/lab/real", "out": "/run/lab/records"}' >/opt/cni/bin/recorder.json
  for file in /run/lab/real/*; do
    ln -s /run/lab/drivers/recorder "/opt/cni/bin/${file##*/}"
  done
else
  install_all /run/lab/plugins /opt/cni/bin
  install_all /run/lab/wrappers /opt/cni/bin
fi

# Container runtimes also read and write in these places. They get cgroup v2 even if the host has another layout.
if [ "$users" = runtimes ]; then
  cp -a /etc /run/lab/etc
  rm -rf /run/lab/etc/cni/net.d
  mkdir -p /run/lab/etc/cni/net.d
  mount --bind /run/lab/etc /etc
  for directory in /dev/shm /tmp /var/tmp; do mount -t tmpfs lab "$directory"; done
  mount -t cgroup2 lab /sys/fs/cgroup
fi

# uplink0 is the parent of macvlan interfaces, and uplink1 the network behind it.
ip -batch - <<END
link set lo up
link add uplink0 type veth peer name uplink1
link set uplink0 up
link set uplink1 up
END

echo ready
# Without exec, the shell stays this namespace's init and adopts processes whose parents ended.
cat
