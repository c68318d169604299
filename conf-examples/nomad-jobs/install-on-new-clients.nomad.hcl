# Installs the wrappers on each client that joins. On the others it upgrades one after the other, or changes
# nothing. docs/operations.md shows how to use it.

variable "release" {
  type        = string
  description = "the address of the directory with the archives"
}

variable "version" {
  type        = string
  description = "the version in the names of the archives"
}

variable "arch" {
  type        = string
  default     = "amd64"
  description = "the architecture of the archives: only clients of this one get them"
}

variable "checksum" {
  type        = string
  description = "the slim flavor's checksum, such as sha256:0123..."
}

variable "tools_checksum" {
  type        = string
  description = "the same of the Node flavor, which has the commands"
}

variable "commands" {
  type        = string
  default     = "/usr/local/bin"
  description = "the directory in PATH that gets the commands: not the one of the wrappers"
}

variable "reload" {
  type        = string
  default     = "systemctl reload nomad"
  description = "runs after the installation: SIGHUP makes the client read the plugins' versions again. Empty: nothing runs"
}

variable "options" {
  type        = string
  default     = ""
  description = "options of preflight, such as --config-dir /opt/cni/config --cni-path /opt/cni/bin: without them, the client's agent must name the directories"
}

job "cni-install-on-new-clients" {
  type        = "system"
  datacenters = ["*"]

  constraint {
    attribute = "${attr.cpu.arch}"
    value     = var.arch
  }

  # The wrappers need the reference plugins 1.3.0 or later.
  constraint {
    attribute = "${attr.plugins.cni.version.bridge}"
    operator  = "semver"
    value     = ">= 1.3.0"
  }

  update {
    max_parallel = 1
  }

  group "host" {
    restart {
      attempts = 0
      mode     = "fail"
    }

    task "install" {
      driver = "raw_exec"

      artifact {
        source      = "${var.release}/cni-wrappers-linux-${var.arch}-v${var.version}.tgz"
        destination = "local/archive.tgz"
        mode        = "file"
        options {
          archive  = "false"
          checksum = var.checksum
        }
      }

      artifact {
        source      = "${var.release}/cni-wrappers-tools-linux-${var.arch}-v${var.version}.tgz"
        destination = "local/tools.tgz"
        mode        = "file"
        options {
          archive  = "false"
          checksum = var.tools_checksum
        }
      }

      config {
        command = "/bin/sh"
        # Nomad starts a task of a system job again when it ends. So this one stays.
        args = ["-c", "${file("install.sh")}\nexec sleep infinity"]
      }

      env {
        CHECKSUM       = var.checksum
        TOOLS_CHECKSUM = var.tools_checksum
        COMMANDS       = var.commands
        RELOAD         = var.reload
        OPTIONS        = var.options
      }

      resources {
        cpu    = 100
        memory = 512
      }
    }
  }
}
