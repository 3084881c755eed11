"""Packed environments on nodes: tar archives are unpacked by YARN, once a node; zips by the executor, with the rights
and links that YARN would lose."""
import pytest

from python_cases import *  # noqa: F403


@pytest.fixture
def machine(howdah):
    return howdah
