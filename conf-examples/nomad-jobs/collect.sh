#!/bin/sh
# Runs a job of this directory on the clients, waits until it has ended, and prints the answer of each client. The exit
# code is 1 if it failed on a client.
#
#   collect.sh preflight.nomad.hcl >answers.jsonl
#   collect.sh adopt.nomad.hcl -var write=true >adopted.jsonl
set -eu

file=$1
shift
job=cni-$(basename "$file" .nomad.hcl)

allocations() {
  nomad job allocs -t "{{range .}}{{println .$1}}{{end}}" "$job"
}

nomad job run "$@" "$file" >&2
while allocations ClientStatus | grep -q -e pending -e running; do
  sleep 1
done
# Nomad may write the last lines of a log after it has told that the task ended.
sleep 1
for id in $(allocations ID); do
  nomad alloc logs -stderr "$id" >&2
  nomad alloc logs "$id"
done
code=0
! allocations ClientStatus | grep -q -e failed -e lost || code=1
nomad job stop -purge "$job" >&2
exit $code
