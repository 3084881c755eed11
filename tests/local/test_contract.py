"""The files of tests/contract on the local backend."""
from contract_cases import *  # noqa: F403
