"""The queue of this machine: order, priority, jobs that overtake without harm, and `howdah queue`."""
import json

from machine import eventually, percent_of_machine


def job(machine, tmp_path, name, percent, command="sleep 0.2", more=""):
    """Submits a job with one task that needs a share of the machine's memory."""
    text = f"""
name: {name}
{more}
roles:
  worker: {{memory: {percent_of_machine(machine, percent)}MiB, command: "{command}"}}
"""
    return machine.submit(machine.job_file(tmp_path, text, f"{name}.yaml"))


def holder(machine, tmp_path, percent, more=""):
    held = job(machine, tmp_path, "holder", percent, "exec sleep 300", more)
    machine.running(held)
    return held


def queue(machine):
    done = machine("queue", "--json")
    assert done.code == 0, done
    return json.loads(done.stdout)


def waiting(machine, count):
    """The waiting jobs, once there are so many."""
    return eventually(lambda: (jobs := [j for j in queue(machine) if j["position"]]) and len(jobs) == count and jobs,
                      f"{count} waiting jobs")


def started(machine, name_of_job):
    return machine.status(name_of_job)["tasks"][0]["started"]


def test_fifty_jobs_start_in_the_order_of_their_submission(machine, tmp_path):
    held = holder(machine, tmp_path, 60)
    jobs = [job(machine, tmp_path, f"j{i}", 60, "true") for i in range(50)]
    rows = waiting(machine, 50)
    assert [row["id"] for row in rows] == jobs
    assert [row["position"] for row in rows] == list(range(1, 51))
    assert rows[0]["state"] == "next" and all(row["state"] == "waiting" for row in rows[1:])
    assert jobs[0] in rows[30]["reason"] and "30 jobs are ahead" in rows[30]["reason"], rows[30]
    assert machine("kill", held).code == 0
    for one in jobs:
        assert machine("wait", one).code == 0
    times = [started(machine, one) for one in jobs]
    assert times == sorted(times)
    assert queue(machine) == []


def test_large_job_is_not_overtaken_by_a_stream_of_small_ones(machine, tmp_path):
    held = holder(machine, tmp_path, 30)
    large = job(machine, tmp_path, "large", 90)
    small = [job(machine, tmp_path, f"small{i}", 20) for i in range(3)]
    assert [row["id"] for row in waiting(machine, 4)] == [large, *small]
    assert machine("kill", held).code == 0
    for one in (large, *small):
        assert machine("wait", one).code == 0
    assert all(started(machine, large) < started(machine, one) for one in small)


def test_job_that_ends_in_time_uses_reserved_room(machine, tmp_path):
    """The holder has a time limit, so it is known when the large job can start. Without a limit of its own a small job
    waits, and with one it starts at once."""
    held = holder(machine, tmp_path, 30, "timeouts: {run: 1h}")
    large = job(machine, tmp_path, "large", 90)
    waiting(machine, 1)
    limited = job(machine, tmp_path, "limited", 20, more="timeouts: {run: 1m}")
    assert machine("wait", limited).code == 0
    unlimited = job(machine, tmp_path, "unlimited", 20)
    assert [row["id"] for row in waiting(machine, 2)] == [large, unlimited]
    assert machine("kill", held).code == 0
    for one in (large, unlimited):
        assert machine("wait", one).code == 0


def test_priority_changes_the_order(machine, tmp_path):
    held = holder(machine, tmp_path, 60)
    first = job(machine, tmp_path, "first", 60)
    urgent = job(machine, tmp_path, "urgent", 60, more="priority: 3")
    last = job(machine, tmp_path, "last", 60)
    assert [row["id"] for row in waiting(machine, 3)] == [urgent, first, last]
    assert machine("queue", "priority", last, "7").code == 0
    rows = waiting(machine, 3)
    assert [(row["id"], row["priority"]) for row in rows] == [(last, 7), (urgent, 3), (first, 0)]
    assert "is ahead" in machine.until(urgent, lambda s: last in s["reason"], "the new reason")["reason"]
    assert machine("kill", held).code == 0
    for one in (first, urgent, last):
        assert machine("wait", one).code == 0
    assert started(machine, last) < started(machine, urgent) < started(machine, first)
    done = machine("queue", "priority", last, "7")
    assert done.code != 0 and "neither running nor waiting" in done.stderr, done


def test_queue_of_a_machine_cannot_be_left(machine, tmp_path):
    held = holder(machine, tmp_path, 10)
    done = machine("queue", "move", held, "ml")
    assert done.code == 3 and "all jobs are in one queue" in done.stderr, done
    table = machine("queue").stdout.splitlines()
    assert table[0].split()[:3] == ["POS", "ID", "NAME"] and held in table[1] and "running" in table[1], table
    assert machine("kill", held).code == 0
