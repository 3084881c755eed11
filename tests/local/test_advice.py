"""`howdah advise` with real jobs: a finding is reported, its change is applied as printed, and the next run has none.
The jobs request many vcores, so that savings of a few seconds are large enough to be reported. The local backend does
not limit vcores."""
import json
import pathlib
import sys

import pytest

from machine import CONTRACT, ROOT, SANITIZED

PYTHON = sys.executable


def advise(machine, job="last", *flags):
    done = machine("advise", job, "--json", *flags)
    assert done.code == 0, done
    return json.loads(done.stdout)


def finding(machine, check, job="last"):
    found = [f for f in advise(machine, job) if f["check"] == check]
    assert len(found) == 1, advise(machine, job)
    return found[0]


def sets(found):
    return [word for change in found["change"]["set"] for word in ("--set", change)]


def run_with_change(machine, file, check, code=0):
    """Runs the job again with the change that the finding prints. Returns that run."""
    changed = machine("run", file, *sets(finding(machine, check)))
    assert changed.code == code, changed
    assert check not in [f["check"] for f in advise(machine)], changed
    return changed


def test_restarts_for_one_reason_end_with_the_recommended_rule(machine, tmp_path):
    job = machine.job_file(tmp_path, "roles:\n  worker:\n    memory: 16MiB\n    restart: {max: 3, backoff: 0s}\n"
                                     f"    command: ['{PYTHON}', -c, \"raise ValueError('bad record 17')\"]\n")
    done = machine("run", job)
    assert done.code == 1, done
    found = finding(machine, "restarts")
    assert found["role"] == "worker" and "3 times for the same reason" in found["text"], found
    assert "bad record 17" in found["text"], found
    assert f"advice: {found['text']} (`howdah advise {done.id}` shows what to change)\n" in done.stderr, done
    changed = run_with_change(machine, job, "restarts", code=1)
    assert machine.task(changed.id, "worker", 0)["attempt"] == 0, "the rule ends the job at its first failure"


# The peak of an ended process is known only if it is above the executor's own.
@pytest.mark.skipif(SANITIZED, reason="an executor with sanitizers uses more memory than this task")
def test_memory_above_the_request_is_reported_once(machine, tmp_path):
    job = machine.job_file(tmp_path, f"roles:\n  worker:\n    memory: 64MiB\n    command: ['{PYTHON}', -c, "
                                     "\"x = bytearray(250 << 20); x[::4096] = b'1' * len(x[::4096])\"]\n")
    done = machine("run", job)
    assert done.code == 0, done
    found = finding(machine, "memory-under")
    assert found["severity"] == "severe" and "used 2" in found["text"], found
    assert done.stderr.count("advice: ") == 1, f"the core's advice already says it: {done}"
    run_with_change(machine, job, "memory-under")


def test_restart_without_a_checkpoint_is_reported(machine, tmp_path):
    job = machine.job_file(tmp_path, """
roles:
  worker:
    memory: 16MiB
    vcores: 100000
    restart: {max: 1, backoff: 0s}
    command: |
      saved=${HOWDAH_CHECKPOINT_DIR:-.}/saved
      if [ ! -e $saved ]; then
        sleep 2
        [ -z "$HOWDAH_CHECKPOINT_DIR" ] || { touch $saved; echo checkpoint 1 >> $HOWDAH_PROGRESS; }
      fi
      [ $HOWDAH_ATTEMPT = 1 ] || exit 3
""")
    done = machine("run", job)
    assert done.code == 0, done
    found = finding(machine, "checkpoint-none")
    assert "restarted 1 time" in found["text"], found
    changed = run_with_change(machine, job, "checkpoint-none")
    first, second = (machine.status(run.id)["account"]["resources"]["held"]["vcore_seconds"] / 3600
                     for run in (done, changed))
    assert found["saving"]["vcore_hours"] == pytest.approx(first - second, rel=0.2), found


def test_time_limit_that_is_too_short_is_doubled(machine, tmp_path):
    job = machine.job_file(tmp_path, "timeouts: {run: 2s}\nroles:\n  worker: {memory: 16MiB, vcores: 100000, "
                                     "command: sleep 2.5}\n")
    assert machine("run", job).code == 4
    found = finding(machine, "time-limit")
    assert found["change"]["yaml"] == "timeouts:\n  run: 4s\n", found
    run_with_change(machine, job, "time-limit")


def test_node_that_is_avoided_is_reported_for_administrators(machine, tmp_path):
    job = machine.job_file(tmp_path, """
roles:
  worker:
    memory: 16MiB
    restart: {max: 1, backoff: 0s, rules: [{exit: 5, then: elsewhere}]}
    command: '[ $HOWDAH_ATTEMPT = 1 ] || exit 5'
""")
    done = machine("run", job)
    assert done.code == 0, done
    assert "is avoided for 1d: a failure there was the node's fault" in finding(machine, "node")["text"]
    assert done.stderr.count("is avoided for") <= 2, f"once when it happens, once in the summary: {done}"


