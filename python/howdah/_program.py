"""Runs the program `howdah`, and turns its exit codes into exceptions."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, Sequence

from ._errors import HowdahError, Unavailable

_USAGE, _REFUSED, _KILLED, _TIMED_OUT = 2, 3, 4, 5
USAGE, REFUSED, TIMED_OUT = _USAGE, _REFUSED, _TIMED_OUT


def find() -> str:
    """The path of the program: in the environment of this interpreter, otherwise in PATH."""
    own = os.path.dirname(sys.executable or "")
    for folder in (own, *os.environ.get("PATH", "").split(os.pathsep), os.path.expanduser("~/.local/bin")):
        path = os.path.join(folder, "howdah")
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise HowdahError("the program `howdah` is not in PATH; install it with `pip install howdah`")


class Done:
    """The outcome of a call of `howdah`."""

    def __init__(self, code: int, stdout: bytes, stderr: str) -> None:
        self.code, self.stdout, self.stderr = code, stdout, stderr

    @property
    def message(self) -> str:
        """The program's messages on stderr, without its name."""
        lines = [line[len("howdah: ") :] if line.startswith("howdah: ") else line for line in self.stderr.splitlines()]
        return "\n".join(lines).strip() or f"howdah ended with exit code {self.code}"


def call(arguments: Sequence[str], *, input: bytes | None = None, timeout: float | None = None) -> Done:
    """Runs `howdah ARGUMENTS` to its end. Raises TimeoutError."""
    try:
        done = subprocess.run(
            [find(), *arguments],
            input=input if input is not None else b"",
            capture_output=True,
            timeout=timeout,
            start_new_session=True,  # Ctrl-C in the terminal reaches only this program, which decides what to stop
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"`howdah {arguments[0]}` took longer than {timeout:g} s") from None
    return Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def check(done: Done) -> Done:
    """Returns `done` if the call succeeded, and otherwise raises the exception for its exit code."""
    if done.code == 0:
        return done
    if done.code == _REFUSED:
        raise Unavailable(done.message)
    raise HowdahError(done.message)


def output(arguments: Sequence[str], **options: Any) -> bytes:
    """The stdout of a call that succeeds."""
    return check(call(arguments, **options)).stdout


def stream(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts a call whose stdout is read while it runs. Ctrl-C in a terminal does not interrupt the call."""
    return subprocess.Popen(
        [find(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def on(backend: str | None) -> list[str]:
    """The flag that chooses the backend."""
    return [] if backend is None else ["--on", backend]


def backend_of(given: str | None) -> str:
    """The backend for a job: `given`, or else the backend that `howdah` chooses without --on."""
    if given:
        return given
    chosen = os.environ.get("HOWDAH_ON")
    if chosen:
        return chosen
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    try:
        with open(os.path.join(home, "howdah/config.yaml"), encoding="utf-8") as file:
            for line in file:
                key, _, value = line.partition(":")
                if key.strip() == "on":
                    return value.split("#")[0].strip().strip("'\"") or "local"
    except OSError:
        pass
    return "local"
