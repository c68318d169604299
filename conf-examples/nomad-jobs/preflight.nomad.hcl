# Tells for each client what its next restart would do to the running containers. It changes nothing. Each client prints
# its answer as one line of JSON. docs/upgrade-a-fleet.md shows how to use it.

variable "with" {
  type        = string
  default     = ""
  description = "check with this list instead of the installed one of its name"
}

variable "options" {
  type        = string
  default     = ""
  description = "further options, such as --config-dir /etc/cni/net.d --cni-path /opt/cni/bin: without them, the client's agent names the directories"
}

locals {
  with = var.with == "" ? "" : "--with '${var.with}'"
}

job "cni-preflight" {
  type        = "sysbatch"
  datacenters = ["*"]

  # Nomad runs a job again only if it differs.
  meta {
    run = uuidv4()
  }

  group "host" {
    restart {
      attempts = 0
      mode     = "fail"
    }

    task "preflight" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        # Exit code 1 says that a CHECK would fail. The job itself did its work.
        args = ["-c", <<-EOT
          answer=$(cni-wrappers preflight --json ${local.with} ${var.options})
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
