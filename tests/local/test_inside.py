"""Access to running jobs on the local backend."""
from inside_cases import *  # noqa: F403
