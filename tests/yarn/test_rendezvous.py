"""Real Horovod, XGBoost and MPI on a cluster, where the AM, which serves the rendezvous, also runs in a container."""
import pytest

import elastic_cases
import mpi_cases
import rendezvous_cases as cases
from kill_cases import kill_am


@pytest.fixture
def shared(tmp_path):
    """A folder for checkpoints. All nodes share it, and the user of the job may write to it."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.mark.long
def test_horovod_resumes_after_a_killed_rank(howdah, installed, shared):
    howdah.assert_clean(cases.run_horovod_with_a_killed_rank(howdah, installed, shared))


def test_horovod_processes_continue_through_scaling_and_am_failover(
        howdah, installed, shared):
    training = elastic_cases.Training(howdah, installed("horovod"), shared)
    three = elastic_cases.scale_to_2_4_1_3_workers(training)
    kill_am(howdah, training.job)
    training.wait_for_steps()
    assert training.until_size(3) == three
    training.finish()
    training.assert_each_step_once()


def test_xgboost_trains_the_same_model_as_one_process(howdah, installed):
    howdah.assert_clean(cases.check_xgboost_equals_one_process(howdah, installed))


def test_mpirun_starts_ranks_in_all_containers(howdah, installed):
    howdah.assert_clean(mpi_cases.run_mpi_ranks_in_all_tasks(howdah, installed))
