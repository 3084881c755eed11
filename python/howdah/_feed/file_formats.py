"""The rows of one part of a file, as record batches of the feed's schema."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, Sequence

from .. import _needs
from .._errors import FeedTypeError
from .._files import LARGEST
from .file_input import Opened
from .wire import Wire

pa: Any = _needs.load("pyarrow", "howdah.Feed")

RECORD = "record"  # the only column of a feed that reads the records of TFRecord files
_BATCH = 8 << 20  # the intended bytes of a batch that is decoded at once
_MOST_ROWS = 65536
_CSV_PIECE = 4 << 20
_BUFFERS = 32 << 20  # bytes of a Parquet file that are read at once, for all columns together
_WHOLE = 20 << 20  # bytes of a row group that is read as a whole
_SAMPLE = 4 << 20  # bytes of Examples that show the types of the columns
_SAMPLE_ROWS = 1000


class Reader:
    """Reads the files of one format. columns: those that are read; None: all.

    samples: the number of files that are examined, if the types follow from the values.
    """

    samples = 1

    def __init__(self, columns: Sequence[str] | None) -> None:
        self.columns = columns

    def schema(self, file: Opened, name: str) -> Any:
        """The schema of a file."""
        raise NotImplementedError

    def unit(self, file: Opened) -> int:
        """The average bytes that are read as a whole."""
        return 0

    def batches(self, file: Opened, name: str, start: int, end: int, schema: Any, other: str) -> Iterator[Any]:
        """The rows of the part from the byte `start` to `end`. schema: that of the file `other`."""
        raise NotImplementedError

    def wanted(self, schema: Any, name: str) -> Any:
        """The schema of the columns that are read."""
        plain = pa.schema([field.remove_metadata() for field in schema])
        if self.columns is None:
            return plain
        missing = [column for column in self.columns if plain.get_field_index(column) < 0]
        if missing:
            raise FeedTypeError(
                f"reading {name}: it has no column {missing[0]!r}; its columns are {', '.join(plain.names)}"
            )
        return pa.schema([plain.field(column) for column in self.columns])


def check(found: Any, name: str, schema: Any, other: str, types: bool = True) -> None:
    """Raises FeedTypeError if a file has other columns than the schema of another file."""
    for field in schema:
        at = found.get_field_index(field.name)
        if at < 0:
            raise FeedTypeError(f"the file {name} has no column {field.name!r}, unlike {other}")
        if types and not found.field(at).type.equals(field.type):
            raise FeedTypeError(
                f"the column {field.name!r} has the type {found.field(at).type} in {name}, and {field.type} in "
                f"{other}; a feed has one type for each column"
            )
    for field in found:
        if schema.get_field_index(field.name) < 0:
            raise FeedTypeError(
                f"the file {name} has the column {field.name!r}, and {other} has not; name the columns to read"
            )


def merged(schemas: Sequence[Any]) -> Any:
    """The columns of all schemas, with types that can hold the values of each."""
    fields: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            known = fields.get(field.name)
            fields[field.name] = field if known is None else known.with_type(_common(known.type, field.type))
    return pa.schema(list(fields.values()))


def _common(one: Any, other: Any) -> Any:
    types = pa.types
    if one.equals(other) or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if types.is_list(one) or types.is_list(other):
        item, other_item = (given.value_type if types.is_list(given) else given for given in (one, other))
        return pa.list_(_common(item, other_item))
    numbers = {pa.int64(), pa.float64()}
    if {one, other} == numbers:
        return pa.float64()
    # The values of a CSV file are texts. Features of Examples with different types are an error later.
    return pa.string() if pa.binary() not in (one, other) and pa.float32() not in (one, other) else one


class Parquet(Reader):
    def schema(self, file: Opened, name: str) -> Any:
        return self.wanted(self._metadata(file).schema.to_arrow_schema(), name)

    def unit(self, file: Opened) -> int:
        metadata = self._metadata(file)
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        return sum(_size(_ranges(group, None)) for group in groups) // max(1, len(groups))

    def batches(self, file: Opened, name: str, start: int, end: int, schema: Any, other: str) -> Iterator[Any]:
        metadata = self._metadata(file)
        check(self.wanted(metadata.schema.to_arrow_schema(), name), name, schema, other)
        numbers = range(metadata.num_row_groups)
        middles = [_middle(metadata.row_group(number)) for number in numbers] if numbers else []
        own = [number for number in numbers if start <= middles[number] < end]
        later = [number for first, last in file.then for number in numbers if first <= middles[number] < last]
        for at, number in enumerate(own):
            group = metadata.row_group(number)
            ranges = _ranges(group, schema.names)
            piece = 0
            if file.ahead:
                piece = _piece(ranges)
                following = [_ranges(metadata.row_group(after), schema.names) for after in [*own[at + 1 :], *later]]
                ranges += [one for after in following if not piece and not _piece(after) for one in after]
                file.expect(ranges, piece or LARGEST)
            else:
                piece = max(64 << 10, min(4 << 20, _BUFFERS // max(1, len(ranges))))
            # Without pre_buffer, pages are read as they are needed, and not all columns of a row group at once.
            parquet = _parquet().ParquetFile(file.arrow, metadata=metadata, pre_buffer=False, buffer_size=piece)
            size = max(1, min(_MOST_ROWS, _BATCH * group.num_rows // max(1, group.total_byte_size)))
            for batch in parquet.iter_batches(batch_size=size, row_groups=[number], columns=schema.names):
                yield _selected(batch, schema)

    @staticmethod
    def _metadata(file: Opened) -> Any:
        if file.kept is None:
            file.kept = _parquet().read_metadata(file.arrow)
        return file.kept


def _parquet() -> Any:
    return _needs.load("pyarrow.parquet", "reading Parquet files")


def _ranges(group: Any, names: Sequence[str] | None) -> list[tuple[int, int]]:
    """The bytes of the columns of a row group. names: of the columns; None: all."""
    found = []
    for number in range(group.num_columns):
        column = group.column(number)
        path = column.path_in_schema
        if names is None or any(path == name or path.startswith(name + ".") for name in names):
            start = min(offset for offset in (column.dictionary_page_offset, column.data_page_offset) if offset)
            found.append((start, start + column.total_compressed_size))
    return found


def _size(ranges: Sequence[tuple[int, int]]) -> int:
    return sum(end - start for start, end in ranges)


def _piece(ranges: Sequence[tuple[int, int]]) -> int:
    """The bytes of each column that are read at once. 0: the whole row group fits into memory."""
    if _size(ranges) <= _WHOLE and all(end - start <= LARGEST for start, end in ranges):
        return 0
    return max(64 << 10, min(4 << 20, _BUFFERS // 2 // max(1, len(ranges))))


def _middle(group: Any) -> int:
    """The byte in the middle of a row group, which decides to which part of the file it belongs."""
    columns = [group.column(number) for number in range(group.num_columns)]
    offsets = [offset for one in columns for offset in (one.dictionary_page_offset, one.data_page_offset) if offset]
    return int(min(offsets, default=0) + sum(one.total_compressed_size for one in columns) // 2)


def _selected(batch: Any, schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([batch.column(name) for name in schema.names], schema=schema)


class Arrow(Reader):
    def schema(self, file: Opened, name: str) -> Any:
        return self.wanted(self._open(file)[0].schema, name)

    def batches(self, file: Opened, name: str, start: int, end: int, schema: Any, other: str) -> Iterator[Any]:
        source, is_file = self._open(file)
        check(self.wanted(source.schema, name), name, schema, other)
        if not is_file:
            if start == 0:
                yield from (_selected(batch, schema) for batch in source)
            return
        count, size = source.num_record_batches, file.arrow.size()
        for number in range(count):
            if start <= (2 * number + 1) * size // (2 * count) < end:
                yield _selected(source.get_batch(number), schema)

    @staticmethod
    def _open(file: Opened) -> tuple[Any, bool]:
        """The reader of the file, and whether it can read any batch, or only one after another."""
        ipc: Any = _needs.load("pyarrow.ipc", "reading Arrow files")
        magic = file.arrow.read(6)
        file.arrow.seek(0)
        return (ipc.open_file(file.arrow), True) if magic == b"ARROW1" else (ipc.open_stream(file.arrow), False)


class Csv(Reader):
    samples = 16

    def schema(self, file: Opened, name: str) -> Any:
        return self.wanted(self._open(file, name, {}).schema, name)

    def batches(self, file: Opened, name: str, start: int, end: int, schema: Any, other: str) -> Iterator[Any]:
        try:
            reader = self._open(file, name, {"column_types": schema})
            # With `columns`, the schema of the file has further columns.
            check(self.wanted(reader.schema, name), name, schema, other)
            for batch in reader:
                yield _selected(batch, schema)
        except pa.ArrowInvalid as error:
            hint = f"; the types are those of the first rows of the first files, such as {other}"
            raise FeedTypeError(f"reading {name}: {error}{hint if 'conversion error' in str(error) else ''}") from None

    def _open(self, file: Opened, name: str, convert: dict[str, Any]) -> Any:
        csv = self._csv()
        stream = pa.CompressedInputStream(file.arrow, "gzip") if name.lower().endswith(".gz") else file.arrow
        return csv.open_csv(
            stream,
            read_options=csv.ReadOptions(block_size=_CSV_PIECE, use_threads=False),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(**convert),
        )

    @staticmethod
    def _csv() -> Any:
        return _needs.load("pyarrow.csv", "reading CSV files")


class Tfrecord(Reader):
    samples = 4

    def schema(self, file: Opened, name: str) -> Any:
        records = self._records(file, name)
        if self.columns is not None and list(self.columns) == [RECORD]:
            for _ in records:  # verifies that it is a TFRecord file
                break
            return pa.schema([pa.field(RECORD, pa.binary())])
        sample: list[bytes] = []
        size = 0
        for record in records:
            sample.append(record)
            size += len(record)
            if size >= _SAMPLE or len(sample) >= _SAMPLE_ROWS:
                break
        return self.wanted(self._table(sample, name, 0, None, None).schema, name)

    def batches(self, file: Opened, name: str, start: int, end: int, schema: Any, other: str) -> Iterator[Any]:
        as_records = schema.names == [RECORD]
        first = 0
        for records in _by_size(self._records(file, name)):
            if as_records:
                yield pa.RecordBatch.from_arrays([pa.array(records, pa.binary())], schema=schema)
            else:
                table = self._table(records, name, first, self.columns, schema)
                yield from (_selected(batch, schema) for batch in table.combine_chunks().to_batches())
            first += len(records)

    @staticmethod
    def _records(file: Opened, name: str) -> Iterator[bytes]:
        from ..data import tfrecord

        return tfrecord.records_of(file.arrow, name)

    @staticmethod
    def _table(records: Sequence[bytes], name: str, first: int, columns: Sequence[str] | None, schema: Any) -> Any:
        from ..data import tfrecord

        try:
            return tfrecord.table_of(records, name, first, columns, schema)
        except ValueError as error:
            hint = "" if schema is None else "; the types are those of the first records"
            raise FeedTypeError(
                f'{error}{hint}; with columns=["{RECORD}"] the feed has the records as they are'
            ) from None


def _by_size(records: Iterable[bytes]) -> Iterator[list[bytes]]:
    found: list[bytes] = []
    size = 0
    for record in records:
        found.append(record)
        size += len(record)
        if size >= _BATCH // 2 or len(found) >= _MOST_ROWS:
            yield found
            found, size = [], 0
    if found:
        yield found


READERS: dict[str, Callable[[Sequence[str] | None], Reader]] = {
    "parquet": Parquet,
    "arrow": Arrow,
    "csv": Csv,
    "tfrecord": Tfrecord,
}


def sent(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    """The batches in the form in which a feed sends them."""
    wire = Wire(schema)
    return (wire.convert(batch) for batch in batches)
