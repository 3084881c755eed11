"""The contract on YARN: the same files, and the same results, as on the local backend."""
import pytest

from contract_cases import *  # noqa: F403


@pytest.fixture
def machine(howdah):
    return howdah
