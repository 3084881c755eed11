"""Packed environments on the local place."""
from python_cases import *  # noqa: F403
