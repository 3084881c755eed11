"""The files of tests/contract on YARN, with the same results as on the local backend."""
import pytest

from contract_cases import *  # noqa: F403


@pytest.fixture
def machine(howdah):
    return howdah
