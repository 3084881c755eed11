"""Reaching into jobs on nodes: through the AM, whose port is the only one that is open."""
import pytest

from inside_cases import *  # noqa: F403


@pytest.fixture
def machine(howdah):
    return howdah
