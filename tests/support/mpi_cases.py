"""Jobs that use Open MPI's mpirun, on every backend."""
import re

from machine import ROOT

RUN_S = 120  # an upper bound for a busy machine, not the expected duration


def run_mpi_ranks_in_all_tasks(machine, installed):
    """Returns the id of the job."""
    done = machine("run", "job.yaml", cwd=ROOT / "examples/mpi", env={"PYTHON": str(installed("mpi"))}, timeout=RUN_S)
    assert done.code == 0, done
    log = machine.log(done.id, "worker:0", "--stdout")
    assert sorted(re.findall(r"rank (\d)/4 in worker:(\d): pi is 3\.141592654", log)) == \
        [(str(n), str(n)) for n in range(4)], done
    tasks = machine.status(done.id)["tasks"]
    assert [(t["state"], t["attempt"]) for t in tasks] == [("SUCCEEDED", 0)] + [("STOPPED", 0)] * 3, tasks
    return done.id
