"""The index of jobs of the portal: deleted, damaged, of another version, or shared, the list of jobs is right."""
import json
import os
import shutil
import sqlite3

import pytest

from machine import eventually
from portal import Portal

WORKS = "name: works\ntags: [nightly]\nroles: {w: {memory: 8MiB, command: exit 0}}\n"
FAILS = "name: fails\nroles: {w: {memory: 8MiB, command: exit 7}}\n"
SLEEPER = "name: sleeper\nroles: {w: {memory: 8MiB, command: 'echo ready; exec sleep 86399'}}\n"
COPIES = 100


@pytest.fixture
def ended(machine, tmp_path):
    """The ids of two ended jobs, oldest first."""
    return [machine("run", machine.job_file(tmp_path, text)).id for text in (WORKS, FAILS)]


def index_of(machine):
    return machine.home / "portal/index.db"


def remove_index(machine):
    for path in index_of(machine).parent.glob("index.db*"):
        path.unlink()


def truncate(machine):
    os.truncate(index_of(machine), 5000)


def overwrite(machine):
    index_of(machine).write_bytes(b"not a database\n" * 3000)


def set_version(machine):
    with sqlite3.connect(index_of(machine)) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()


def remove_folder(machine):
    shutil.rmtree(index_of(machine).parent)


DAMAGES = [remove_index, remove_folder, truncate, overwrite, set_version]


def facts(jobs):
    """The fields of rows that do not depend on the time of the request."""
    return [(job["id"], job["name"], job["state"], job["reason"], job["goodput"], job["finished"]) for job in jobs]


def complete(portal, count):
    """The rows, once the portal has read every job."""
    def look():
        answer = portal.get("jobs", limit=1000).json
        return answer["jobs"] if answer["complete"] and answer["total"] == count else None
    return eventually(look, f"complete list of {count} jobs")


def break_journal(machine, job):
    """Makes the journal of a job unreadable, so that only the index has its status."""
    (machine.home / "jobs" / job / "journal.jsonl").write_text("damaged\n")


@pytest.mark.parametrize("damage", DAMAGES)
def test_list_is_right_after_damage_between_two_runs(machine, ended, damage):
    with Portal(machine) as portal:
        before = complete(portal, len(ended))
    damage(machine)
    with Portal(machine) as portal:
        assert facts(complete(portal, len(ended))) == facts(before)


@pytest.mark.parametrize("damage", DAMAGES)
def test_list_is_right_after_damage_while_the_portal_runs(machine, ended, tmp_path, damage):
    with Portal(machine) as portal:
        before = complete(portal, len(ended))
        damage(machine)
        assert facts(complete(portal, len(ended))) == facts(before)
        job = machine("run", machine.job_file(tmp_path, WORKS)).id
        eventually(lambda: portal.jobs(q=f"{job} state:succeeded"), "the row of a new job")
        rows = facts(complete(portal, len(ended) + 1))
    with Portal(machine) as portal:
        assert facts(complete(portal, len(ended) + 1)) == rows


def test_ended_job_is_read_once(machine, ended):
    with Portal(machine) as portal:
        before = complete(portal, len(ended))
    for job in ended:
        break_journal(machine, job)
    with Portal(machine) as portal:
        assert facts(complete(portal, len(ended))) == facts(before)


def test_unfinished_job_is_read_again(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, SLEEPER))
    gone = machine.submit(machine.job_file(tmp_path, SLEEPER))
    machine.running(job)
    machine.running(gone)
    with Portal(machine) as portal:
        eventually(lambda: len(portal.jobs(q="state:running")) == 2, "running rows")
    assert machine("kill", job).code == 0 and machine("kill", gone).code == 0
    machine.until(gone, lambda status: status["state"] == "KILLED", "end")
    eventually(lambda: not machine.alive(gone), "end of the processes")
    shutil.rmtree(machine.home / "jobs" / gone)
    with Portal(machine) as portal:
        eventually(lambda: [row["id"] for row in portal.jobs(q="state:killed")] == [job], "the end of the job")
        complete(portal, 1)


