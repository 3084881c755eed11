"""The rows of the chaos item `feed`. The numbers of a row follow from its id, so that a reader can check them.

Variables: PARTITIONS (numbers of rows, separated by commas)."""
import os

PARTITIONS = [int(size) for size in os.environ["PARTITIONS"].split(",")]
ROWS = sum(PARTITIONS)
NUMBERS = 256  # per row: 1 KiB


def numbers(ids):
    """The numbers of the rows, as an array [rows, NUMBERS]."""
    import numpy as np

    return (ids[:, None] * 7919 + np.arange(NUMBERS)).astype("int32")
