"""Reaching into jobs of the local place."""
from inside_cases import *  # noqa: F403
