"""Files of the working directory that a job keeps: the key `outputs`, `howdah outputs`, and the notes about other
files."""
import datetime
import os
import re
import signal

import pytest

WORKER = """
outputs: [out/, '*.pt']
roles:
  worker:
    instances: 2
    memory: 64MiB
    outputs: extra.txt
    command: "mkdir -p out/deep; echo $HOWDAH_TASK_INDEX | tee model.pt out/deep/a out/b extra.txt log.txt >/dev/null;
      {end}"
"""
KEPT = ["extra.txt", "model.pt", "out/b", "out/deep/a"]


def files_of(directory):
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file() and p.name != ".gitignore")


def assert_kept(directory, tasks=(0, 1)):
    assert files_of(directory) == sorted(f"worker-{i}/{name}" for i in tasks for name in KEPT)
    for index in tasks:
        assert (directory / f"worker-{index}/model.pt").read_text() == f"{index}\n"


@pytest.mark.parametrize("end, code", [("true", 0), ("exit 3", 1)])
def test_run_copies_the_outputs_after_success_and_failure(machine, tmp_path, end, code):
    # The second task may be stopped before it has written its files, so each task waits for the files of both.
    wait = "while [ $(ls ../*/log.txt | wc -l) -lt 2 ]; do sleep 0.01; done; "
    done = machine("run", machine.job_file(tmp_path, WORKER.replace("{end}", wait + end)))
    assert done.code == code, done
    assert "outputs: 8 files" in done.stderr and "of 2 tasks in" in done.stderr, done
    assert_kept(tmp_path / "outputs")
    again = machine("outputs", done.id, tmp_path / "again")
    assert again.code == 0, again
    assert_kept(tmp_path / "again")
    machine.assert_clean(done.id)


def test_outputs_can_be_fetched_while_the_job_runs_and_after_a_kill(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, WORKER.replace("{end}", "touch ready; exec sleep 300")))
    machine.running(job)
    work = machine.home / "jobs" / job / "work"
    machine.until(job, lambda _: all((work / f"worker-{i}/ready").exists() for i in (0, 1)), "the files")
    assert machine("outputs", job, tmp_path / "running").code == 0
    assert_kept(tmp_path / "running")
    for pid in machine.agents(job, "task")[:1]:
        os.kill(pid, signal.SIGKILL)
    machine("wait", job)
    assert machine("outputs", job, tmp_path / "killed").code == 0
    assert_kept(tmp_path / "killed")


def test_outputs_of_a_job_whose_agents_were_all_killed_are_kept(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, WORKER.replace("{end}", "touch ready; exec sleep 300")))
    machine.running(job)
    work = machine.home / "jobs" / job / "work"
    machine.until(job, lambda _: all((work / f"worker-{i}/ready").exists() for i in (0, 1)), "the files")
    for pid in machine.agents(job, "am") + machine.agents(job, "task"):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    machine.until(job, lambda s: s["state"] == "FAILED", "the end")
    assert machine("outputs", job, tmp_path / "kept").code == 0
    assert_kept(tmp_path / "kept")


def test_time_for_copying_files_is_not_counted_as_queue_time(machine, tmp_path):
    (tmp_path / "src").mkdir()
    for i in range(100):
        (tmp_path / f"src/{i}").write_bytes(b"x" * 100_000)
    job = machine.submit(machine.job_file(tmp_path, "source: ./src\n"
                                          "roles: {worker: {memory: 64MiB, command: exec sleep 300}}\n"))
    status = machine.running(job)
    staged = max(p.stat().st_ctime for p in (machine.home / "jobs" / job / "staging").rglob("*"))
    submitted = datetime.datetime.fromisoformat(status["submitted"].replace("Z", "+00:00")).timestamp()
    assert submitted >= staged - 0.001, f"submitted at {submitted}, copied until {staged}"  # status rounds to 1 ms
    machine("kill", job)


def test_example_in_the_note_about_left_files_keeps_the_file(machine, tmp_path):
    """A file in a directory is not matched by a pattern without a directory."""
    job = "roles: {worker: {memory: 64MiB, command: 'mkdir -p out/deep; echo x > out/deep/ckpt.pt'}}\n"
    first = machine("run", machine.job_file(tmp_path, job))
    example = re.search(r"as in (outputs: \[.*?\]);", first.stderr).group(1)
    second = machine("run", machine.job_file(tmp_path, f"{example}\n{job}"))
    assert "outputs: 1 file (2 B) of 1 task in" in second.stderr, second
    assert files_of(tmp_path / "outputs") == ["worker-0/out/deep/ckpt.pt"]


