"""Jobs for measurements of the portal: many ended jobs, one with many tasks, one with a large log."""
import datetime
import json
import random
import re
import string

JOBS = 100_000
NAMES = 500
DAYS = 60
WIDE = 1_000  # tasks of the widest job

LOG_LINES = 10_240_000  # of 100 bytes: 1 GB
LINE = "line %09d of a log that a training has written: loss 0.123456, learning rate 0.00010, batch is ok\\n"
RARE_LINES = (1_000, 2_500_000, 5_000_001, 10_000_000)
RARE_WORD = "needle"
WRITE_LOG = f"""
import sys
rare = {RARE_LINES}
for begin in range(1, {LOG_LINES}, 10000):
    block = ["{LINE}" % number for number in range(begin, begin + 10000)]
    for number in rare:
        if begin <= number < begin + 10000:
            block[number - begin] = block[number - begin].replace("training", "{RARE_WORD}")
    sys.stdout.write("".join(block))
"""


def steps(count):
    """A command that reports a step every half second."""
    return f'for s in $(seq 1 {count}); do echo "step $s" >> "$HOWDAH_PROGRESS"; sleep 0.5; done'


def run(backend, name, roles):
    """Runs a job to its end. Returns its folder."""
    job = backend.submit(name, roles)
    job.wait()
    return job.folder


def fill(backend):
    """Adds copies of two real, ended jobs, until there are JOBS jobs. Each copy has its own id, name and day."""
    worker = {"instances": 2, "command": "exit 0"}
    module = "echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 7"
    originals = [run(backend, "good", {"ps": {"command": "exit 0"}, "worker": worker}),
                 run(backend, "bad", {"worker": {"command": module}})]
    files = [{name: (folder / name).read_text() for name in ("journal.jsonl", "job.json")} for folder in originals]
    choice = random.Random(1)
    letters = string.digits + string.ascii_lowercase
    today = datetime.date.today()
    for number in range(len(originals), JOBS):
        original, texts = originals[number % 2], files[number % 2]
        day = today - datetime.timedelta(days=choice.randrange(DAYS))
        second = choice.randrange(86400)
        suffix = "".join(letters[number // 36**digit % 36] for digit in range(4))
        id = f"howdah-{day:%Y%m%d}-{second // 3600:02}{second // 60 % 60:02}{second % 60:02}-{suffix}"
        folder = backend.home / "jobs" / id
        folder.mkdir(mode=0o700)
        name = json.loads(texts["job.json"])["name"]
        for file, text in texts.items():
            text = text.replace(original.name, id).replace(f'"{name}"', f'"{name}-{choice.randrange(NAMES)}"')
            (folder / file).write_text(re.sub(r"20\d\d-\d\d-\d\dT", f"{day}T", text))
