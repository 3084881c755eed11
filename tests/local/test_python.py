"""Packed environments on the local backend."""
from python_cases import *  # noqa: F403
