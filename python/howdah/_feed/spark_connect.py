"""The rows of a DataFrame of Spark Connect. Its client has no SparkContext: each Spark job is a DataFrame, which
computes all partitions, and whose rows are the results of the tasks. Tags take the place of job groups."""

from __future__ import annotations

import json
from typing import Any, Sequence

from .._errors import FeedError, FeedMisuse
from .spark_rows import Result, SparkRows, Turn, keys_of, task_of, text_of
from .spark_task import Address


class ConnectRows(SparkRows):
    """names: of the columns of the frame. columns: as in SparkRows."""

    def __init__(self, frame: Any, names: Sequence[str], columns: dict[str, str]) -> None:
        self._frame, self._names, self._session = frame, names, frame.sparkSession
        self.columns = columns
        self._place = ("", "")  # job and feed

    def prepare(self, job: str, feed: str, address: Address, group: str, text: str) -> None:
        self._place = (job, feed)

    def run(self, turn: Turn, address: Address) -> dict[int, Result]:
        if getattr(self._session, "is_stopped", False):
            raise FeedError("the job needs rows of the feed, and the Spark session of its DataFrame was stopped")
        keys = keys_of(*self._place, self._names, address)
        task = task_of({**keys, "turn": text_of(turn, address)}, None, None)
        self._session.addTag(turn.group)  # of this thread
        try:
            rows = self._frame.mapInArrow(task, "partition int, result string").collect()
        finally:
            self._session.removeTag(turn.group)
        found = {row["partition"]: Result(*json.loads(row["result"])[1]) for row in rows}
        if self.count is not None and len(found) != self.count:
            raise FeedMisuse(
                f"the DataFrame had {self.count} partitions, and has {len(found)} now: write it with "
                "df.write.parquet(…), or give a DataFrame without a shuffle"
            )
        self.count = len(found)
        return found

    def results(self, group: str) -> dict[int, Result]:
        return {}  # they are known when the Spark job has ended

    def cancel(self, group: str) -> None:
        self._session.interruptTag(group)
