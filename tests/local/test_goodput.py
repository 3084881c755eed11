"""`howdah goodput`: the hardware that jobs held, by bucket, and its sums over users, queues, tags, days and so on."""
import csv
import datetime
import io
import json
import re

import pytest

BUCKETS = ("useful", "waiting", "localization", "start", "rendezvous", "lost", "recovering", "tail")
KINDS = ("gpu_seconds", "memory_gib_seconds", "vcore_seconds")
COUNTS = ("jobs", "succeeded", "failed", "killed")
GIB = 1 << 30

# worker:1 fails once, which restarts both workers. They report steps and a checkpoint.
RESTARTS = """
name: restarts
framework: pytorch
queue: ml
tags: [big, weekly]
roles:
  worker:
    instances: 2
    memory: 64MiB
    vcores: 2
    restart: {max: 1, backoff: 10ms}
    command: |
      echo step 1 >> $HOWDAH_PROGRESS
      [ $HOWDAH_TASK_INDEX$HOWDAH_GENERATION = 10 ] && { echo checkpoint 1 >> $HOWDAH_PROGRESS; sleep 0.2; exit 3; }
      sleep 0.3
"""
PLAIN = """
name: plain
tags: [weekly]
roles: {a: {memory: 128MiB, command: sleep 0.2}, b: {memory: 32MiB, kind: sidecar, command: sleep 600}}
"""
FAILS = "name: fails\nroles: {a: {memory: 64MiB, command: 'exit 7'}}\n"


@pytest.fixture
def jobs(machine, tmp_path):
    """Three ended jobs. The last one belongs to another user, who shares the directory."""
    ids = []
    for text, code in ((RESTARTS, 0), (PLAIN, 0), (FAILS, 1)):
        done = machine("run", machine.job_file(tmp_path, text))
        assert done.code == code, done
        assert re.search(r"\ntime: .*; held [0-9.]+ vcore s, [0-9.]+ GiB s; goodput \d+%\n", done.stderr), done
        ids.append(done.id)
    journal = machine.home / "jobs" / ids[2] / "journal.jsonl"
    lines = journal.read_text().splitlines()
    first = json.loads(lines[0])
    journal.write_text("\n".join([json.dumps(first | {"user": "bob"}, separators=(",", ":")), *lines[1:]]) + "\n")
    return ids


def goodput(machine, *words, code=0):
    done = machine("goodput", *words)
    assert done.code == code, done
    return done


def report(machine, *words):
    return json.loads(goodput(machine, "--json", *words).stdout)


def held_in_journal(machine, job):
    """The vcore-seconds and GiB-seconds of the job's containers, computed only from the events of the journal."""
    events = [json.loads(line) for line in machine("events", job, "--json").stdout.splitlines()]
    millis = {}
    vcores = memory = 0
    for event in events:
        time = datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
        if event["type"] == "ContainerGranted":
            millis[event["container"]] = (time, event["granted"])
        if event["type"] == "ContainerReleased":
            began, granted = millis.pop(event["container"])
            held = (time - began) / datetime.timedelta(seconds=1)
            vcores += held * granted["vcores"]
            memory += held * granted["memory_bytes"] / GIB
    assert not millis, f"not released: {millis}"
    return vcores, memory


def sums_agree(groups, total):
    for count in COUNTS:
        assert sum(g[count] for g in groups) == total[count], count
    assert sum(g["queue_seconds"] for g in groups) == pytest.approx(total["queue_seconds"], abs=1e-5)
    for bucket in ("held", *BUCKETS):
        for kind in KINDS:
            parts = [g[bucket][kind] for g in groups if g[bucket]]
            assert sum(parts) == pytest.approx(total[bucket][kind] if total[bucket] else 0, abs=1e-5), (bucket, kind)


