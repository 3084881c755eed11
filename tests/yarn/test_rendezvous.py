"""Real Horovod, XGBoost and MPI on a cluster: what serves their rendezvous is in a container too."""
import pytest

import elastic_cases
import mpi_cases
import rendezvous_cases as cases
from kill_cases import kill_am


@pytest.fixture
def shared(tmp_path):
    """Checkpoints are on a disk that all nodes share, and that the job's user may write."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def test_horovod_goes_on_after_a_rank_is_killed(howdah, installed, shared):
    howdah.assert_clean(cases.horovod_with_a_killed_rank(howdah, installed, shared))


def test_horovods_processes_go_on_when_others_come_and_leave_and_without_the_application_master(
        howdah, installed, shared):
    training = elastic_cases.Training(howdah, installed("horovod"), shared)
    three = elastic_cases.two_four_three_four_one_three_workers(training)
    kill_am(howdah, training.job)
    training.go_on()
    assert training.until_size(3) == three
    training.finish()
    training.assert_each_step_once()


def test_xgboost_learns_what_one_process_learns(howdah, installed):
    howdah.assert_clean(cases.xgboost_as_one_process(howdah, installed))


def test_mpirun_has_its_ranks_in_all_containers(howdah, installed):
    howdah.assert_clean(mpi_cases.ranks_in_all_tasks(howdah, installed))
