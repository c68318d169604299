# Runs a step of client.sh on the clients. fleet.sh starts it, and docs/upgrade-a-fleet.md shows how to use it.

variable "step" {
  type        = string
  description = "preflight, adopt, check, list, back or restart"
}

variable "node" {
  type        = string
  default     = ".*"
  description = "a regular expression for the whole names of the clients"
}

variable "options" {
  type        = string
  default     = ""
  description = "further options of the commands, such as --config-dir /opt/cni/config --cni-path /opt/cni/bin: without them, the client's agent names the directories"
}

variable "list" {
  type        = string
  default     = ""
  description = "the path of the list on the clients"
}

variable "text" {
  type        = string
  default     = ""
  description = "the list's new text, in base64"
}

variable "restart" {
  type        = string
  default     = "systemctl restart nomad"
  description = "restarts the client, and leaves its tasks running"
}

variable "agent" {
  type        = string
  default     = "systemctl show --property MainPID --value nomad"
  description = "prints the process id of the client"
}

variable "settle" {
  type        = number
  default     = 600
  description = "the most seconds after a restart until the client has checked its containers"
}

job "cni-fleet" {
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

    task "step" {
      driver = "raw_exec"

      config {
        command = "/bin/sh"
        args    = ["-c", file("client.sh")]
      }

      env {
        STEP    = var.step
        OPTIONS = var.options
        LIST    = var.list
        TEXT    = var.text
        RESTART = var.restart
        AGENT   = var.agent
        SETTLE  = var.settle
        NODE    = "${node.unique.name}"
      }

      resources {
        cpu    = 100
        memory = 256
      }
    }
  }
}
