# Runs as the first process in namespaces of its own, in the folder of a bare Debian: makes the folder the root, with the
# mounts of its fstab, and runs the commands in the clone. Everything but the folder ends with this process.
set -eu
mount --bind . "$PWD"
cd "$PWD"
mount --all --fstab fstab
# A test's nsenter would leave a chroot.
pivot_root . mnt
cd /root/cni-wrappers
umount --lazy /mnt
for command; do
  echo "== $command"
  sh -c "$command" && status=0 || status=$?
  echo "== exit code $status"
done
