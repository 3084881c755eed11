"""Real Horovod, XGBoost and MPI on a cluster: what serves their rendezvous is in a container too."""
import pytest

import mpi_cases
import rendezvous_cases as cases


@pytest.fixture
def shared(tmp_path):
    """Checkpoints are on a disk that all nodes share, and that the job's user may write."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


def test_horovod_goes_on_after_a_rank_is_killed(howdah, installed, shared):
    howdah.assert_clean(cases.horovod_with_a_killed_rank(howdah, installed, shared))


def test_xgboost_learns_what_one_process_learns(howdah, installed):
    howdah.assert_clean(cases.xgboost_as_one_process(howdah, installed))


def test_mpirun_has_its_ranks_in_all_containers(howdah, installed):
    howdah.assert_clean(mpi_cases.ranks_in_all_tasks(howdah, installed))
