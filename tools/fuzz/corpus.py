"""The inputs that a fuzz target begins with.

  tests/fuzz/corpus/TARGET     files in git: valid inputs, and inputs that once showed a defect
  tests/fuzz/found/TARGET.txt  in git: the inputs that earlier runs found, one per line, bytes escaped as in Python
  build/fuzz/corpus/TARGET     files on this machine: all that its runs found, and those of the text
"""
import hashlib
import pathlib
import subprocess
import tempfile

MOST_BYTES = 64 << 10  # of the text of a target


def kept(target):
    return pathlib.Path("tests/fuzz/corpus") / target


def text_of(target):
    return pathlib.Path("tests/fuzz/found") / f"{target}.txt"


def found(target):
    return pathlib.Path("build/fuzz/corpus") / target


def unpack(target):
    """Makes the folder of found inputs, with those of the text."""
    found(target).mkdir(parents=True, exist_ok=True)
    lines = text_of(target).read_text("ascii").splitlines() if text_of(target).exists() else ()
    for line in lines:
        data = line.encode("ascii").decode("unicode_escape").encode("latin-1")
        (found(target) / hashlib.sha1(data).hexdigest()).write_bytes(data)


def keep(target, program, environment):
    """Writes the found inputs that reach what no file in git reaches to the text, the smallest first."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "-set_cover_merge=1", "-timeout=10", "-rss_limit_mb=1024", folder, kept(target),
                        found(target)], env=environment, check=True, capture_output=True, timeout=900)
        in_git = {path.read_bytes() for path in kept(target).iterdir()}
        inputs = {path.read_bytes() for path in pathlib.Path(folder).iterdir()} - in_git
    lines, size = [], 0
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        line = data.decode("latin-1").encode("unicode_escape").decode("ascii")
        size += len(line)
        if size > MOST_BYTES:
            break
        lines.append(line + "\n")
    text_of(target).parent.mkdir(exist_ok=True)
    text_of(target).write_text("".join(lines), "ascii")
    return len(lines)
