"""Packed environments on a cluster. YARN unpacks tar archives once per node. The executor unpacks zip archives, because
YARN would lose their permissions and links."""
import pytest

from python_cases import *  # noqa: F403


@pytest.fixture
def machine(howdah):
    return howdah