def test_buckets_add_up_to_the_containers_of_the_journal(machine, jobs):
    found = report(machine)
    assert {g["group"] for g in found["groups"]} == set(jobs)
    for group in found["groups"]:
        vcores, memory = held_in_journal(machine, group["group"])
        assert group["held"]["vcore_seconds"] == pytest.approx(vcores, abs=1e-5)
        assert group["held"]["memory_gib_seconds"] == pytest.approx(memory, abs=1e-5)
        for kind in KINDS:
            parts = sum(group[bucket][kind] for bucket in BUCKETS if group[bucket])
            assert parts == pytest.approx(group["held"][kind], abs=1e-5)
    restarted = next(g for g in found["groups"] if g["group"] == jobs[0])
    assert restarted["lost"]["vcore_seconds"] > 0 and restarted["recovering"]["vcore_seconds"] > 0, restarted
    assert next(g for g in found["groups"] if g["group"] == jobs[1])["lost"] is None, "no checkpoint was reported"
    sums_agree(found["groups"], found["total"])
    # status has the same figures.
    resources = machine.status(jobs[0])["account"]["resources"]
    assert {bucket: resources[bucket] for bucket in ("held", *BUCKETS)} == {
        bucket: restarted[bucket] for bucket in ("held", *BUCKETS)}
    assert resources["goodput"] == restarted["goodput"]


@pytest.mark.parametrize("by, groups", [
    ("user", None),
    ("queue", {"ml", "–"}),
    ("name", {"restarts", "plain", "fails"}),
    ("framework", {"pytorch", "plain"}),
    ("backend", {"local"}),
    ("day", None),
])
def test_groups_add_up_to_the_total(machine, jobs, by, groups):
    by_job = report(machine)
    found = report(machine, "--by", by)
    names = {g["group"] for g in found["groups"]}
    assert groups is None or names == groups
    if by == "user":
        assert len(names) == 2 and "bob" in names, names
    if by == "day":  # a job that ran at midnight counts on both days
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", name) for name in names), names
        assert sum(g["jobs"] for g in found["groups"]) >= 3
        found["groups"][0]["jobs"] -= sum(g["jobs"] for g in found["groups"]) - 3
    sums_agree(found["groups"], found["total"])
    sums_agree(by_job["groups"], found["total"])


def test_a_job_counts_in_the_group_of_each_tag(machine, jobs):
    found = report(machine, "--by", "tag")
    assert {g["group"]: g["jobs"] for g in found["groups"]} == {"weekly": 2, "big": 1, "–": 1}
    assert found["total"]["jobs"] == 3


def test_csv_has_the_figures_of_json(machine, jobs):
    by_json = report(machine, "--by", "name")
    rows = list(csv.DictReader(io.StringIO(goodput(machine, "--by", "name", "--csv").stdout)))
    assert [row["group"] for row in rows] == [*(g["group"] for g in by_json["groups"]), "all"]
    for row, group in zip(rows, [*by_json["groups"], by_json["total"]]):
        for count in COUNTS:
            assert int(row[count]) == group[count]
        for bucket in ("held", *BUCKETS):
            for kind in KINDS:
                known = group[bucket]
                assert row[f"{bucket}_{kind}"] == (str(known[kind]) if known else ""), (bucket, kind)
        assert row["goodput"] == str(group["goodput"]) and row["cost"] == row["busy"] == ""


