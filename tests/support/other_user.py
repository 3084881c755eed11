"""Runs programs as another user of the machine. The tests that need another user run as root."""
import os
import subprocess

import pytest

UID = 61001  # outside the ranges that Debian assigns; needs no entry in /etc/passwd

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as another user")

_MOUNT = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
CAN_MOUNT = os.geteuid() == 0 and subprocess.run(_MOUNT, capture_output=True).returncode == 0
NO_MOUNTS = "this machine does not allow mounts"
needs_mounts = pytest.mark.skipif(not CAN_MOUNT, reason=NO_MOUNTS)


def as_other(command, uid=UID):
    """The command line that runs `command` as the other user, without root's groups and capabilities."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
            *map(str, command)]


def run_as_other(*command, uid=UID, **kwargs):
    """Runs a command as the other user to its end, at most a minute."""
    return subprocess.run(as_other(command, uid), **{"capture_output": True, "text": True, "timeout": 60, **kwargs})


def start_as_other(*command, uid=UID, **kwargs):
    return subprocess.Popen(as_other(command, uid), **{"text": True, **kwargs})


def python_as_other(script, *arguments, uid=UID, **kwargs):
    """Runs a Python script, given as text, as the other user."""
    return run_as_other("/usr/bin/python3", "-c", script, *arguments, uid=uid, **kwargs)
