# Installs the archives that Nomad has downloaded. If more containers fail CHECK than before, it puts the old version of
# the wrappers back. install.nomad.hcl and install-on-new-clients.nomad.hcl run it on each client.
set -eu
cd "$NOMAD_TASK_DIR"

# A rename also replaces commands that run.
cp tools/cni-wrappers "$COMMANDS/.cni-wrappers.new"
mv -f "$COMMANDS/.cni-wrappers.new" "$COMMANDS/cni-wrappers"

failing() {
  answer=$(tools/cni-wrappers preflight --json) || [ $? = 1 ]
  printf '%s' "$answer" | grep -o '"is": *"fails"' | wc -l
}

before=$(failing)
installed=$(tools/cni-wrappers install --json --from archive.tgz)
printf '%s' "$installed" | tr -d '\n'
echo
after=$(failing)
if [ "$after" -gt "$before" ]; then
  echo "$after containers fail CHECK now, and $before failed it before" >&2
  case $installed in
  *'"is": "replaced"'*) tools/cni-wrappers install --rollback >&2 ;;
  esac
  exit 1
fi
# SIGHUP makes the client read the plugins' versions and the lists again. It needs no restart.
systemctl reload nomad
