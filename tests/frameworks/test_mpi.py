"""Open MPI's own mpirun starts its daemons in the job's other tasks, without ssh."""
import re

import mpi_cases as cases
import pytest
from machine import eventually

RUN_S = cases.RUN_S


def job(machine, installed, tmp_path, program, keys):
    head = "import os, signal, sys\nfrom mpi4py import MPI\nworld = MPI.COMM_WORLD\n"
    (tmp_path / "ring.py").write_text(head + program)
    (tmp_path / "job.yaml").write_text(f"""
framework: mpi
files: [ring.py]
roles:
  worker: {{instances: 2, vcores: 2, memory: 256MiB, command: "mpirun {installed('mpi')} ring.py", {keys}}}
""")
    done = machine("run", "job.yaml", cwd=tmp_path, timeout=RUN_S)
    machine.assert_clean(done.id)
    return done


def test_ranks_run_in_all_tasks(machine, installed):
    machine.assert_clean(cases.run_mpi_ranks_in_all_tasks(machine, installed))


@pytest.mark.parametrize("start", ["mpirun -wdir sub", "mpirun -wdir $PWD/sub", "cd sub && mpirun", "mpirun -np 4"])
def test_ranks_start_in_a_subdirectory_of_their_own_task(machine, installed, tmp_path, start):
    expected = "" if "-np" in start else "/sub"
    (tmp_path / "src/sub").mkdir(parents=True)
    (tmp_path / "job.yaml").write_text(f"""
framework: mpi
source: src
roles:
  worker:
    instances: 2
    vcores: 2
    memory: 256MiB
    command: {start} sh -c 'echo "$HOWDAH_TASK_INDEX $(pwd -P)"'
""")
    done = machine("run", "job.yaml", cwd=tmp_path, timeout=RUN_S)
    assert done.code == 0, done
    lines = sorted(machine.log(done.id, "worker:0", "--stdout").splitlines())
    assert [re.sub("/.*/work/", "", line) for line in lines] == \
        [f"{task} worker-{task}{expected}" for task in (0, 0, 1, 1)], done
    machine.assert_clean(done.id)


def test_a_killed_rank_restarts_all_ranks(machine, installed, tmp_path):
    done = job(machine, installed, tmp_path, """
if world.rank == 3 and os.environ["HOWDAH_ATTEMPT"] == "0":
    os.kill(os.getpid(), signal.SIGKILL)
line = f"sum {world.allreduce(world.rank)} of {os.environ['HOWDAH_TASK_INDEX']} {os.path.exists('ring.py')}\\n"
sys.stdout.write(line)  # one write: print makes several, and mpirun merges the output of its ranks
""", "restart: {max: 1}")
    assert done.code == 0, done
    status = machine.status()
    assert (status["generation"], [t["attempt"] for t in status["tasks"]]) == (1, [1, 1]), status
    lines = machine.log(done.id, "worker:0", "--stdout", "--attempt", "1").splitlines()
    assert sorted(lines) == ["sum 6 of 0 True"] * 2 + ["sum 6 of 1 True"] * 2, lines


def test_the_reason_has_the_exit_code_of_the_failed_rank(machine, installed, tmp_path):
    done = job(machine, installed, tmp_path, "world.Barrier()\nsys.exit(7 if world.rank == 2 else 0)\n", "")
    assert done.code == 1, done
    reason = machine.status()["reason"]
    assert reason.startswith("worker:0 failed with exit code 7"), reason


def test_ranks_can_save_before_a_stop(machine, installed, tmp_path):
    """mpirun forwards SIGUSR1 to its ranks. On SIGTERM it would kill them one second later."""
    (tmp_path / "job.yaml").write_text(f"""
framework: mpi
files: [save.py]
roles:
  worker: {{instances: 2, memory: 256MiB, command: "mpirun {installed('mpi')} save.py {tmp_path}"}}
checkpoint: {{signal: SIGUSR1, grace: 60s}}
""")
    (tmp_path / "save.py").write_text("""
import pathlib, signal, sys
from mpi4py import MPI
rank, folder = MPI.COMM_WORLD.rank, pathlib.Path(sys.argv[1])
def save(*_):
    signal.alarm(2)  # simulates 2 s of saving
    signal.signal(signal.SIGALRM, lambda *_: (folder / f"saved-{rank}").touch() or sys.exit())
signal.signal(signal.SIGUSR1, save)
(folder / f"ready-{rank}").touch()
while True:
    signal.pause()
""")
    job = machine.submit("job.yaml", cwd=tmp_path)
    eventually(lambda: len(list(tmp_path.glob("ready-*"))) == 2, "both ranks to run")
    assert machine("kill", job).code == 0
    assert sorted(f.name for f in tmp_path.glob("saved-*")) == ["saved-0", "saved-1"]
    machine.assert_clean(job)