def test_prices_come_from_a_file_or_from_the_configuration(machine, jobs, tmp_path):
    prices = "{currency: EUR, vcore_hour: 36, gib_hour: 3.6}"
    (tmp_path / "prices.yaml").write_text(prices)
    total = report(machine, "--prices", tmp_path / "prices.yaml")["total"]
    held = total["held"]
    assert total["currency"] == "EUR"
    assert total["cost"] == pytest.approx(held["vcore_seconds"] / 100 + held["memory_gib_seconds"] / 1000, rel=1e-4)
    config = tmp_path / "config/howdah/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text(f"on: local\nprices: {prices}\n")
    machine.env["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    assert report(machine)["total"]["cost"] == total["cost"]
    assert "COST EUR" in goodput(machine, "--by", "user").stdout
    config.write_text("prices:\n  currency: EUR\n  gpu_hours: 2\n")
    wrong = goodput(machine, code=2)
    assert f"{config}:3: prices.gpu_hours: unknown key; did you mean 'gpu_hour'?" in wrong.stderr, wrong


def test_table_has_a_row_for_each_group_and_the_total(machine, jobs):
    lines = goodput(machine, "--by", "user").stdout.splitlines()
    assert lines[0].split("  ")[0] == "USER" and "HELD VCORE h" in lines[0] and "GOODPUT" in lines[0], lines
    assert len(lines) == 4 and lines[-1].startswith("all "), lines
    one = goodput(machine, jobs[0]).stdout
    assert re.search(r"^lost +\S+ +0 +[0-9.]+ ", one, re.MULTILINE) and "GPUs busy –" in one, one


def test_only_the_chosen_period_counts(machine, jobs):
    everything = report(machine, "--since", "1h")
    assert everything["total"] == report(machine)["total"]
    for words in (("--until", "2001-01-01"), ("--since", "2990-01-01")):
        nothing = report(machine, *words)
        assert nothing["groups"] == [] and nothing["total"]["jobs"] == 0 and nothing["total"]["held"] is None
    middle = machine.status(jobs[1])["started"]
    before, after = report(machine, "--until", middle)["total"], report(machine, "--since", middle)["total"]
    for kind in KINDS:
        parts = before["held"][kind] + after["held"][kind]
        assert parts == pytest.approx(everything["total"]["held"][kind], abs=1e-5)
    days = report(machine, "--by", "day", "--time-zone", "+14")["groups"]
    assert sum(d["held"]["vcore_seconds"] for d in days) == pytest.approx(
        everything["total"]["held"]["vcore_seconds"], abs=1e-5)


@pytest.mark.parametrize("words, said", [
    (["--csv", "--json"], "exclude each other"),
    (["--by", "moon"], "moon"),
    (["--time-zone", "Mars/Olympus"], "unknown time zone"),
    (["--prices", "/does/not/exist"], "/does/not/exist"),
    (["last", "--since", "7d"], "leave them out with an ID"),
])
def test_mistakes_are_explained(machine, words, said):
    assert said in goodput(machine, *words, code=2).stderr


def test_jobs_without_recorded_grants_and_torn_journals_are_shown(machine, jobs):
    old = machine.home / "jobs" / jobs[0] / "journal.jsonl"
    old.write_text("".join(line for line in old.read_text().splitlines(keepends=True) if '"Container' not in line))
    torn = machine.home / "jobs" / jobs[1] / "journal.jsonl"
    text = torn.read_text()
    torn.write_text(text[:text.index("ContainerReleased") + 5] + "\n" + text[text.rindex('{"time"'):])
    found = {g["group"]: g for g in report(machine)["groups"]}
    unknown = found[jobs[0]]
    assert unknown["held"] is None and unknown["useful"] is None and unknown["goodput"] is None, unknown
    assert unknown["jobs"] == 1 and unknown["succeeded"] == 1
    assert found[jobs[1]]["held"]["vcore_seconds"] > 0
    row = next(line for line in goodput(machine).stdout.splitlines() if line.startswith(jobs[0]))
    assert row.split()[4:] == ["–"] * 10, row
    assert "not known" in goodput(machine, jobs[0]).stdout
    sums_agree(found.values(), report(machine)["total"])


def test_running_job_counts_until_now(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, "roles: {a: {memory: 64MiB, command: sleep 600}}"))
    machine.running(job)
    first = report(machine, job)["total"]["held"]["vcore_seconds"]
    machine.until(job, lambda _: report(machine, job)["total"]["held"]["vcore_seconds"] > first, "more hardware time")
    assert machine("kill", job).code == 0
