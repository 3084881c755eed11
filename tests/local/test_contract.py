"""The contract on the local place."""
from contract_cases import *  # noqa: F403
