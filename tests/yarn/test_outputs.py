"""The key `outputs`: a job on a cluster keeps the matching files of its tasks' working directories."""
import os

from machine import eventually

JOB = """
outputs: [out/, '*.pt']
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: "mkdir -p out/deep; echo $HOWDAH_TASK_INDEX | tee model.pt out/deep/a log.txt >/dev/null; head -c 3000000
      /dev/zero > out/large; {end}"
"""


def assert_kept(directory, tasks=(0, 1)):
    files = [p for p in directory.rglob("*") if p.is_file() and p.name != ".gitignore"]
    found = sorted(str(p.relative_to(directory)) for p in files)
    assert found == sorted(f"worker-{i}/{name}" for i in tasks for name in ("model.pt", "out/deep/a", "out/large"))
    for index in tasks:
        assert (directory / f"worker-{index}/model.pt").read_text() == f"{index}\n"
        assert (directory / f"worker-{index}/out/large").stat().st_size == 3_000_000


def test_run_copies_the_outputs_and_the_history_keeps_them(howdah, tmp_path):
    done = howdah("run", howdah.job_file(tmp_path, JOB.replace("{end}", "true")), timeout=120)
    assert done.code == 0 and "outputs: 6 files (5.7 MiB) of 2 tasks in" in done.stderr, done
    assert_kept(tmp_path / "outputs")
    stored = [f for f in howdah.cluster.files_in_hdfs("/user/alice/.howdah/history") if done.id in f]
    assert f"/user/alice/.howdah/history/{done.id}/outputs/worker-1/model.pt" in stored, stored
    assert howdah("outputs", done.id, tmp_path / "again").code == 0
    assert_kept(tmp_path / "again")
    howdah.assert_clean(done.id)


def test_file_that_hdfs_rejects_is_named_and_the_others_are_kept(howdah, tmp_path):
    # HDFS permits no colon in names; each is stored as three bytes. It permits 255 bytes.
    too_long = "b" * 240 + ":" * 10
    job = f"""
outputs: [out/]
roles:
  worker:
    memory: 64MiB
    command: "mkdir -p out/d:d; echo 1 | tee out/d:d/12:00:00 out/{too_long} out/z.pt >/dev/null"
"""
    done = howdah("run", howdah.job_file(tmp_path, job), timeout=120)
    assert done.code == 0 and "outputs: 2 files (4 B) of 1 task in" in done.stderr, done
    assert f"outputs of worker-0: 1 of 3 files could not be stored; the first is out/{too_long}: " in done.stderr, done
    kept = [str(p.relative_to(tmp_path / "outputs")) for p in (tmp_path / "outputs/worker-0").rglob("*") if p.is_file()]
    assert sorted(kept) == ["worker-0/out/d:d/12:00:00", "worker-0/out/z.pt"], done
    howdah.assert_clean(done.id)


def test_a_job_without_a_job_file_keeps_its_new_files(howdah, tmp_path):
    (tmp_path / "train.py").write_text("open('model.pt', 'w').write('x' * 1000)")
    done = howdah("run", "--workers", "2", "--memory", "64MiB", "--", "python3", "train.py", cwd=tmp_path, timeout=120)
    assert done.code == 0 and "outputs: 2 files (2.0 KiB) of 2 tasks in outputs" in done.stderr, done
    found = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.pt"))
    assert found == ["outputs/worker-0/model.pt", "outputs/worker-1/model.pt"], done
    howdah.assert_clean(done.id)


def test_outputs_of_ended_tasks_can_be_fetched_while_the_job_runs(howdah, tmp_path):
    end = "[ $HOWDAH_TASK_INDEX = 0 ] || exec sleep 300"
    job = howdah.submit(howdah.job_file(tmp_path, JOB.replace("{end}", end)))
    howdah.until(job, lambda s: [t["state"] for t in s["tasks"]] == ["SUCCEEDED", "RUNNING"], "the end of worker:0")
    eventually(lambda: "outputs: 3 files" in howdah("outputs", job, tmp_path / "kept").stderr, "outputs of worker:0")
    assert_kept(tmp_path / "kept", tasks=(0,))
    assert howdah.status(job)["state"] == "RUNNING"
    assert howdah("kill", job).code == 0
    howdah.assert_clean(job)


def test_files_that_are_not_kept_are_named(howdah, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("open('model.pt', 'w').write('x' * 1000)")
    job = "source: ./src\nroles: {worker: {memory: 64MiB, instances: 2, command: 'python3 train.py'}}\n"
    done = howdah("run", howdah.job_file(tmp_path, job), timeout=120)
    line = ("worker:0 left model.pt (1000 B) in its working directory, which is removed, and 1 more task left files; "
            "the key `outputs` of the job file, or `run --outputs`, keeps such files, as in outputs: ['*.pt']")
    assert done.code == 0 and "howdah: " + line in done.stderr.splitlines(), done
    # The record of the finished job has the names, too.
    assert f"left files   {line}\n" in howdah("status", done.id).stdout
    howdah.assert_clean(done.id)
    some = howdah("run", howdah.job_file(tmp_path, "outputs: ['*.txt']\n" + job), timeout=120)
    assert "outputs: no task made a file that matches '*.txt'" in some.stderr, some
    assert "howdah: " + line in some.stderr.splitlines(), some


def test_outputs_of_failed_and_stopped_tasks_are_kept(howdah, tmp_path):
    end = "while [ ! -e {go} ]; do sleep 0.1; done; [ $HOWDAH_TASK_INDEX = 1 ] || exec sleep 300; exit 3"
    go = tmp_path / "go"
    job = howdah.submit(howdah.job_file(tmp_path, JOB.replace("{end}", end.replace("{go}", str(go)))))
    tasks = howdah.running(job)["tasks"]
    for task in tasks:
        large = f"/proc/{task['pids'][0]}/cwd/out/large"
        eventually(lambda large=large: os.path.exists(large) and os.path.getsize(large) == 3_000_000, large)
    go.touch()
    assert howdah("wait", job, timeout=120).code == 1
    assert howdah("outputs", job, tmp_path / "kept").code == 0
    assert_kept(tmp_path / "kept")
    howdah.assert_clean(job)
