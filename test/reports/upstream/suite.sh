# suite.sh SOURCES PROGRAMS RESULTS PACKAGE...: runs the compiled suites of these packages, each in namespaces of its own.
# PROGRAMS/focus is an expression for the names of the tests that run.
sources=$1 programs=$2 results=$3
shift 3
# A netlink message about an IPv6 address does not load the module, and some suites ask for it in no other way.
[ -z "$CNI_WRAPPERS_SECOND_KERNEL" ] || /run/modprobe ipv6
for package; do
  name=$(echo "$package" | tr / _)
  unshare -n -m -p -f --mount-proc --kill-child --propagation private sh -ec '
    mkdir -p /run/netns /run/programs
    mount -t tmpfs none /run/netns
    mount --make-shared /run/netns
    # In the second kernel the root is read-only. The results are elsewhere.
    [ -z "$CNI_WRAPPERS_SECOND_KERNEL" ] || mount -t tmpfs none /tmp
    mount -t tmpfs none /var/lib
    ip link set lo up
    cd "$1/$2"
    umask 0
    export PROGRAMS="$3" PATH="$3:$3/shim:$PATH"
    exec timeout 400 "$3/$4.test" --ginkgo.focus="$(cat "$3/focus")" --ginkgo.json-report="$5/$4.json" --ginkgo.no-color
  ' sh "$sources" "$package" "$programs" "$name" "$results" >"$results/$name.log" 2>&1
done
exit 0
