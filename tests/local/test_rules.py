"""The restart.rules of a job file determine the remedy for a failure, independent of the restart budget."""

RULES = """
name: rules
roles:
  worker:
    memory: 64MiB
    command: %s
    restart:
      max: %d
      backoff: 50ms
      rules:
        - {log: "^ValueError: bad record [0-9]+$", then: fail}
        - {exit: 75, then: restart_free}
        - {signal: SIGBUS, then: elsewhere}
"""


def test_a_rule_ends_the_job_with_restarts_left(machine, tmp_path):
    raises = """|
      for i in $(seq 2000); do echo "some noise of a library" >&2; done
      exec python3 -c 'raise ValueError("bad record 17")'"""
    done = machine("run", machine.job_file(tmp_path, RULES % (raises, 5)))
    status = machine.status(done.id)
    rule = "roles.worker.restart.rules[0] (log: ^ValueError: bad record [0-9]+$) says fail"
    assert done.code == 1 and rule in status["reason"] and rule in done.stderr, (status, done)
    assert "ValueError: bad record 17" in status["reason"], status
    assert machine.task(done.id, "worker", 0)["attempt"] == 0


def test_a_free_restart_by_rule_needs_no_budget(machine, tmp_path):
    command = "'test $HOWDAH_ATTEMPT -ge 2 || exit 75'"
    done = machine("run", machine.job_file(tmp_path, RULES % (command, 0)))
    assert done.code == 0, done
    assert machine.task(done.id, "worker", 0)["attempt"] == 2
    assert "restart.rules[1] (exit: 75) says restart_free" in machine("events", done.id).stdout


def test_then_elsewhere_restarts_the_task_and_avoids_the_node(machine, tmp_path):
    command = "'test $HOWDAH_ATTEMPT -ge 1 || kill -BUS $$'"
    done = machine("run", machine.job_file(tmp_path, RULES % (command, 0)))
    events = machine("events", done.id).stdout
    assert done.code == 0 and "is avoided for 1d: a failure there was the node's fault" in events, (done, events)


def test_an_invalid_rule_is_refused_with_its_line(machine, tmp_path):
    job = machine.job_file(tmp_path, (RULES % ("'true'", 0)).replace("[0-9]+$", "[0-9+"))
    done = machine("run", job)
    assert done.code == 2 and f"{job}:11: roles.worker.restart.rules[0].log:" in done.stderr, done
