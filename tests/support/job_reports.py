"""Reads the reason of a job from every command that shows the reason, and checks that all show the same sentence."""
import json
import re
import subprocess

from machine import BIN, eventually


def assert_facts(text, *facts):
    missing = [fact for fact in facts if str(fact) not in text]
    assert not missing, (missing, text)
    assert "\n" not in text


def output_of(machine, *words):
    done = machine(*words)
    assert done.code == 0, done
    return done.stdout


def final_status(machine, job, run=None, by_its_am=True):
    """The status of a job that has ended. Checks that every command shows its reason and advice. `run`: the output of
    `howdah run`, if that followed the job. `by_its_am`: the job's AM itself reported the end to the backend."""
    status = machine.status(job)
    commands = (["status"], ["events"], ["history", "show"])
    outputs = {" ".join(words): output_of(machine, *words, job) for words in commands}
    if run is not None:
        outputs["run"] = run
    for sentence in filter(None, (status["reason"], status["advice"])):
        assert "\n" not in sentence
        missing = [command for command, text in outputs.items() if sentence not in text]
        assert not missing, (missing, sentence, outputs)
    past = json.loads(output_of(machine, "history", "show", job, "--json"))
    assert [past[key] for key in ("reason", "advice")] == [status[key] for key in ("reason", "advice")], past
    outputs.pop("events")
    # `run` adds the held hardware to this line, and `status` has a line of its own for it.
    line = re.compile(r"^time:?\s+(.*?)(?:; held .*)?$", re.M)
    accounts = {command: line.findall(text) for command, text in outputs.items()}
    assert all(lines == accounts["status"] for lines in accounts.values()), accounts
    if by_its_am:
        sentences = f"{status['reason'] or ''}\n{status['advice'] or ''}"
        assert machine.diagnostics(job) in (None, sentences.removesuffix("\n"))
    return status


def reported(machine, job, sentence, run=None):
    """Finds a regular expression in all reports of a job that continued: its journal, its history, and the output of
    `howdah run` if that followed the job. Returns the match."""
    found = re.search(sentence, output_of(machine, "events", job))
    assert found, (sentence, output_of(machine, "events", job))
    outputs = {"history": output_of(machine, "history", "events", job), **({} if run is None else {"run": run})}
    missing = [command for command, text in outputs.items() if found.group(0) not in text]
    assert not missing, (missing, found.group(0), outputs)
    return found


class Run:
    """A `howdah run` in the background, with its output so far."""

    def __init__(self, machine, tmp_path, text, name="job", env=None):
        self.machine = machine
        self.file = tmp_path / f"{name}.err"
        with self.file.open("w") as output:
            self.process = subprocess.Popen([str(BIN), "run", str(machine.job_file(tmp_path, text, f"{name}.yaml"))],
                                            env={**machine.env, **(env or {})}, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=output)
        self.id = eventually(self._submitted, "the job's id").group(1)
        self.reasons = []

    @property
    def output(self):
        return self.file.read_text()

    def _submitted(self):
        found = re.search(r"(application_\d+_\d+|howdah-\d{8}-\d{6}-\w{4}) submitted", self.output)
        assert found or self.process.poll() is None, f"exit {self.process.returncode}: {self.output}"
        return found

    def reason(self, *facts, key="reason"):
        """Waits until the job's reason contains all these facts, in the JSON and the text of `status` and in the output
        of `run`. Returns the reason. With key="advice", does the same with the advice."""
        last = {}

        def has_all_facts():
            last.update(self.machine.status(self.id))
            text = last[key] or ""
            return all(str(fact) in text for fact in facts) and text in output_of(self.machine, "status", self.id)
        try:
            eventually(has_all_facts, f"{facts} in the {key} of {self.id}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it is: {last.get('state')} {last.get(key)}\n{self.output}") from None
        reason = last[key]
        eventually(lambda: reason in self.output, f"{reason!r} in the output of run: {self.output}", 10)
        assert_facts(reason)
        if last["state"] != "QUEUED":  # a job that has left the queue has a process that writes the journal
            self.reasons.append(reason)
        return reason

    def end(self, code=0, by_its_am=True):
        """Waits for the end of the job, checks that every command shows the end and the earlier reasons, and returns
        the status. `code`: the expected exit code of `run`."""
        try:
            ended = self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.id} does not end\n{self.output}") from None
        assert ended == code, f"exit {ended}\n{self.output}"
        if by_its_am:
            for reason in self.reasons:
                reported(self.machine, self.id, re.escape(reason))
        return final_status(self.machine, self.id, self.output, by_its_am)

    def kill(self):
        has_am = self.machine.status(self.id)["state"] != "QUEUED"
        assert self.machine("kill", self.id).code == 0
        return self.end(4, has_am)
