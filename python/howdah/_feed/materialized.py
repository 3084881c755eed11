"""DataFrames of Spark as Parquet files, which are written once for each plan and its input files.

    ROOT/DIGEST/ID/part-….parquet   the rows; DIGEST is that of the plan
    ROOT/DIGEST/complete            the ID of the files to use. It appears atomically when they are complete

The optimized plan is compared, in which current_date() and its like are constants. Files count with their paths, sizes
and times. Inputs that the plan does not identify, such as an RDD, count as themselves: in this Spark application only.
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from typing import Any, Iterator, Mapping
from uuid import uuid4

from .._errors import FeedTypeError
from . import materialized_connect
from .spark_rows import _columns, is_rdd
from .writer import Feed, is_of_connect, is_of_spark

_COMPLETE = "complete"
_FIELDS = "spark.sql.debug.maxToStringFields"
_FILE = re.compile(r"path=(.*?); isDirectory=.*?; length=(\d+);.*?modification_time=(\d+);")
_MOST_EXPRESSIONS = 20_000  # of a plan that is examined
_KNOWN = ("Range", "OneRowRelation")  # the text of the plan describes these inputs completely
_PROGRAMS = ("UDF", "UDAF", "UDTF", "Aggregator", "Invoke")


def feed(df: Any, directory: str | None, rows_per_file: int | None, keys: Mapping[str, Any]) -> Feed:
    """See howdah.spark.materialize."""
    if not is_of_spark(df) or is_rdd(df):
        raise TypeError(f"materialize() needs a DataFrame of Spark, not an object of {type(df)}")
    if df.isStreaming:
        raise FeedTypeError("materialize() cannot write a streaming DataFrame: write its batches in foreachBatch")
    if rows_per_file is not None and (not isinstance(rows_per_file, int) or rows_per_file < 1):
        raise ValueError(f"rows_per_file is {rows_per_file!r}; it must be an integer of at least 1")
    names, numbered = _columns(df, None)
    store: _Store | materialized_connect.Store
    if is_of_connect(df):
        store, digest = materialized_connect.Store(df.sparkSession, directory), materialized_connect.digest
    else:
        store, digest = _Store(df.sparkSession, directory), _digest
    folder = f"{store.root}/{digest(df, rows_per_file)}"
    found = store.complete(folder)
    if found is None:
        found = uuid4().hex
        path = f"{folder}/{found}"
        writer = numbered.toDF(*names).write
        if rows_per_file is not None:
            writer = writer.option("maxRecordsPerFile", rows_per_file)
        try:
            writer.parquet(path)
            found = store.commit(folder, found)
        finally:
            if path != f"{folder}/{found}" or store.complete(folder) is None:
                store.delete(path)
    return Feed(store.uri(f"{folder}/{found}"), **keys)


class _Store:
    """A folder in a file system of Hadoop. root: its URI."""

    def __init__(self, session: Any, directory: str | None) -> None:
        context = session.sparkContext
        self._jvm = context._jvm
        conf = context._jsc.hadoopConfiguration()
        paths = self._jvm.org.apache.hadoop.fs
        if directory is None:
            self._files = paths.FileSystem.get(conf)
            home = str(self._files.getHomeDirectory().toString())
            if home.startswith("file:"):
                home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
                directory = f"{home}/howdah/materialized"
            else:
                directory = f"{home}/.howdah/materialized"
        path = paths.Path(directory if ":" in directory.partition("/")[0] else os.path.abspath(directory))
        self._files = path.getFileSystem(conf)
        path = self._files.makeQualified(path)
        self._context = paths.FileContext.getFileContext(path.toUri(), conf)
        self.root = str(path.toString())

    def complete(self, folder: str) -> str | None:
        """The ID of the files of a plan, if they are there."""
        marker = self._path(f"{folder}/{_COMPLETE}")
        if not self._files.exists(marker):
            return None
        stream = self._files.open(marker)
        try:
            found = str(stream.readLine())
        finally:
            stream.close()
        return found if self._files.exists(self._path(f"{folder}/{found}")) else None

    def commit(self, folder: str, number: str) -> str:
        """Makes these files those of the plan. Returns their ID, or that of another process that was faster."""
        marker, new = self._path(f"{folder}/{_COMPLETE}"), self._path(f"{folder}/.{_COMPLETE}.{number}")
        stream = self._files.create(new, True)
        try:
            stream.writeBytes(f"{number}\n")
        finally:
            stream.close()
        if self._files.exists(marker) and self.complete(folder) is None:  # the files that it names were deleted
            self._files.delete(marker, False)
        rename = self._jvm.org.apache.hadoop.fs.Options.Rename
        options = self._jvm.java.lang.reflect.Array.newInstance(rename.NONE.getClass(), 1)
        options[0] = rename.NONE
        try:
            self._context.rename(new, marker, options)
        except Exception as error:
            winner = self.complete(folder)
            if winner is None or "FileAlreadyExists" not in str(error):
                raise
            self._files.delete(new, False)
            return winner
        return number

    def delete(self, path: str) -> None:
        self._files.delete(self._path(path), True)

    def uri(self, path: str) -> str:
        return path  # `root` is a URI

    def _path(self, text: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(text)


# --- the plan ---


def _digest(df: Any, rows_per_file: int | None) -> str:
    session = df.sparkSession
    with _long_texts(session):
        query = df._jdf.queryExecution()
        plan = query.optimizedPlan()
        parts = [session.version, str(rows_per_file), df.schema.json(), _settings(session), *_plan(plan)]
        identity = _Identity(session)
        for one in [plan, *_items(plan.subqueriesAll())]:
            parts += [identity.leaf(leaf) for leaf in _items(one.collectLeaves())]
            parts += identity.programs(one)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _plan(plan: Any) -> list[str]:
    plan = plan.canonicalized()
    return [str(plan.toString()), str(plan.toJSON())]


@contextmanager
def _long_texts(session: Any) -> Iterator[None]:
    """Spark shortens no text of a plan."""
    before = session.conf.get(_FIELDS, None)
    session.conf.set(_FIELDS, str((1 << 31) - 1))
    try:
        yield
    finally:
        session.conf.unset(_FIELDS) if before is None else session.conf.set(_FIELDS, before)


def _settings(session: Any) -> str:
    """The settings of SQL, which may change results."""
    lines = str(session._jsparkSession.sessionState().conf().getAllConfs().mkString("\n")).splitlines()
    return "\n".join(sorted(line for line in lines if line.startswith("spark.sql.") and not line.startswith(_FIELDS)))


def _items(seq: Any) -> list[Any]:
    return [seq.apply(number) for number in range(seq.size())]


class _Identity:
    """Texts that differ if the inputs of plans differ."""

    def __init__(self, session: Any) -> None:
        self._jvm = session.sparkContext._jvm
        self._application = str(session.sparkContext.applicationId)

    def leaf(self, leaf: Any) -> str:
        kind = str(leaf.getClass().getSimpleName())
        if kind in _KNOWN:
            return kind
        if kind == "LocalRelation":
            return str(leaf.data().mkString("\n"))
        if kind == "LogicalRDD":
            return self._own(f"RDD {leaf.rdd().id()}")
        if kind == "LogicalRelation" and str(leaf.relation().getClass().getSimpleName()) == "HadoopFsRelation":
            files = self._files(leaf.relation())
            if files is not None:
                return files
        return self._own(f"{kind} {self._jvm.java.lang.System.identityHashCode(leaf)}")

    def _files(self, relation: Any) -> str | None:
        """The files of a relation. None if they are not known."""
        try:
            listed = str(relation.location().allFiles().mkString("\n"))
        except Exception:  # this kind of index has no list of all files
            return None
        found = _FILE.findall(listed)
        if len(found) != len([line for line in listed.splitlines() if line]):
            return None
        about = [relation.fileFormat().toString(), relation.options().toString(), relation.dataSchema().json()]
        return "\n".join([*map(str, about), *sorted(" ".join(file) for file in found)])

    def programs(self, plan: Any) -> list[str]:
        """The functions of a program that a plan calls: their code may change between two applications."""
        found: list[str] = []
        nodes, seen = [plan], 0
        while nodes:
            node = nodes.pop()
            nodes += _items(node.children())
            expressions = _items(node.expressions())
            while expressions:
                expression = expressions.pop()
                expressions += _items(expression.children())
                seen += 1
                if seen > _MOST_EXPRESSIONS:
                    return [self._own(f"plan {self._jvm.java.lang.System.identityHashCode(plan)}")]
                name = str(expression.getClass().getSimpleName())
                if any(part in name for part in _PROGRAMS):
                    found.append(self._own(self._program(name, expression)))
        return found

    def _program(self, name: str, expression: Any) -> str:
        if name.startswith("Python"):
            return f"{name} {expression.func().command().mkString(',')}"
        return f"{name} {self._jvm.java.lang.System.identityHashCode(expression)}"

    def _own(self, text: str) -> str:
        return f"{self._application} {text}"
