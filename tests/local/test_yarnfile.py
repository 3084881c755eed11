"""Services of YARN services on the local backend."""
import json

import pytest

import yarnfile_cases
from machine import FINAL, eventually
from yarnfile_cases import running


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    yarnfile_cases.write(folder)
    return folder


def test_a_service_is_launched_flexed_stopped_started_and_destroyed(machine, folder):
    def app(*words):
        return machine("yarn-app", *words, cwd=folder)

    launched = app("-launch", "site", "site.json", "-max", "web=3")
    assert launched.code == 0 and launched.stdout == launched.id + "\n", launched
    job = launched.id
    eventually(lambda: running(machine, job) == ["check:0", "web:0", "web:1"], "three containers")
    hosts = yarnfile_cases.check_files_and_names(machine, job)

    status = app("-status", "site")
    assert status.code == 0 and job in status.stdout and "RUNNING" in status.stdout, status
    assert f"  Site  http://{hosts['web']}:80/\n" in status.stdout
    assert app("-list").stdout.split() == ["site", "RUNNING", job]
    again = app("-launch", "site", "site.json")
    assert again.code == 2 and "already exists" in again.stderr, again
    assert app("-flex", "site", "-component", "web", "3").code == 0
    eventually(lambda: "web:2" in running(machine, job), "the third container")
    too_many = app("-flex", "site", "-component", "web", "4")
    assert too_many.code != 0 and "launch the service with -max web=N" in too_many.stderr, too_many

    assert app("-stop", "site").code == 0
    assert machine.status(job)["state"] == "KILLED"
    assert app("-stop", "site").code == 0
    assert app("-flex", "site", "-component", "check", "2").code == 0
    started = app("-start", "site")
    assert started.code == 0 and started.id != job, started
    eventually(lambda: running(machine, started.id) == ["check:0", "check:1", "web:0", "web:1", "web:2"], "the tasks")
    assert app("-start", "site").code == 2
    assert app("-destroy", "site").code == 0
    assert machine.status(started.id)["state"] in FINAL
    assert app("-list").stdout == ""
    gone = app("-status", "site")
    assert gone.code != 0 and "there is no yarn-app application 'site'" in gone.stderr, gone


def test_a_saved_service_starts_later_and_shows_its_job_file(machine, folder):
    printed = machine("yarn-app", "-launch", "site", "site.json", "-print-job", cwd=folder)
    assert printed.code == 0 and "restart: {max: unlimited, always: true" in printed.stdout, printed
    assert machine("yarn-app", "-list").stdout == ""
    assert machine("yarn-app", "-save", "site", "site.json", cwd=folder).stdout == ""
    assert machine("yarn-app", "-list").stdout == "site  STOPPED\n"
    assert (machine.home / "apps/yarn-app/site").stat().st_mode & 0o777 == 0o700
    started = machine("yarn-app", "-start", "site")
    assert started.code == 0, started
    eventually(lambda: len(running(machine, started.id)) == 3, "three containers")
    assert machine("yarn-app", "-destroy", "site").code == 0


def test_all_problems_of_a_file_are_printed_and_nothing_is_saved(machine, folder):
    bad = yarnfile_cases.service()
    bad["components"][0]["launch_comand"] = "x"
    bad["components"][1]["dependencies"] = ["wep"]
    (folder / "bad.json").write_text(json.dumps(bad))
    done = machine("yarn-app", "-launch", "site", "bad.json", cwd=folder)
    assert done.code == 2, done
    assert done.stderr == (
        "bad.json: components[0].launch_comand: unknown key; did you mean 'launch_command'?\n"
        "bad.json: components[1].dependencies: unknown component 'wep'; did you mean 'web'?\n")
    assert machine("yarn-app", "-list").stdout == ""
    assert machine("yarn-app", "-launch", "site", "none.json", cwd=folder).code == 2
