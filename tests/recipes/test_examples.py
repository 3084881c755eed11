"""The examples that start a cluster of another program: real Dask and real Ray, with workers that come and go."""
import os
import re

import pytest

import packed
from machine import ROOT, eventually

RUN_S = 900       # an upper bound for a busy machine, not the expected duration
LONG = "1500"     # parts: enough work for a minute or two with two cores, so that the workers can change meanwhile


def counts(log, what):
    """The numbers of workers that the driver has seen, in order."""
    return [int(number) for number in re.findall(rf"^{what}: (\d+), after", log, re.M)]


@pytest.mark.parametrize("name, driver, role, most", [("dask", "driver:0", "worker", 4), ("ray", "head:0", "node", 3)])
def test_the_result_is_right_although_workers_come_and_go(machine, installed, name, driver, role, most):
    programs = installed("clusters").parent
    job = machine.submit("job.yaml", "--set", f"env.PARTS={LONG}", cwd=ROOT / "examples" / name,
                         env={"PATH": f"{programs}:{os.environ['PATH']}"})

    def seen():
        return counts(machine.log(job, driver), f"{role}s")
    eventually(lambda: most in seen(), f"{most} {role}s in {job}", RUN_S)
    for size in (1, 2):
        assert machine("scale", job, f"{role}={size}").code == 0
        eventually(lambda: seen()[-1] == size, f"{size} {role}s in {job}, after {seen()}", RUN_S)
    done = machine("wait", job, timeout=RUN_S)
    assert done.code == 0, (done, machine.log(job, driver))
    assert "pi is about 3.14" in machine.log(job, driver)
    machine.assert_clean(job)


def test_dask_grows_on_a_cluster(howdah, installed, tmp_path):
    archive = packed.scripts_for(installed("clusters"), tmp_path, "dask", "python3")
    done = howdah("run", "job.yaml", "--set", f"python.archive={archive}", cwd=ROOT / "examples/dask", timeout=RUN_S)
    assert done.code == 0, done
    assert "driver:0 │ pi is about 3.14" in done.stdout, done
    assert max(counts(howdah.log(done.id, "driver:0"), "workers")) > 1, done
    howdah.assert_clean(done.id)
