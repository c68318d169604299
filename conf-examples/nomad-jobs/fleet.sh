#!/bin/sh
# Runs a step of client.sh on the clients, or another job, and prints the answer of each client.
#
#   fleet.sh check zone.conflist       says what a restart with this list would do
#   fleet.sh list zone.conflist        adopts the containers, and puts the list into CONFIG_DIR (/opt/cni/config)
#   fleet.sh back zone.conflist        puts the list back that was there before
#   fleet.sh restart                   restarts one client after the other, and stops at the first that gets worse
#   fleet.sh preflight >answers.jsonl
#   fleet.sh adopt --undo
#   fleet.sh run install.nomad.hcl -var-file rollout.hcl
#
# NODE is a regular expression for the whole names of the clients, OPTIONS are further options of the commands, VARS further
# flags of `nomad job run`. The exit code is 1 if it failed on a client, and 2 if it ran on no client, or not on one that fits NODE,
# or if Nomad does not tell: the job stays then.
set -eu
export NOMAD_CLI_SHOW_HINTS=false

# An error of the API is not the end of the job.
read_allocations() {
  for _ in 1 2 3 4 5; do
    ! allocations=$(nomad job allocs -t '{{range .}}{{println .NodeName .ID .ClientStatus}}{{end}}' "$job") || return 0
    sleep 1
  done
  echo "Nomad does not tell the allocations of $job. They may still run, so the job stays." >&2
  exit 2
}

has_status() {
  printf '%s\n' "$allocations" | grep -q -E " ($1)\$"
}

allocations=

# Runs a job, waits until it has ended, prints the answer of each client, and removes the job.
run() {
  job=cni-$(basename "$1" .nomad.hcl)
  file=$1
  shift
  # A job of this name that runs would end in the middle, and its terminal would show the answers of this one.
  said=$(nomad job run -check-index 0 "$@" "$file" 2>&1) || {
    printf '%s\n' "$said" >&2
    case $said in *'already exists'*) echo "another fleet.sh runs $job, or one was cut off. Once it has ended: nomad job stop -purge $job" >&2 ;; esac
    return 2
  }
  read_allocations
  while has_status 'pending|running'; do
    sleep 1
    read_allocations
  done
  # Nomad may write the last lines of a log after it has told that the task ended.
  sleep 1
  code=0
  ! has_status 'failed|lost|unknown' || code=1
  for id in $(printf '%s\n' "$allocations" | sort | cut -d ' ' -f 2); do
    nomad alloc logs -stderr -- "$id" >&2 || code=1
    nomad alloc logs -- "$id" || code=1
  done
  nomad job stop -purge "$job" >/dev/null
  return $code
}

# Name, id and status of the clients that fit NODE, a line each.
clients() {
  nodes=$(nomad node status -t '{{range .}}{{println .Name .ID .Status}}{{end}}') || return 2
  printf '%s\n' "$nodes" | grep -E "^($NODE) " | sort
}

# The clients that fit NODE, and on which the job did not run. An empty line is no client.
left_out() {
  found=$(clients) || return 2
  printf '%s\n' "$found" | while read -r client _; do
    printf '\n%s\n' "$allocations" | cut -d ' ' -f 1 | grep -q -F -x "$client" || printf ' %s' "$client"
  done
}

step() {
  name=$1
  shift
  code=0
  run fleet.nomad.hcl -var step="$name" -var node="$NODE" -var options="${OPTIONS:-}" ${VARS:-} "$@" || code=$?
  [ $code != 0 ] || [ -n "$allocations" ] || {
    echo "Nomad ran nothing: no client fits NODE=$NODE that is ready and eligible" >&2
    code=2
  }
  left=
  [ -z "$allocations" ] || left=$(left_out) || {
    echo "Nomad does not tell its clients, so nobody knows whether the step ran on all" >&2
    [ $code != 0 ] || code=2
  }
  [ -z "$left" ] || {
    echo "Nomad ran nothing on$left: not ready, not eligible, of another node pool, or without raw_exec" >&2
    [ $code != 0 ] || code=2
  }
  return $code
}

# The allocations that run on a client.
running() {
  nomad node status -- "$1" | sed -n '/^Allocations/,$p' | grep -E '^[0-9a-f]+ .* run +running ' | cut -d ' ' -f 1
}

status_and_reason='{{.ClientStatus}}{{range .TaskStates}}{{range .Events}}{{if .FailsTask}}: {{.DisplayMessage}}{{end}}{{end}}{{end}}'

# The first client that gets worse ends the run. The next run finds those that are done, each by its own evidence.
restart() {
  found=$(clients)
  [ -n "$found" ] || {
    echo "no client fits NODE=$NODE" >&2
    exit 2
  }
  printf '%s\n' "$found" | while read -r client id status; do
    [ "$status" = ready ] || stop "$client" "it is $status"
    before=$(running "$id")
    failed=
    NODE=$(printf '%s' "$client" | sed 's/[][\\.*^$+?(){}|]/\\&/g') step restart </dev/null || failed=yes
    for allocation in $before; do
      status=$(nomad alloc status -t "$status_and_reason" -- "$allocation" | tr -d '[:cntrl:]')
      case $status in running* | complete*) ;; *) stop "$client" "allocation $allocation ran before, and is $status" ;; esac
    done
    [ -z "$failed" ] || stop "$client" "see above"
  done
}

stop() {
  echo "stopped at $1: $2. The clients after it are as they were. Run the same command when it is cured." >&2
  exit 1
}

# A client's name in a wrong place must not mean all clients.
refuse() {
  echo "$1" >&2
  exit 2
}

NODE=${NODE:-.*}
directory=${CONFIG_DIR:-/opt/cni/config}
verb=${1:-}
[ $# = 0 ] || shift
text=
case $verb in
preflight | adopt) step "$verb" -var options="${OPTIONS:-} $*" ;;
check | list | back)
  [ $# = 1 ] && [ -n "$1" ] || refuse "name the file: fleet.sh $verb zone.conflist. NODE names the clients"
  [ "$verb" = back ] || text=$(base64 -w 0 "$1") || exit 2
  step "$verb" -var list="$directory/$(basename "$1")" ${text:+-var text="$text"}
  ;;
restart)
  [ $# = 0 ] || refuse "restart takes no name: NODE names the clients, as in NODE=$1 fleet.sh restart"
  restart
  ;;
run)
  [ $# != 0 ] || refuse "name the job: fleet.sh run install.nomad.hcl"
  run "$@"
  ;;
*) sed -n '2,/^set/s/^# \?//p' "$0" >&2 && exit 2 ;;
esac
