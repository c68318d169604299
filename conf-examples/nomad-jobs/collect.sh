#!/bin/sh
# Runs a job of this directory on the clients, waits until it has ended, and prints the answer of each client.
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
for id in $(allocations ID); do
  nomad alloc logs -stderr "$id" >&2
  nomad alloc logs "$id"
done
nomad job stop -purge "$job" >&2