def test_patterns_that_match_no_file_are_named(machine, tmp_path):
    job = "outputs: ['*.pt']\nroles: {worker: {memory: 64MiB, command: 'mkdir out; echo x > out/ckpt.pt'}}\n"
    done = machine("run", machine.job_file(tmp_path, job))
    assert done.code == 0 and "no task made a file that matches '*.pt'; " in done.stderr, done
    assert not (tmp_path / "outputs").exists()


def test_files_that_are_not_kept_are_named(machine, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("open('model.pt', 'w').write('x' * 1000)")
    job = "source: ./src\nroles: {worker: {memory: 64MiB, command: 'python3 train.py'}}\n"
    done = machine("run", machine.job_file(tmp_path, job))
    line = ("worker:0 left model.pt (1000 B) in its working directory, which is removed; the key `outputs` of the job "
            "file, or `run --outputs`, keeps such files, as in outputs: ['*.pt']; `run --keep` keeps the directories")
    assert "howdah: " + line in done.stderr.splitlines(), done
    assert f"left files   {line}\n" in machine("status", done.id).stdout
    assert machine.status(done.id)["tasks"][0]["left_files"] == {"count": 1, "bytes": 1000, "names": ["model.pt"]}
    assert not (tmp_path / "outputs").exists()
    kept = machine("run", "--keep", machine.job_file(tmp_path, job))
    assert (machine.home / "jobs" / kept.id / "work/worker-0/model.pt").exists() and " left " not in kept.stderr, kept
    silent = machine("run", machine.job_file(tmp_path, job.replace("train.py", "-c pass")))
    assert "left" not in silent.stderr, silent
    none = machine("outputs", done.id, tmp_path / "none")
    assert none.code == 0 and "has neither `outputs` nor `keep_new_files`" in none.stderr, none


def test_files_beside_the_working_directory_are_named(machine, tmp_path):
    job = ("roles: {worker: {instances: 2, memory: 64MiB, "
           "command: 'mkdir -p ../data; echo 12345 > ../data/$HOWDAH_TASK_INDEX.bin'}}\n")
    done = machine("run", machine.job_file(tmp_path, job))
    left = [line for line in done.stderr.splitlines() if " left " in line]
    assert len(left) == 1 and re.match(r"howdah: worker:[01] left \.\./data/[01]\.bin", left[0]), done
    assert "beside its working directory, where files are removed, too" in left[0], done
    assert "write files outside the working directory (../) to an absolute path" in left[0] and "outputs" not in left[0]
    assert not (machine.home / "jobs" / done.id / "work").exists(), done


def test_files_that_no_pattern_matches_are_named(machine, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text(
        "import os, shutil\nos.makedirs('out')\nopen('out/ckpt.pt', 'w').write('x' * 3000)\n"
        "open('top.pt', 'w').write('x')\nopen('out/lock', 'w')\nshutil.copy('train.py', 'out/copy.py')\n")
    job = "source: ./src\noutputs: [{}]\nroles: {{worker: {{memory: 64MiB, command: 'python3 train.py'}}}}\n"
    done = machine("run", machine.job_file(tmp_path, job.format("'*.pt', '*.txt'")))
    lines = done.stderr.splitlines()
    unused = ("howdah: outputs: no task made a file that matches '*.txt'; it matches only at the top of the working "
              "directory, '**/*.txt' at any depth")
    assert unused in lines and not any("'*.pt';" in line for line in lines), done
    assert "outputs: 1 file (1 B) of 1 task" in done.stderr, done
    left = [line for line in lines if " left " in line]
    assert left == ["howdah: worker:0 left out/ckpt.pt (2.9 KiB) in its working directory, which is removed; the key "
                    "`outputs` of the job file, or `run --outputs`, keeps such files, as in outputs: [out/]; `run "
                    "--keep` keeps the directories"], done
    again = machine("outputs", done.id, tmp_path / "again")
    assert again.code == 0 and unused in again.stderr.splitlines(), again
    followed = machine("run", machine.job_file(tmp_path, job.format("'*.pt', out/")))
    assert "outputs: 4 files" in followed.stderr and " left " not in followed.stderr, followed
    assert "no task made" not in followed.stderr, followed


NEW = ("import os\nopen('model.pt', 'w').write('x' * 1000)\nos.makedirs('runs')\nopen('runs/log', 'w').write(str("
       "os.path.exists('outputs/worker-0/model.pt')))\n")


def test_a_job_without_a_job_file_keeps_its_new_files(machine, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(NEW)
    for _ in range(2):  # the second job must not copy the outputs of the first into its working directory
        done = machine("run", "--workers", "2", "--", "python3", "train.py", cwd=source)
        assert done.code == 0 and "outputs: 4 files (2.0 KiB) of 2 tasks in outputs" in done.stderr, done
        assert " left " not in done.stderr, done
        kept = files_of(source / "outputs")
        assert kept == [f"worker-{i}/{name}" for i in (0, 1) for name in ("model.pt", "runs/log")]
        assert (source / "outputs/worker-1/runs/log").read_text() == "False"
    assert (source / "outputs/.gitignore").read_text() == "*\n"


def test_new_files_above_the_limit_are_named_and_patterns_keep_them(machine, tmp_path):
    large = "truncate -s 1100M large.bin; echo x > small.txt; echo x > model.pt"
    done = machine("run", "--source", "", "--outputs", "*.pt", "--", "bash", "-c", large, cwd=tmp_path)
    assert done.code == 0 and "outputs: 1 file (2 B) of 1 task in outputs" in done.stderr, done
    assert "worker:0 left large.bin, small.txt (1.1 GiB) in its working directory" in done.stderr, done
    assert files_of(tmp_path / "outputs") == ["worker-0/model.pt"]


def test_a_job_file_can_keep_new_files_and_a_running_job_shows_them(machine, tmp_path):
    command = "echo x > a; mkdir b; echo x > b/c; touch ready; exec sleep 300"
    text = f"keep_new_files: 1MiB\nroles: {{worker: {{memory: 64MiB, command: '{command}'}}}}\n"
    job = machine.submit(machine.job_file(tmp_path, text))
    machine.running(job)
    ready = machine.home / "jobs" / job / "work/worker-0/ready"
    machine.until(job, lambda _: ready.exists(), "the files")
    assert machine("outputs", job, tmp_path / "running").code == 0
    assert files_of(tmp_path / "running") == ["worker-0/a", "worker-0/b/c"]
    machine("kill", job)
    assert machine("outputs", job, tmp_path / "killed").code == 0
    assert files_of(tmp_path / "killed") == ["worker-0/a", "worker-0/b/c"]


# Larger than the files whose content is compared with that of new files.
LARGE = 2 << 20
NEW_ONLY = """
keep_new_files: 1MiB
source: ./src
restart: {max: 1}
roles:
  worker: {memory: 64MiB, command: "%s"}
"""


def test_files_of_source_do_not_become_new_when_an_executor_is_replaced(machine, tmp_path):
    (tmp_path / "src/locked").mkdir(parents=True)
    (tmp_path / "src/locked/data.bin").write_bytes(bytes(LARGE))
    (tmp_path / "src/locked").chmod(0o555)
    command = "if [ -e model.pt ]; then exit 0; fi; echo x > model.pt; exec sleep 300"
    job = machine.submit(machine.job_file(tmp_path, NEW_ONLY % command))
    model = machine.home / "jobs" / job / "work/worker-0/model.pt"
    machine.until(job, lambda _: model.exists(), "the model")
    os.kill(machine.agents(job, "task")[1], signal.SIGKILL)
    assert machine("wait", job).code == 0, machine.status(job)
    assert machine("outputs", job, tmp_path / "kept").code == 0
    assert files_of(tmp_path / "kept") == ["worker-0/model.pt"]


def test_files_of_source_that_were_modified_in_the_future_are_not_new(machine, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/data.bin").write_bytes(bytes(LARGE))
    later = (tmp_path / "src/data.bin").stat().st_mtime + 9 * 3600
    os.utime(tmp_path / "src/data.bin", (later, later))
    done = machine("run", machine.job_file(tmp_path, NEW_ONLY % "echo x > model.pt"))
    assert done.code == 0 and files_of(tmp_path / "outputs") == ["worker-0/model.pt"], done
