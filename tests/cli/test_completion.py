"""The completion scripts of the shells."""
import os
import subprocess

import pytest

from machine import BIN, DEADLINE_S


def completed(howdah, words, cwd):
    """The offered words for the last word. bash divides words at `=`."""
    script = howdah("completion", "bash").stdout
    quoted = " ".join(f"'{word}'" for word in words)
    check = f"{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _howdah\n"
    check += "printf '%s\\n' \"${COMPREPLY[@]}\""
    env = {**howdah.env, "PATH": f"{BIN.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-uec", check], env=env, cwd=cwd, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done
    return set(done.stdout.splitlines())


@pytest.mark.parametrize("words, offered", [
    (["ki"], {"kill"}),
    (["logs", "--st"], {"--stdout", "--stderr"}),
    (["completion", ""], {"bash", "zsh", "fish"}),
    (["status", "la"], {"last"}),
    (["status", "how"], {"ID"}),
    (["kill", "last", "la"], {"last"}),
    (["logs", "--tail", "5", "la"], {"last"}),
    (["logs", "last", "--attempt", "my"], {"my job.yaml"}),
    (["run", "my"], {"my job.yaml"}),
    (["run", "my job.yaml", "--", "my"], {"my job.yaml"}),
    (["--on", "l"], {"local"}),
    (["--on", "local", "ki"], {"kill"}),
    (["--on", "=", "local", "status", "how"], {"ID"}),
    (["status", "--on", "local", "la"], {"last"}),
    (["history", "me"], {"metrics"}),
    (["history", "metrics", "la"], {"last"}),
    (["history", "diff", "last", "la"], {"last"}),
    (["history", "list", "--us"], {"--user"}),
    (["queue", ""], {"priority", "move"}),
    (["queue", "--w"], {"--watch"}),
    (["queue", "move", "la"], {"last"}),
    (["portal", "token", "--rev"], {"--revoke"}),
    *[([command, "la"], {"last"})
      for command in ("outputs", "result", "stacks", "advise", "feed", "goodput", "wait", "renew", "events")],
])
def test_bash_completes_commands_flags_and_values(howdah, tmp_path, words, offered):
    (tmp_path / "my job.yaml").touch()
    job = howdah("run", "hello.yaml").id if "ID" in offered else ""
    assert completed(howdah, ["howdah", *words], tmp_path) == {word.replace("ID", job) for word in offered}
