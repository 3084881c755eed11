"""`howdah skein`: specifications of Skein as jobs on this machine."""
import pytest

from machine import ROOT
from skein_cases import CHAIN, ENDING


@pytest.fixture
def submit(machine, tmp_path):
    """submit(text, ...) writes a specification and submits it."""
    (tmp_path / "spec/data").mkdir(parents=True)
    (tmp_path / "spec/data/words.txt").write_text("wool\n")

    def run(text, *flags):
        (tmp_path / "spec/spec.yaml").write_text(text)
        return machine("skein", "application", "submit", "spec/spec.yaml", "--on", "local", *flags, cwd=tmp_path)
    return run


def states(machine, job):
    return {f"{task['role']}:{task['index']}": task["state"] for task in machine.status(job)["tasks"]}


def test_an_application_ends_with_its_driver(machine, submit):
    done = submit(CHAIN)
    assert (done.code, done.stdout) == (0, done.id + "\n"), done
    assert machine("wait", done.id).code == 0, machine.status(done.id)
    assert machine.log(done.id, "driver:0") == "driver read wool with 64 MiB\n"
    assert states(machine, done.id)["driver:0"] == "SUCCEEDED"
    machine.assert_clean(done.id)


def test_an_application_without_driver_ends_with_its_last_service(machine, submit):
    job = submit(ENDING).id
    assert machine("wait", job).code == 0, machine.status(job)
    assert states(machine, job) == {"good:0": "SUCCEEDED", "bad:0": "FAILED"}
    assert machine.log(job, "good:0") == "fine\n"


def test_print_job_is_a_job_file_with_the_same_roles(machine, submit, tmp_path):
    printed = submit(CHAIN, "--print-job")
    assert printed.code == 0, printed
    assert machine.jobs() == []
    machine.job_file(tmp_path, printed.stdout)
    done = machine("run", "job.yaml", cwd=tmp_path)
    assert done.code == 0, done
    assert "driver:0 │ driver read wool with 64 MiB" in done.stdout
    assert set(states(machine, done.id)) == {"driver:0", "the-store:0", "reader:0", "reader:1"}


def test_the_plan_names_keys_without_effect_with_the_reason(machine, submit):
    text = CHAIN.replace("master:", "user: bob\nmaster:\n  log_level: debug")
    planned = submit(text, "--plan")
    assert planned.code == 0, planned
    assert "user (spec/spec.yaml) has no effect: set HADOOP_USER_NAME instead" in planned.stderr, planned
    assert "master.log_level (spec/spec.yaml) has no effect: for log4j" in planned.stderr, planned
    assert machine.jobs() == []
    submitted = submit(text)
    assert submitted.code == 0, submitted
    assert "keys without effect: user, master.log_level" in submitted.stderr, submitted
    assert machine("wait", submitted.id).code == 0


def test_every_mistake_is_reported_and_nothing_is_submitted(machine, submit):
    done = submit("nmae: a\nservices:\n  w:\n    script: run\n    resources: {memory: 1 GiB, vcores: 1}\n"
                  "    files: {a: data/gone.txt}\n    depends: [v]\n")
    assert done.code == 2, done
    for line in ("spec/spec.yaml:1: nmae: unknown key; did you mean 'name'?",
                 "spec/spec.yaml:6: services.w.files.a: no such file: '",
                 "spec/spec.yaml:7: services.w.depends: unknown service 'v'"):
        assert line in done.stderr, done
    assert machine.jobs() == []


def test_other_commands_of_skein_name_their_replacement(machine):
    for words, replacement in ((("application", "ls"), "howdah list"),
                               (("application", "status", "x"), "howdah status"),
                               (("application", "kill", "x"), "howdah kill"), (("kv", "ls", "x"), "HOWDAH_CLUSTER")):
        done = machine("skein", *words)
        assert done.code == 2, done
        assert replacement in done.stderr, done
    missing = machine("skein", "application", "submit", "gone.yaml")
    assert missing.code == 2, missing
    assert "gone.yaml" in missing.stderr


def test_keys_prints_the_tables_of_the_document(machine):
    done = machine("skein", "--keys")
    assert done.code == 0, done
    assert (ROOT / "docs/skein.md").read_text().endswith(done.stdout)
