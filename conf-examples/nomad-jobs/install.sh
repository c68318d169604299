# Installs the archives that Nomad has downloaded. If more containers fail CHECK than before, it puts the old version of
# the wrappers back. install.nomad.hcl and install-on-new-clients.nomad.hcl run it on each client.
set -eu

# The commands and the wrappers have the same name: in one directory the commands would replace the wrappers.
if [ "$COMMANDS" -ef /opt/cni/bin ] || [ -L "$COMMANDS/bridge-wrapper" ] || [ -e "$COMMANDS/.cni-wrappers" ]; then
  echo "$COMMANDS is the directory of the wrappers: name another one with -var commands=" >&2
  exit 1
fi
# Every user may write to the directory of a task, unless he is kept out of the client's data_dir. So copies are compared and used,
# and neither a pipe nor a file without an end holds the job or fills the disk.
own=$COMMANDS/.cni-wrappers.new
rm -rf "$own"
mkdir -m 700 "$own"
trap 'rm -rf "$own"' EXIT
for name in archive tools; do timeout 300 head -c 268435456 "$NOMAD_TASK_DIR/$name.tgz" >"$own/$name.tgz"; done
cd "$own"

# A checksum has the algorithm before it, such as sha256:0123...
compare() {
  echo "$(echo "$1" | cut -d : -f 2)  $2" | "$(echo "$1" | cut -d : -f 1)sum" -c - >/dev/null || {
    echo "$2 does not have the checksum $1, so nothing is installed" >&2
    exit 1
  }
}
compare "$CHECKSUM" archive.tgz
compare "$TOOLS_CHECKSUM" tools.tgz
tar -xzf tools.tgz ./cni-wrappers
# A rename also replaces commands that run.
mv -f cni-wrappers "$COMMANDS"
cd /

failing() {
  answer=$("$COMMANDS/cni-wrappers" preflight --json $OPTIONS) || [ $? = 1 ] || return 2
  case $answer in *'"attachments"'*) ;; *) return 2 ;; esac
  printf '%s' "$answer" | grep -o '"is": *"fails"' | wc -l
}

go_back() {
  case $installed in
  *'"is": "replaced"'*) "$COMMANDS/cni-wrappers" install --rollback >&2 ;;
  esac
  exit 1
}

before=$(failing) || {
  echo "preflight could not look at everything, so nothing is installed" >&2
  exit 1
}
installed=$("$COMMANDS/cni-wrappers" install --json --from "$own/archive.tgz")
# The job for new clients goes on with another program.
rm -rf "$own"
printf '%s' "$installed" | tr -d '\n'
echo
after=$(failing) || {
  echo "preflight cannot look at everything after the installation" >&2
  go_back
}
if [ "$after" -gt "$before" ]; then
  echo "$after containers fail CHECK now, and $before failed it before" >&2
  go_back
fi
# SIGHUP makes the client read the plugins' versions and the lists again. It needs no restart.
sh -c "$RELOAD" || {
  echo "installed, but the reload failed: $RELOAD" >&2
  exit 1
}
