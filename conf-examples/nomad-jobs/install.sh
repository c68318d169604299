# Installs the archives that Nomad has downloaded. If more containers fail CHECK than before, it puts the old version of
# the wrappers back. install.nomad.hcl and install-on-new-clients.nomad.hcl run it on each client.
set -eu
cd "$NOMAD_TASK_DIR"

# The commands and the wrappers have the same name: in one directory the commands would replace the wrappers.
if [ "$COMMANDS" -ef /opt/cni/bin ] || [ -L "$COMMANDS/bridge-wrapper" ] || [ -e "$COMMANDS/.cni-wrappers" ]; then
  echo "$COMMANDS is the directory of the wrappers: name another one with -var commands=" >&2
  exit 1
fi
# A rename also replaces commands that run.
cp tools/cni-wrappers "$COMMANDS/.cni-wrappers.new"
mv -f "$COMMANDS/.cni-wrappers.new" "$COMMANDS/cni-wrappers"

failing() {
  answer=$(tools/cni-wrappers preflight --json $OPTIONS) || [ $? = 1 ] || return 2
  case $answer in *'"attachments"'*) ;; *) return 2 ;; esac
  printf '%s' "$answer" | grep -o '"is": *"fails"' | wc -l
}

go_back() {
  case $installed in
  *'"is": "replaced"'*) tools/cni-wrappers install --rollback >&2 ;;
  esac
  exit 1
}

before=$(failing) || {
  echo "preflight could not look at everything, so nothing is installed" >&2
  exit 1
}
installed=$(tools/cni-wrappers install --json --from archive.tgz)
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
