"""feed_source.py JOB - supplies the feed `train` of a job until the job ends. The source has uneven and empty
partitions, which are the same each time this program is started."""
import sys

import numpy as np
import pyarrow as pa

import howdah
from feed_rows import NUMBERS, PARTITIONS, numbers
from howdah._feed import source


class Partitions(source.Source):
    def __init__(self):
        self._ends = np.cumsum(PARTITIONS)
        self._wire = source.Wire(self._table(0, 1).schema)

    @staticmethod
    def _table(first, end):
        ids = np.arange(first, end)
        return pa.table({"id": ids, "numbers": pa.FixedSizeListArray.from_arrays(numbers(ids).reshape(-1), NUMBERS)})

    def at_hand(self, pass_, number):
        if number >= len(PARTITIONS):
            return None
        table = self._table(self._ends[number] - PARTITIONS[number], self._ends[number])
        return source.Rows(source.Batches(table.to_batches(), self._wire), block=200)

    def count(self, pass_):
        return len(PARTITIONS)


job = howdah.Job.attach(sys.argv[1])
job.supply("train", Partitions())
job.wait()
