"""Reads a job's reason wherever it is shown: every command shows the same sentence."""
import json
import re
import subprocess

from machine import BIN, eventually


def says(text, *facts):
    missing = [fact for fact in facts if str(fact) not in text]
    assert not missing, (missing, text)
    assert "\n" not in text


def shown(machine, *words):
    done = machine(*words)
    assert done.code == 0, done
    return done.stdout


def everywhere(machine, job, run=None, by_its_am=True):
    """The status of a job that has ended; its reason and advice are in all places. `run`: what `howdah run` has told,
    if it followed the job; `by_its_am`: it was there to the end, and has told the place."""
    status = machine.status(job)
    places = {" ".join(words): shown(machine, *words, job) for words in (["status"], ["events"], ["history", "show"])}
    if run is not None:
        places["run"] = run
    for sentence in filter(None, (status["reason"], status["advice"])):
        assert "\n" not in sentence
        missing = [place for place, text in places.items() if sentence not in text]
        assert not missing, (missing, sentence, places)
    past = json.loads(shown(machine, "history", "show", job, "--json"))
    assert [past[key] for key in ("reason", "advice")] == [status[key] for key in ("reason", "advice")], past
    places.pop("events")
    accounts = {place: re.findall(r"^account:?\s+(.*)", text, re.M) for place, text in places.items()}
    assert all(lines == accounts["status"] for lines in accounts.values()), accounts
    if by_its_am:
        sentences = f"{status['reason'] or ''}\n{status['advice'] or ''}"
        assert machine.diagnostics(job) in (None, sentences.removesuffix("\n"))
    return status


def meanwhile(machine, job, sentence, run=None):
    """The match of a regular expression for what a job that went on has told: in its journal, which is its history, and
    by `howdah run` if that followed it."""
    found = re.search(sentence, shown(machine, "events", job))
    assert found, (sentence, shown(machine, "events", job))
    places = {"history": shown(machine, "history", "events", job), **({} if run is None else {"run": run})}
    missing = [place for place, text in places.items() if found.group(0) not in text]
    assert not missing, (missing, found.group(0), places)
    return found


class Run:
    """`howdah run` at work, and what it has told by now."""

    def __init__(self, machine, tmp_path, text, name="job", env=None):
        self.machine = machine
        self.file = tmp_path / f"{name}.err"
        with self.file.open("w") as told:
            self.process = subprocess.Popen([str(BIN), "run", str(machine.job_file(tmp_path, text, f"{name}.yaml"))],
                                            env={**machine.env, **(env or {})}, stdin=subprocess.DEVNULL, stdout=told,
                                            stderr=told)
        self.id = eventually(self._submitted, "the job's id").group(1)
        self.reasons = []

    @property
    def told(self):
        return self.file.read_text()

    def _submitted(self):
        found = re.search(r"(application_\d+_\d+|howdah-\d{8}-\d{6}-\w{4}) submitted", self.told)
        assert found or self.process.poll() is None, f"exit {self.process.returncode}: {self.told}"
        return found

    def reason(self, *facts, key="reason"):
        """The job's reason once it contains all these facts. `status` shows it, as JSON and as text, and `run` has
        printed it. key: "advice" for the advice."""
        last = {}

        def look():
            last.update(self.machine.status(self.id))
            said = last[key] or ""
            return all(str(fact) in said for fact in facts) and said in shown(self.machine, "status", self.id)
        try:
            eventually(look, f"{facts} in the {key} of {self.id}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it is: {last.get('state')} {last.get(key)}\n{self.told}") from None
        reason = last[key]
        eventually(lambda: reason in self.told, f"{reason!r} in what run says: {self.told}", 10)
        says(reason)
        if last["state"] != "QUEUED":  # the process that writes the journal has started
            self.reasons.append(reason)
        return reason

    def end(self, code=0, by_its_am=True):
        """The status of a job that ends. Every command shows the end and the earlier reasons; code: the exit code of
        `run`."""
        try:
            ended = self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.id} does not end\n{self.told}") from None
        assert ended == code, f"exit {ended}\n{self.told}"
        if by_its_am:
            for reason in self.reasons:
                meanwhile(self.machine, self.id, re.escape(reason))
        return everywhere(self.machine, self.id, self.told, by_its_am)

    def kill(self):
        has_am = self.machine.status(self.id)["state"] != "QUEUED"
        assert self.machine("kill", self.id).code == 0
        return self.end(4, has_am)
