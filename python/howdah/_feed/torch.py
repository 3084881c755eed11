"""Batches as tensors of PyTorch, also in the workers of a DataLoader.

In a DataLoader with workers, worker 0 reads all batches of the pass over a connection of its own, in the order of the
feed. The other workers return nothing. So order and number of the batches are those without a DataLoader. More than
one worker brings no advantage.

Rows count as returned to the program when the DataLoader returns their batch in the process of the program. The worker
has read more by then, so the DataLoader's iterator counts, and worker and program share the numbers.
"""

from __future__ import annotations

import multiprocessing.sharedctypes
from typing import Any, Callable, Iterator

from .. import _needs
from .._errors import FeedMisuse, FeedTypeError
from .batches import Converter
from .columns import Options
from .reader import Batches, FeedReader

torch: Any = _needs.load("torch", "FeedReader.torch")
data: Any = _needs.load("torch.utils.data", "FeedReader.torch")
loader: Any = _needs.load("torch.utils.data.dataloader", "FeedReader.torch")


class Shared:
    """The state of a reader that the workers of a DataLoader share with its process."""

    def __init__(self) -> None:
        self._numbers: Any = multiprocessing.sharedctypes.RawArray("q", 5)

    def _number(index: int) -> Any:  # type: ignore[misc]
        def read(self: Shared) -> int:
            return int(self._numbers[index])

        def write(self: Shared, value: int) -> None:
            self._numbers[index] = value

        return property(read, write)

    next_pass = _number(0)  # set when a pass begins
    current = _number(1)  # the pass that worker 0 reads
    fetched = _number(2)  # rows of this pass that the worker has returned to the DataLoader
    got = _number(3)  # rows of this pass that the DataLoader has returned to the program
    batch = _number(4)  # rows of a batch of this pass; 0: the worker has reached its end

    def begin(self, number: int, rows: int) -> None:
        self.next_pass, self.current, self.fetched, self.got, self.batch = number + 1, number, 0, 0, rows


class Dataset(data.IterableDataset):  # type: ignore[misc]
    """Each iteration is one pass over the feed."""

    def __init__(self, batches: Batches, device: Any, state: tuple[int, Any, Options], shared: Shared) -> None:
        self._batches, self._device, self._state, self._shared = batches, device, state, shared

    def __iter__(self) -> Iterator[Any]:
        worker = data.get_worker_info()
        if worker is None:
            return iter(self._batches)
        if self._device is not None:
            raise FeedMisuse("the workers of a DataLoader cannot use a device: call .torch(n) without device")
        return self._batches.iterate(self._shared) if worker.id == 0 else iter(())

    def __reduce__(self) -> Any:  # for workers that are not made by fork
        return _restored, (self._batches.reader.name, *self._state, self._shared)

    def _delivered(self) -> None:
        """The DataLoader returns a batch to the program."""
        reader, shared = self._batches.reader, self._shared
        if reader._reading != shared.current:
            reader._reading, reader._pass, reader._rows = shared.current, shared.current, 0
            reader._iterations += 1
        reader._rows = min(reader._rows + self._batches.n, shared.fetched)
        shared.got = reader._rows

    def _finished(self) -> None:
        """The DataLoader has returned all batches of the pass. The worker has sent its last request before that."""
        reader, shared = self._batches.reader, self._shared
        reader._reading = None
        if reader._pass == shared.current:
            reader._returned()


def _restored(name: str, n: int, device: Any, options: Options, shared: Shared) -> Dataset:
    from .._context import context

    reader = context().feed(name)
    reader._workers = shared
    return Dataset(_batches(reader, n, device, options), device, (n, device, options), shared)


def dataset(reader: FeedReader, n: int, device: Any, options: Options) -> Dataset:
    if reader._workers is None:
        reader._workers = Shared()
        reader._workers.next_pass = reader._next_pass
    _count_deliveries()
    return Dataset(_batches(reader, n, device, options), device, (n, device, options), reader._workers)


def _batches(reader: FeedReader, n: int, device: Any, options: Options) -> Batches:
    leaf = _leaf(device)
    return Batches(reader, n, options, lambda: Converter(options, "torch", leaf))


def _leaf(device: Any) -> Callable[[Any], Any]:
    def convert(array: Any) -> Any:
        try:
            tensor = torch.from_numpy(array)
        except TypeError:
            raise FeedTypeError(
                f"this version of PyTorch has no tensors of the type {array.dtype}: give the column another type, such "
                'as dtypes={"x": "int64"}'
            ) from None
        # Copies from memory that is not pinned have read it when the call returns.
        return tensor if device is None else tensor.to(device, non_blocking=True)

    return convert


def _count_deliveries() -> None:
    """Makes the iterators of DataLoaders count the batches that they return. PyTorch has no hook for it."""
    base = loader._BaseDataLoaderIter
    plain = base.__next__
    if getattr(plain, "_howdah", False):
        return

    def __next__(self: Any) -> Any:
        feed = self._dataset
        if not isinstance(feed, Dataset) or self._num_workers == 0:
            return plain(self)
        try:
            batch = plain(self)
        except StopIteration:
            feed._finished()
            raise
        feed._delivered()
        return batch

    __next__._howdah = True  # type: ignore[attr-defined]
    base.__next__ = __next__
