# What fleet.nomad.hcl does on each client: the step that fleet.sh names. The Ansible role runs it, too.
set -eu

fail() {
  echo "$NODE: $*" >&2
  exit 1
}

# Exit code 1 says that something is left to do. The command itself did its work.
answer() {
  text=$(cni-wrappers "$@" --json $OPTIONS) || [ $? = 1 ] || return 2
  printf '%s' "$text" | tr -d '\n'
  echo
}

count() {
  printf '%s' "$text" | grep -o "\"is\": *\"$1\"" | wc -l
}

# Fails if a container would not survive a restart, and shows which, and why.
expect_good() {
  answer preflight "$@" >/dev/null || fail "preflight could not look at everything"
  [ "$(count fails)" = 0 ] && return 0
  cni-wrappers preflight "$@" $OPTIONS >&2 || true
  return 1
}

# The directories of the plugins, as preflight found them.
cni_path() {
  printf '%s' "$text" | tr -d '\n ' | sed 's/.*"plugins":\[\([^]]*\)\].*/\1/; s/"//g; s/,/:/g'
}

# The new list is in place in one step, and only if all containers survive a restart with it. They are adopted before.
put() {
  ! cmp -s "$new" "$LIST" || {
    echo "$NODE: $LIST is in place already"
    return
  }
  if [ -e "$LIST" ]; then
    text=$(cni-wrappers adopt --with "$new" --write $OPTIONS) || [ $? = 1 ] || {
      printf '%s\n' "$text" >&2
      fail "adopt could not look at everything, so $LIST stays as it is"
    }
    expect_good --with "$new" || fail "these containers need another list or a stopped client, so $LIST stays as it is"
    [ "$STEP" = back ] || {
      cp -p "$LIST" "$LIST.old.new"
      mv "$LIST.old.new" "$LIST.old"
    }
  fi
  mv "$new" "$LIST"
  # A container may have started after its neighbours were adopted.
  cni-wrappers adopt --write $OPTIONS >/dev/null || true
  expect_good || fail "$LIST is in place, and these containers do not survive a restart"
  echo "$NODE: $LIST is in place, and all containers survive a restart"
}

# An agent that does not run has started before every list.
agent_start() {
  age=$(ps -o etimes= -p "$(sh -c "$AGENT")" 2>/dev/null) || age=$(date +%s)
  echo $(($(date +%s) - age))
}

newest_list() {
  printf '%s' "$text" | grep -o '"file": *"[^"]*"' | cut -d '"' -f 4 | xargs -r -d '\n' sh -c 'stat -c %Z "$@"; stat -L -c %Z "$@"' sh | sort -n | tail -n 1
}

# Whether the agent is away, or runs a plugin.
is_checking() {
  pid=$(sh -c "$AGENT")
  [ -n "$pid" ] && [ -d "/proc/$pid" ] || return 0
  ps -o args= --ppid "$pid" | grep -q -E "(^| )($(cni_path | tr : '|'))/"
}

# The agent checks one container after the other. It is done when it has run no plugin for ten seconds.
wait_for_checks() {
  waited=0
  quiet=0
  while [ $quiet -lt 10 ]; do
    [ $waited -lt "$SETTLE" ] || fail "the client is not back, or still checks its containers, $SETTLE seconds after the restart"
    sleep 1
    waited=$((waited + 1))
    quiet=$((quiet + 1))
    ! is_checking || quiet=0
  done
}

restart() {
  expect_good || fail "these containers would not survive a restart, so the client was not restarted"
  passed=$(count passes)
  # Both times are in whole seconds.
  changed=$(newest_list)
  if [ "$(agent_start)" -gt $((changed + 1)) ]; then
    echo "$NODE: done already, since the client started after the newest list"
    return
  fi
  # This task goes on, as all tasks do.
  sh -c "$RESTART" || fail "the restart failed: $RESTART"
  wait_for_checks
  expect_good || fail "these containers fail CHECK after the restart"
  # The runtime has removed the networks of those that it killed.
  [ "$(count passes)" -ge "$passed" ] || fail "$(count passes) containers pass CHECK after the restart, and $passed before"
  echo "$NODE: restarted, and $(count passes) containers pass"
}

# A link stays one: its file is exchanged.
[ ! -L "$LIST" ] || LIST=$(readlink -f "$LIST") || fail "the list is a link that leads nowhere"
# A list that somebody prepares by hand is called zone.conflist.new.
new=$LIST.fleet
[ -z "$LIST" ] || trap 'rm -f "$new"' EXIT
case $STEP in
preflight | adopt) answer "$STEP" ;;
check | list)
  printf '%s' "$TEXT" | base64 -d >"$new"
  answer preflight >/dev/null || fail "preflight could not look at everything"
  # Exit code 1 may be a warning.
  found=$(cni-wrappers lint --host --cni-path "$(cni_path)" "$new") || [ $? = 1 ] || fail "lint could not look at everything"
  case $found in
  *': error: '*)
    printf '%s\n' "$found" >&2
    fail "lint found mistakes, so $LIST stays as it is"
    ;;
  esac
  [ "$STEP" = list ] || {
    answer preflight --with "$new"
    exit
  }
  put
  ;;
back)
  [ -e "$LIST.old" ] || fail "there is no $LIST.old"
  cp -p "$LIST.old" "$new"
  put
  ;;
restart) restart ;;
*) fail "there is no step $STEP" ;;
esac
