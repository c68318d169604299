#!/bin/sh
# Runs a job of this directory on the clients, waits until it has ended, and prints the answer of each client. The exit
# code is 1 if it failed on a client, and 2 if Nomad does not tell: the job stays then.
#
#   collect.sh preflight.nomad.hcl >answers.jsonl
#   collect.sh adopt.nomad.hcl -var write=true >adopted.jsonl
set -eu

file=$1
shift
job=cni-$(basename "$file" .nomad.hcl)

# An error of the API is not the end of the job.
read_allocations() {
  for _ in 1 2 3 4 5; do
    ! allocations=$(nomad job allocs -t '{{range .}}{{println .ID .ClientStatus}}{{end}}' "$job") || return 0
    sleep 1
  done
  echo "Nomad does not tell the allocations of $job. They may still run, so the job stays." >&2
  exit 2
}

has_status() {
  printf '%s\n' "$allocations" | grep -q -E " ($1)\$"
}

nomad job run "$@" "$file" >&2
read_allocations
while has_status 'pending|running'; do
  sleep 1
  read_allocations
done
# Nomad may write the last lines of a log after it has told that the task ended.
sleep 1
code=0
! has_status 'failed|lost|unknown' || code=1
for id in $(printf '%s\n' "$allocations" | cut -d ' ' -f 1); do
  nomad alloc logs -stderr "$id" >&2 || code=1
  nomad alloc logs "$id" || code=1
done
nomad job stop -purge "$job" >&2
exit $code
