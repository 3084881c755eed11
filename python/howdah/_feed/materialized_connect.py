"""materialize() for DataFrames of Spark Connect, whose client sees neither the plan of the server nor its file systems.

    ROOT/DIGEST/ID/part-….parquet        the rows
    ROOT/DIGEST/complete-ID/part-….txt   the ID, written when the rows are complete; the first one in order is used

The plan of the client describes the rows, if it consists of files, ranges and rows of the client, and calls only
functions of Spark. The optimized plan of the server has the values of current_date() and its like. Other plans count
as themselves: in this session only.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any, Iterator
from urllib.parse import unquote

_FIELDS = "spark.sql.debug.maxToStringFields"
_RELATIONS = """read project filter join set_op sort limit aggregate local_relation sample offset deduplicate range
    subquery_alias repartition to_df with_columns_renamed drop tail with_columns hint unpivot to_schema
    repartition_by_expression cached_local_relation transpose fill_na drop_na replace""".split()
_EXPRESSIONS = """literal unresolved_attribute unresolved_function expression_string unresolved_star alias cast
    unresolved_regex sort_order lambda_function window unresolved_extract_value update_fields
    unresolved_named_lambda_variable named_argument_expression""".split()
_FILES = "parquet orc csv json text avro xml binaryfile".split()
_GLOB = re.compile(r"([\\*?\[\]{}])")


class Store:
    """A folder that the server writes, and that the ranks can read. root: its path or URI."""

    def __init__(self, session: Any, directory: str | None) -> None:
        if directory is None:
            raise TypeError(
                "materialize() needs directory= for a DataFrame of Spark Connect: a path or URI that both the server "
                "of Spark Connect and the ranks can use, such as hdfs:///user/alice/materialized"
            )
        self._session = session
        self.root = directory if _has_scheme(directory) else os.path.abspath(directory)

    def complete(self, folder: str) -> str | None:
        """The ID of the files of a plan, if they are there."""
        return next((found for found in self._marked(folder) if self._location(f"{folder}/{found}")), None)

    def commit(self, folder: str, number: str) -> str:
        """Makes these files those of the plan. Returns their ID, or that of another process."""
        row = self._session.range(1).selectExpr(f"'{number}' as value")
        row.coalesce(1).write.text(f"{folder}/complete-{number}")
        return self.complete(folder) or number

    def delete(self, path: str) -> None:
        """Does nothing: the client has no access to the file system. Files without a marker are not used."""

    def uri(self, path: str) -> str:
        """The path with the server's default file system, which may differ from that of the ranks."""
        if _has_scheme(path):
            return path
        found = re.match(r"[\w+.-]+:(//[^/]*)?", self._location(path) or "")
        return (found[0] if found else "") + path

    def _marked(self, folder: str) -> list[str]:
        try:
            return sorted(row["value"] for row in self._session.read.text(f"{folder}/complete-*").collect())
        except Exception as error:
            if "PATH_NOT_FOUND" in str(error):
                return []
            raise

    def _location(self, path: str) -> str | None:
        """The URI of a file of a folder of Parquet files."""
        try:
            return next(iter(self._session.read.parquet(path).inputFiles()), None)
        except Exception as error:
            if "PATH_NOT_FOUND" in str(error) or "UNABLE_TO_INFER_SCHEMA" in str(error):
                return None
            raise


def _has_scheme(path: str) -> bool:
    return ":" in path.partition("/")[0]


# --- the plan ---


def digest(df: Any, rows_per_file: int | None) -> str:
    session = df.sparkSession
    plan = df._plan.to_proto(session.client)
    text = _optimized(df)
    parts = [str(session.version), str(rows_per_file), str(df.schema.json()), *_settings(session), text]
    files = _files(session, df.inputFiles())
    parts += files or []
    before = plan.SerializeToString(deterministic=True)
    known = _number(plan, {}) and "InMemoryRelation" not in text and files is not None
    if known and not _calls_programs(session, before):
        parts.append(plan.SerializeToString(deterministic=True).hex())
    else:
        parts += [str(session.session_id), before.hex()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _optimized(df: Any) -> str:
    """The optimized plan, in which the numbers of expressions count in their order."""
    conf = df.sparkSession.conf
    before = conf.get(_FIELDS)
    conf.set(_FIELDS, str((1 << 31) - 1))  # Spark shortens no text
    try:
        text = str(df._explain_string(extended=True))
    finally:
        conf.set(_FIELDS, before)
    text = text.partition("== Optimized Logical Plan ==")[2].partition("== Physical Plan ==")[0]
    numbers: dict[str, int] = {}
    return re.sub(r"#\d+", lambda found: f"#{numbers.setdefault(found[0], len(numbers))}", text)


def _settings(session: Any) -> list[str]:
    """The settings of SQL, which may change results."""
    rows = session.sql("SET").collect()
    return sorted(f"{row[0]}={row[1]}" for row in rows if row[0].startswith("spark.sql.") and row[0] != _FIELDS)


def _files(session: Any, uris: list[str]) -> list[str] | None:
    """The input files with their sizes and times. None if not all of them are found."""
    if not uris:
        return []
    paths = [_GLOB.sub(r"\\\1", unquote(uri)) for uri in uris]
    rows = session.read.format("binaryFile").load(paths).select("path", "length", "modificationTime").collect()
    return sorted(map(str, rows)) if len(rows) == len(uris) else None


def _number(message: Any, numbers: dict[int, int]) -> bool:
    """Numbers the parts of a plan in their order, and removes the lines of code that made them. Returns whether the
    plan describes its rows."""
    kind, known = message.DESCRIPTOR.name, True
    if kind == "Relation":
        known = message.WhichOneof("rel_type") in _RELATIONS
    elif kind == "Expression":
        known = message.WhichOneof("expr_type") in _EXPRESSIONS
    elif kind == "Read":
        source = message.data_source
        known = message.WhichOneof("read_type") == "data_source" and source.format.lower() in _FILES
    for field, value in message.ListFields():
        if field.name in ("origin", "source_info"):
            message.ClearField(field.name)
        elif field.name == "plan_id":
            setattr(message, field.name, numbers.setdefault(value, len(numbers)))
        else:
            known = all([_number(part, numbers) for part in _messages(value)]) and known
    return known


def _messages(value: Any) -> Iterator[Any]:
    """The messages in a field, which may be repeated, or a map."""
    if hasattr(value, "ListFields"):
        yield value
    elif not isinstance(value, (str, bytes, int, float)):
        for part in value.values() if hasattr(value, "values") else value:
            if hasattr(part, "ListFields"):
                yield part


def _calls_programs(session: Any, plan: bytes) -> bool:
    """Whether the plan may call a function that a program has registered in the session."""
    found = [str(row[0]).rpartition(".")[2].lower() for row in session.sql("SHOW USER FUNCTIONS").collect()]
    return any(name.encode() in plan.lower() for name in found)
