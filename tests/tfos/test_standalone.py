"""The programs on a standalone Spark with two workers: with the package tensorflowonspark, and unchanged with the
package of this checkout."""
import os

import pytest

import tfos

tfos.sparks.site_packages()

import tfos_cases  # noqa: E402
from standalone import Standalone  # noqa: E402

CASES = tfos_cases.CASES
CORES = 2  # of each worker: one executor per core


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    folder = tmp_path_factory.mktemp("standalone")
    cluster = Standalone(tfos.Real(folder).spark_home, folder, CORES)
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def home(machine):
    """The home of this test's jobs."""


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("original", [True, False], ids=["tensorflowonspark", "howdah"])
def test_program_runs_unchanged(real, spark, out, name, original):
    case = CASES[name]
    # A node of TensorFlowOnSpark needs an executor of its own. Here one executor per worker is enough.
    executors = case.nodes if original else 2
    tensorflow = case.tensorflow or case.keras
    # Executors of a standalone Spark do not get the environment of the driver. Ours need only pyspark and pyarrow.
    packages = [real.site] if tensorflow or not original else [real.stub, real.site]
    settings = {"spark.executor.cores": "1", "spark.cores.max": str(executors),
                "spark.scheduler.minRegisteredResourcesRatio": "1.0",
                "spark.executorEnv.PYTHONPATH": os.pathsep.join(map(str, packages))}
    done = real.run(f"{name}.py", *case.arguments(out), master=spark.master, original=original, tensorflow=tensorflow,
                    settings=settings, env={} if original else {"HOWDAH_ON": "local"})
    assert done.code == 0, done
    case.check(out, done)
    if not original:
        case.ours(out, done)
