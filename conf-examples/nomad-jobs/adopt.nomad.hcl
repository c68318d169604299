# Completes the results of running containers that CHECK would fail. Without write=true it only tells what it would do.
# Each client prints its answer as one line of JSON. docs/upgrade-a-fleet.md shows how to use it.

variable "write" {
  type        = bool
  default     = false
  description = "write the results and the records, with a backup"
}

variable "node" {
  type        = string
  default     = ".*"
  description = "a regular expression for the whole names of the clients"
}

variable "options" {
  type        = string
  default     = ""
  description = "further options, such as --config-dir /etc/cni/net.d --cni-path /opt/cni/bin: without them, the client's agent names the directories"
}

job "cni-adopt" {
  type        = "sysbatch"
  datacenters = ["*"]

  # Nomad runs a job again only if it differs.
  meta {
    run = uuidv4()
  }

  constraint {
    attribute = "${node.unique.name}"
    operator  = "regexp"
    value     = "^(${var.node})$"
  }

  group "host" {
    restart {
      attempts = 0
      mode     = "fail"
    }

    task "adopt" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        # Exit code 1 says that a container is left that CHECK would fail. The job itself did its work.
        args = ["-c", <<-EOT
          answer=$(cni-wrappers adopt --json ${var.write ? "--write" : ""} ${var.options})
          code=$?
          printf '%s' "$answer" | tr -d '\n'
          echo
          [ $code -lt 2 ]
        EOT
        ]
      }

      resources {
        cpu    = 100
        memory = 256
      }
    }
  }
}