def test_checks_can_be_switched_off(machine, tmp_path):
    text = "roles: {worker: {memory: 16MiB, restart: {max: 3, backoff: 0s}, command: exit 3}}\n"
    machine("run", machine.job_file(tmp_path, text))
    assert [f["check"] for f in advise(machine)] == ["restarts"]
    machine("run", machine.job_file(tmp_path, "advice: {off: restarts}\n" + text))
    assert advise(machine) == []


def test_running_job_gets_advice(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, """
roles:
  flaky: {memory: 16MiB, restart: {max: 3, backoff: 0s}, command: '[ $HOWDAH_ATTEMPT = 3 ] || exit 3'}
  steady: {memory: 16MiB, command: exec sleep 300}
"""))
    machine.until(job, lambda s: any(t["role"] == "flaky" and t["state"] == "SUCCEEDED" for t in s["tasks"]), "flaky")
    found = finding(machine, "restarts", job)
    status = machine("status", job)
    assert f"advice       {found['text']} (`howdah advise {job}` shows what to change)\n" in status.stdout, status
    assert machine("kill", job).code == 0


def test_text_output_has_sentence_evidence_change_and_saving(machine, tmp_path):
    text = "timeouts: {run: 2s}\nroles:\n  worker: {memory: 16MiB, vcores: 100000, command: sleep 60}\n"
    machine("run", machine.job_file(tmp_path, text))
    lines = machine("advise", "last").stdout.splitlines()
    assert lines[0].startswith("the job was ended by `timeouts.run` of 2s"), lines
    assert lines[1] == "  check     time-limit, severe, seen in 1 run", lines
    change = ["  change    timeouts:", "              run: 4s", "            or --set timeouts.run=4s"]
    assert lines[2:5] == change, lines
    assert lines[-1].startswith("  saving    ") and " vcore h" in lines[-1] and " per run" in lines[-1], lines


def test_confidence_is_high_when_three_runs_agree(machine, tmp_path):
    job = machine.job_file(tmp_path, "name: again\nroles: {worker: {memory: 16MiB, restart: {max: 3, backoff: 0s}, "
                                     "command: exit 3}}\n")
    for runs in (1, 2, 3):
        machine("run", job)
        found = finding(machine, "restarts")
        assert (found["runs"], found["confidence"]) == (runs, "high" if runs == 3 else "low"), found


def test_advice_on_all_jobs_of_a_time(machine, tmp_path):
    bad = "name: bad\nroles: {worker: {memory: 16MiB, restart: {max: 3, backoff: 0s}, command: exit 3}}\n"
    machine("run", machine.job_file(tmp_path, bad))
    machine("run", machine.job_file(tmp_path, "name: good\nroles: {worker: {memory: 16MiB, command: 'true'}}\n"))
    done = machine("advise", "--since", "1h", "--json")
    assert [(f["job"]["name"], f["check"]) for f in json.loads(done.stdout)] == [("bad", "restarts")], done
    assert json.loads(machine("advise", "--since", "1h", "--check", "tail", "--json").stdout) == []
    assert machine("advise", "--since", "1h", "--user", "nobody-else").stdout == "no advice\n"
    assert "bad" in machine("advise", "--since", "1h").stdout.splitlines()[0]


@pytest.mark.parametrize("words, says", [
    (["advise"], "needs the ID of a job, or --since"),
    (["advise", "last", "--since", "1h"], "they cannot be used with an ID"),
    (["advise", "--since", "1h", "--check", "memory-ovr"], "memory-ovr"),
])
def test_wrong_usage_is_explained(machine, words, says):
    done = machine(*words)
    assert done.code == 2 and says in done.stderr, done


CONTRACT_FILES = ["hello", "list-command", "fail", "first-cause", "retry", "roles", "service-fails", "chief-decides",
                  "files", "env", "time-limit"]


@pytest.mark.parametrize("name", CONTRACT_FILES)
def test_contract_files_get_no_advice(machine, name):
    machine("run", f"{name}.yaml")
    assert advise(machine) == []


@pytest.mark.parametrize("name", ["grace", "stubborn"])
def test_contract_files_that_run_until_killed_get_no_advice(machine, tmp_path, name):
    job = machine.submit(CONTRACT / f"{name}.yaml", env={"CONTRACT_OUT": str(tmp_path / "out")})
    machine.running(job)
    assert advise(machine, job) == []
    assert machine("kill", job).code == 0
    assert advise(machine, job) == []


def test_hello_example_gets_no_advice(machine):
    done = machine("run", pathlib.Path(ROOT) / "examples/hello/job.yaml")
    assert done.code == 0, done
    done = machine("advise", "last")
    assert (done.code, done.stdout) == (0, "no advice\n"), done