def test_summary_outlives_the_files_of_an_ended_job(machine, ended):
    with Portal(machine) as portal:
        before = complete(portal, len(ended))
        shutil.rmtree(machine.home / "jobs" / ended[0])
        assert facts(complete(portal, len(ended))) == facts(before)
    with Portal(machine) as portal:
        assert facts(complete(portal, len(ended))) == facts(before)
    listed = json.loads(machine("list", "--all", "--json").stdout)
    assert [job["id"] for job in listed] == [ended[1]], "the command lists what the backend has"


def test_rows_of_backends_that_are_not_shown_are_left_out(machine, ended):
    with Portal(machine) as portal:
        complete(portal, len(ended))
    with sqlite3.connect(index_of(machine)) as database:
        database.execute("UPDATE jobs SET backend = 'yarn' WHERE id = ?", (ended[0],))
    database.close()
    shutil.rmtree(machine.home / "jobs" / ended[0])
    with Portal(machine, "--on", "local") as portal:
        assert [row["id"] for row in complete(portal, 1)] == [ended[1]]


def test_two_portals_share_the_index(machine, ended, tmp_path):
    with Portal(machine) as first, Portal(machine) as second:
        before = complete(first, len(ended))
        assert facts(complete(second, len(ended))) == facts(before)
        job = machine("run", machine.job_file(tmp_path, FAILS)).id
        for portal in (first, second):
            eventually(lambda portal=portal: portal.jobs(q=f"{job} state:failed"), "the row of a new job")
        remove_index(machine)
        assert facts(complete(first, len(ended) + 1)) == facts(complete(second, len(ended) + 1))
        second.process.kill()  # in any state of its writes
        second.process.wait()
        job = machine("run", machine.job_file(tmp_path, FAILS)).id
        eventually(lambda: first.jobs(q=f"{job} state:failed"), "the row of a job after the death of a portal")
        second.stop = lambda: 0


def test_jobs_of_the_same_second_are_each_on_one_page(machine, ended):
    source = machine.home / "jobs" / ended[1]
    for number in range(COPIES):
        copy = ended[1][:-4] + f"{number:04}"
        (machine.home / "jobs" / copy).mkdir(mode=0o700)
        for name in ("journal.jsonl", "job.json"):
            text = (source / name).read_text()
            (machine.home / "jobs" / copy / name).write_text(text.replace(ended[1], copy))
    with Portal(machine) as portal:
        ids = {row["id"] for row in complete(portal, len(ended) + COPIES)}
        assert len(ids) == len(ended) + COPIES
        for sort in ("-finished", "name", "-goodput"):
            seen, after = [], None
            while after is not None or not seen:
                answer = portal.get("jobs", limit=7, sort=sort, **({"after": after} if after else {})).json
                seen += [row["id"] for row in answer["jobs"]]
                after = answer["next"]
            assert sorted(seen) == sorted(ids), sort


def test_index_that_cannot_be_written_is_reported(machine, ended):
    index_of(machine).mkdir(parents=True)
    with Portal(machine) as portal:
        complete(portal, len(ended))
        notes = portal.get("jobs").json["notes"]
        assert len(notes) == 1 and str(index_of(machine)) in notes[0] and "is kept in memory" in notes[0], notes


@pytest.mark.parametrize("command", [("list", "--all", "--json"), ("list", "--all"), ("history", "list", "--json"),
                                     ("history", "list")])
def test_lists_of_the_command_line_use_the_index(machine, ended, command):
    def listed():
        done = machine(*command)
        assert done.code == 0, done
        return done.stdout
    without = listed()
    with Portal(machine) as portal:
        complete(portal, len(ended))
    assert listed() == without
    break_journal(machine, ended[0])
    assert listed() == without, "an ended job is not read"


@pytest.mark.parametrize("damage", DAMAGES)
def test_lists_of_the_command_line_need_no_index(machine, ended, damage):
    before = machine("list", "--all", "--json").stdout
    with Portal(machine) as portal:
        complete(portal, len(ended))
    damage(machine)
    done = machine("list", "--all", "--json")
    assert done.code == 0 and done.stdout == before and done.stderr == "", done
