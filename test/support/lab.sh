# Runs as the first process in a lab's private namespaces. It makes them look like a host with CNI plugins, prints
# "ready", and stays until its input is closed. No other process sees its mounts, and they end with it.
set -eu
plugins=$1 wrappers=$2 drivers=$3 node=$4 recorded=$5 users=$6 kernel=$7 disk=$8
shift 8 # the rest are names and files of programs

# Each process costs a lab time, above all in the second kernel: so one mount(8) makes as many mounts as possible.
mount -t tmpfs lab /run
mkdir -p /run/netns /run/lab/plugins /run/lab/wrappers /run/lab/drivers /run/lab/programs /run/lab/net.d \
  /run/lab/records /run/lab/real
# This also hides the machine's control groups: programs in a test must not make any there.
umount --lazy /sys
: >/run/lab/node
# Everything from outside comes first, because later mounts hide parts of the file system.
{
  echo "$plugins /run/lab/plugins none bind"
  echo "$wrappers /run/lab/wrappers none bind"
  echo "$drivers /run/lab/drivers none bind"
  echo "$node /run/lab/node none bind"
  while [ $# -gt 0 ]; do
    : >"/run/lab/programs/$1"
    echo "$2 /run/lab/programs/$1 none bind"
    shift 2
  done
  echo "lab /opt tmpfs"
  if [ "$disk" ]; then echo "$disk /var/lib none bind"; else echo "lab /var/lib tmpfs"; fi
  # A log that a test writes must not reach the machine.
  echo "lab /var/log tmpfs"
  echo "lab /sys sysfs"
  # The second kernel boots for each lab with a disk. Its own boot id is another one.
  if [ "$disk" ] && [ "$kernel" != second ]; then
    cat /proc/sys/kernel/random/uuid >/run/lab/boot_id
    echo "/run/lab/boot_id /proc/sys/kernel/random/boot_id none bind"
  fi
} >/run/lab/fstab
mount -o bind,shared /run/netns /run/netns
mount --all --fstab /run/lab/fstab

# install_all FROM TO: like cp -P, but binds files, because a wrapper has a hundred megabytes. It writes the mounts to
# the fstab, and the links that it leaves to cp are in $links.
install_all() {
  for file in "$1"/*; do
    if [ -L "$file" ]; then
      links="$links $file"
    elif [ -f "$file" ]; then
      : >"$2/${file##*/}"
      echo "$file $2/${file##*/} none bind"
    fi
  done >>/run/lab/fstab
}

bin=/opt/cni/bin links=
mkdir -p $bin
[ "$recorded" = plain ] || bin=/run/lab/real
: >/run/lab/fstab
install_all /run/lab/plugins $bin
install_all /run/lab/wrappers $bin
mount --all --fstab /run/lab/fstab
[ -z "$links" ] || cp -P $links $bin

if [ "$recorded" = recorded ]; then
  echo '{"real": "/run/lab/real", "out": "/run/lab/records"}' >/opt/cni/bin/recorder.json
  for file in /run/lab/real/*; do
    ln -s /run/lab/drivers/recorder "/opt/cni/bin/${file##*/}"
  done
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
unset PWD
/run/lab/drivers/gocni serve
