"""Streams of events: a job through its whole life, several readers, and readers that come back."""
from machine import eventually

GATED = """
name: gated
roles: {w: {memory: 8MiB, command: 'while [ ! -e go ]; do sleep 0.05; done; exit 3', restart: {max: 1, backoff: 10ms}}}
"""
SLEEPER = "name: sleeper\nroles: {w: {memory: 8MiB, command: exec sleep 86399}}\n"


def merge(tasks, event):
    for task in event["tasks"]:
        tasks[task["role"], task["index"]] = task


def test_list_and_job_are_live_through_a_whole_life(machine, tmp_path, portal):
    with portal.stream("jobs") as rows:
        assert rows.next() == ("open", {"topic": "jobs"})
        job = machine.submit(machine.job_file(tmp_path, GATED))
        seen = [rows.until("jobs", lambda data: any(row["id"] == job for row in data["jobs"]))]
        with portal.stream(f"job:{job}") as events:
            assert events.next() == ("open", {"topic": f"job:{job}"})
            status = portal.get(f"jobs/{job}").json
            known = portal.get(f"jobs/{job}/events").json["next"]
            tasks = {}
            merge(tasks, status)
            machine.running(job)
            (machine.home / "jobs" / job / "work/w-0/go").touch()
            entries, states = [], []
            while not states or states[-1] != "FAILED":
                event = events.until("job")
                assert event["topic"] == f"job:{job}" and "tasks" not in event["job"]
                states.append(event["job"]["state"])
                entries += event["events"]
                merge(tasks, event)
        row = rows.until("jobs", lambda data: any(row["state"] == "FAILED" for row in data["jobs"]))["jobs"][0]
        assert row["id"] == job and row["reason"] and seen
    final = portal.get(f"jobs/{job}").json
    assert tasks["w", 0] == final["tasks"][0] and final["tasks"][0]["attempt"] == 1
    numbers = [entry["seq"] for entry in entries]
    assert numbers == list(range(numbers[0], numbers[-1] + 1)) and numbers[0] <= known + 1
    assert entries[-1]["entry"]["type"] == "JobFinished"
    all_entries = portal.get(f"jobs/{job}/events").json["events"]
    assert entries == all_entries[numbers[0] - 1:]


def test_reader_that_comes_back_misses_nothing(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    machine.running(job)
    with portal.stream(f"job:{job}") as first:
        first.until("open")
        machine("kill", job, "--grace", "0s")
        event = first.until("job", lambda data: data["events"])
        last_id, number = first.last_id, event["events"][-1]["seq"]
    end = portal.get(f"jobs/{job}/events").json["next"]
    with portal.stream(f"job:{job}", last_id=last_id) as again:
        while number < end:
            name, data = again.next()
            assert name in ("job", "open"), again.seen
            if name == "job":
                for entry in data["events"]:
                    assert entry["seq"] == number + 1
                    number = entry["seq"]
    with portal.stream(f"job:{job}", last_id="other-1") as stranger:
        assert stranger.next() == ("resync", {"topic": f"job:{job}"})


def test_portal_that_starts_again_sends_resync(machine, tmp_path, portal):
    with portal.stream("jobs", last_id="12345-1") as stream:
        assert [stream.next()[0] for _ in range(2)] == ["resync", "open"]


def test_browser_has_at_most_four_streams(portal):
    streams = [portal.stream("jobs") for _ in range(4)]
    assert [stream.status for stream in streams] == [200] * 4
    fifth, other = portal.stream("jobs"), portal.stream("jobs", agent="other")
    assert fifth.status == 204 and other.status == 200
    for stream in (*streams, fifth, other):
        stream.__exit__()
    eventually(lambda: portal.get("health").json["streams"] == 0, "the end of all streams")


def test_unknown_job_is_a_problem_of_its_topic_alone(portal):
    with portal.stream("job:howdah-20200101-000000-aaaa", "jobs") as stream:
        names = {stream.next()[0], stream.next()[0]}
        assert names == {"open", "problem"}, stream.seen
