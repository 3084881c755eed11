"""Parts of the package that need no job."""

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import types

import pytest
import yaml

import howdah
from howdah import (
    _calls,
    _code,
    _context,
    _errors,
    _jobfile,
    _keys,
    _notebook,
    _pack,
    _pickling,
    _program,
    _store,
    _yaml,
)
from howdah._job import Status

PACKAGE = pathlib.Path(howdah.__file__).parents[1]


def test_import_loads_only_the_standard_library_and_no_module_of_the_package():
    code = "import sys; before = set(sys.modules); import howdah; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(PACKAGE)},
    )
    assert done.stdout.split() == ["howdah"]


def test_every_public_name_is_loaded():
    for name in howdah.__all__:
        assert getattr(howdah, name).__module__.startswith("howdah"), name
    assert set(howdah.__all__) <= set(dir(howdah))
    with pytest.raises(AttributeError, match="module 'howdah' has no attribute 'runn'"):
        howdah.runn


def test_version_is_that_of_the_program():
    text = (PACKAGE.parent / "src/base/include/howdah/base/version.h").read_text()
    assert f'kVersion = "{howdah.__version__}"' in text


def test_written_yaml_is_read_back_unchanged():
    job = {
        "name": "true",
        "a b": "x: y",
        "n": "12",
        "list": [1, "a", None],
        "maps": [{"from": "/a b", "to": "x"}],
        "map": {"on": "yes", "empty": {}, "deep": {"text": 'q"\\\n é', "flag": False}},
        "path": "/usr/bin/x-1_2.py",
    }
    assert yaml.safe_load(_yaml.dump(job)) == job
    assert (
        _yaml.dump({"memory": "x", "roles": {"worker": {"gpus": 1}}}) == "memory: x\nroles:\n  worker:\n    gpus: 1\n"
    )


def keys(**given):
    return {**_keys.DEFAULTS, **given}


def test_job_file_contains_only_the_given_arguments():
    part = _jobfile.RolePart(["true"], [], _jobfile.worker_keys(keys(workers=(2, 8))))
    assert _jobfile.job(keys(), "j", {"worker": part}, None, []) == {
        "name": "j",
        "roles": {"worker": {"instances": {"min": 2, "max": 8}, "memory": "2GiB", "command": ["true"]}},
    }


def test_dollars_are_literal_except_in_options_and_commands():
    part = _jobfile.RolePart(["echo", "$X"], [{"from": "/a$b", "to": "x"}], {"memory": "1GiB", "env": {"A": "$B"}})
    given = keys(
        env={"N": "$1"}, options={"roles.worker.env": {"C": "${HOME}"}, "am.memory": "1GiB"}, checkpoint={"dir": "/c$"}
    )
    job = _jobfile.job(given, "n$", {"worker": part}, "/s$", [])
    assert job["name"] == "n$$" and job["source"] == "/s$$" and job["env"] == {"N": "$$1"}
    assert job["checkpoint"] == {"dir": "/c$$"} and job["am"] == {"memory": "1GiB"}
    assert job["roles"]["worker"] == {
        "memory": "1GiB",
        "env": {"A": "$$B", "C": "${HOME}"},
        "command": ["echo", "$X"],
        "files": [{"from": "/a$$b", "to": "x"}],
    }


def test_roles_prefer_the_nodes_of_the_sources_that_they_read():
    def part(**role):
        return _jobfile.RolePart(["true"], [], role)

    feeds = {"a": howdah.Feed(), "b": howdah.Feed(roles=["eval"])}
    roles = {"worker": part(), "eval": part(), "ps": part(locality={"racks": ["/r"]})}
    roles["web"] = part(placement={"near": []})
    nodes = {"a": ["n1", "n2"], "b": ["n3", "n1"]}
    job = _jobfile.job(keys(data=feeds, nodes=nodes), "j", roles, None, [])
    assert {name: role.get("locality") for name, role in job["roles"].items()} == {
        "worker": {"nodes": ["n1", "n2"]},
        "eval": {"nodes": ["n1", "n2", "n3"]},
        "ps": {"racks": ["/r"]},
        "web": None,
    }
    labelled = _jobfile.job(keys(data=feeds, nodes=nodes, options={"node_label": "gpu"}), "j", roles, None, [])
    assert "locality" not in labelled["roles"]["worker"]


def test_only_given_arguments_become_settings_of_a_job_file():
    given = {
        "workers": 4,
        "env": {"A": "x"},
        "tags": ["a", "b"],
        "options": {"timeouts": {"run": "2h"}},
        "checkpoint": "hdfs:///c",
    }
    assert _jobfile.settings(given) == [
        "timeouts.run=2h",
        "roles.worker.instances=4",
        "env.A=x",
        'tags=["a", "b"]',
        "checkpoint.dir=hdfs:///c",
    ]


def test_calls_and_results_survive_a_round_trip():
    call = _calls.Call("train", (3, 11), b"\n\x00payload")
    assert _calls.decode_call(_calls.encode_call(call)) == call
    for result in (
        _calls.Result("value", 1.5, b"\nx"),
        _calls.Result("exception", 2.0, b"", "ValueError", "é", "Trace\n"),
    ):
        assert _calls.decode_result(_calls.encode_result(result)) == result
    for foreign in (b"", b"0.1\n", b'{"loss": 1}\n', b"\xff\xfe", b'{"howdah": "result"}\n', b"[]\n"):
        assert _calls.decode_result(foreign) is None


@pytest.fixture
def tree(tmp_path):
    for name, text in {
        "app/__init__.py": "",
        "app/train.py": "from . import model\nfrom .data import load\nimport top",
        "app/model.py": "def f():\n    import app.late",
        "app/data/__init__.py": "from .. import sibling",
        "app/sibling.py": "import os, numpy",
        "app/late.py": "",
        "app/other.py": "",
        "top.py": "import broken",
        "broken.py": "def",
        "space/plain.py": "",
        "env/lib/python3.11/site-packages/lib.py": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_modules_are_found_through_their_imports(tree):
    modules = _code.Modules([str(tree)])
    modules.add_names(["app.train", "space.plain", "os", "howdah", "env.lib"])
    assert sorted(modules.files) == [
        "app/__init__.py",
        "app/data/__init__.py",
        "app/late.py",
        "app/model.py",
        "app/sibling.py",
        "app/train.py",
        "broken.py",
        "space/plain.py",
        "top.py",
    ]


def test_installed_modules_are_not_sent_with_the_job(tree):
    modules = _code.Modules([str(tree / "env/lib/python3.11/site-packages")])
    modules.add_names(["lib"])
    assert modules.files == {}


def test_module_names_are_found_in_pickles():
    helper = types.ModuleType("helper_of_test")
    sys.modules["helper_of_test"] = helper
    try:

        def train():
            import late.module

            return helper, late

        assert {"helper_of_test", "late.module"} <= _code.names_in(_pickling.dumps(train))
    finally:
        del sys.modules["helper_of_test"]


def test_unpicklable_attribute_of_an_argument_is_named():
    class Model:
        def __init__(self):
            self.lock = threading.Lock()

    with pytest.raises(
        howdah.PicklingError, match="the attribute 'lock' of the item 0 of args is an object of the type _th"
    ):
        _pickling.dump_call(print, "print", (Model(),), {})


def test_equal_content_is_stored_once_and_old_files_are_deleted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = _store.put("calls", "a", b"1")
    assert _store.put("calls", "a", b"1") == path and pathlib.Path(path).read_bytes() == b"1"
    assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    os.utime(path, (1, 1))
    _store.put("calls", "b", b"2")
    assert os.listdir(tmp_path / "howdah/calls") == ["b"]
    assert _store.archive([("b", b"1"), ("a", b"2")]) == _store.archive([("a", b"2"), ("b", b"1")])


def test_backend_is_chosen_as_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.delenv("HOWDAH_ON", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert _program.backend_of(None) == "local"
    (tmp_path / "howdah").mkdir()
    (tmp_path / "howdah/config.yaml").write_text("# x\non: yarn  # here\n")
    assert _program.backend_of(None) == "yarn"
    monkeypatch.setenv("HOWDAH_ON", "local")
    assert _program.backend_of(None) == "local" and _program.backend_of("yarn") == "yarn"


STATUS = Status(
    {
        "id": "howdah-1",
        "name": "<b>",
        "state": "RUNNING",
        "on": "local",
        "reason": "a & b",
        "advice": None,
        "tasks": [
            {
                "role": "worker",
                "index": 0,
                "state": "RUNNING",
                "attempt": 1,
                "node": "n1",
                "reason": None,
                "progress": {"step": 5, "steps": 20},
            },
            {
                "role": "worker",
                "index": 1,
                "state": "FAILED",
                "attempt": 0,
                "node": None,
                "reason": "<x>",
                "progress": {"step": 3},
            },
        ],
    }
)


def test_table_of_a_notebook_is_escaped_and_has_a_bar():
    html = _notebook.table(STATUS)
    assert "<b>&lt;b&gt;</b>" in html and "a &amp; b" in html and "&lt;x&gt;" in html and "<x>" not in html
    assert (
        '<progress value="5" max="20"></progress> 5 of 20' in html and "worker:0, attempt 1" in html and ">3<" in html
    )


def test_table_of_a_notebook_shows_failures_beyond_the_first_tasks():
    task = STATUS.raw["tasks"][0]
    many = [{**task, "index": index, "state": "FAILED" if index == 900 else "RUNNING"} for index in range(1000)]
    html = _notebook.table(Status({**STATUS.raw, "tasks": many}))
    assert html.count("<tr>") == 35 and "worker:900" in html and "and 967 more tasks" in html


def test_table_of_a_notebook_shows_feeds():
    feed = {"name": "<f>", "pass": 1, "rows": 41_000, "rows_per_second": 1234.5, "bottleneck": "<f>: ranks waited"}
    html = _notebook.table(Status({**STATUS.raw, "feeds": [feed, {**feed, "name": "val", "bottleneck": None}]}))
    assert "<div>feed &lt;f&gt;: pass 1, 41,000 rows, 1,234 rows/s; &lt;f&gt;: ranks waited</div>" in html
    assert "<div>feed val: pass 1, 41,000 rows, 1,234 rows/s</div>" in html


def test_status_has_its_json_fields_and_no_others():
    assert STATUS.tasks[0].progress == {"step": 5, "steps": 20} and STATUS.raw["name"] == "<b>" and not STATUS.final
    with pytest.raises(AttributeError, match="Status has no attribute 'sate'"):
        STATUS.sate


def test_context_outside_a_job_is_rank_0_of_1(tmp_path):
    ctx = _context.Context({})
    assert (ctx.rank, ctx.world_size, ctx.local_rank, ctx.job_id, ctx.port, ctx.cluster) == (0, 1, 0, "", None, {})
    ctx.progress(1, total=2)
    ctx.checkpointed(1)
    with ctx.checkpoint(3) as folder:
        assert os.path.isdir(folder)
    assert not os.path.exists(folder) and ctx.latest() == (0, None)


def test_service_has_no_rank():
    ctx = _context.Context(
        {"HOWDAH_JOB_ID": "j", "HOWDAH_ROLE": "ps", "HOWDAH_TASK_INDEX": "1", "HOWDAH_CLUSTER": '{"ps": ["a:1"]}'}
    )
    assert ctx.rank is None and (ctx.role, ctx.index) == ("ps", 1) and ctx.cluster == {"ps": ["a:1"]}
    assert repr(ctx) == "<Context ps:1, no rank>"


def rank_of(tmp_path, rank):
    return _context.Context(
        {
            "HOWDAH_JOB_ID": "j",
            "HOWDAH_RANK": str(rank),
            "HOWDAH_WORLD_SIZE": "2",
            "HOWDAH_CHECKPOINT_DIR": str(tmp_path / "c"),
            "HOWDAH_PROGRESS": str(tmp_path / f"progress-{rank}"),
        }
    )


def test_checkpoint_appears_when_it_is_complete(tmp_path):
    ctx = rank_of(tmp_path, 0)
    for text in ("old", "new"):
        with ctx.checkpoint(12) as folder:
            pathlib.Path(folder, "model").write_text(text)
            assert text == "new" or ctx.latest() == (0, None)
    with pytest.raises(ZeroDivisionError), ctx.checkpoint(13):
        1 / 0
    for step in (9, 100):
        (tmp_path / f"c/step-{step}").mkdir()
    os.rmdir(tmp_path / "c/step-100")
    step, folder = ctx.latest()
    assert step == 12 and pathlib.Path(folder, "model").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "c")) == ["step-12", "step-9"]
    reported = re.sub("(checkpointing\n)+", r"\1", (tmp_path / "progress-0").read_text())
    assert reported == "checkpointing\ncheckpoint 12\n" * 2


def test_checkpoints_of_other_ranks_are_kept_on_request(tmp_path):
    for rank in (1, 0):
        ctx = rank_of(tmp_path, rank)
        with ctx.checkpoint(1) as folder:
            pathlib.Path(folder, "model").touch()
        with ctx.checkpoint(2, all=True) as folder:
            pathlib.Path(folder, "model").touch()
    assert sorted(os.listdir(tmp_path / "c")) == ["step-1", "step-2", "step-2-rank-1"]


def test_total_number_of_steps_is_reported_once(tmp_path):
    ctx = rank_of(tmp_path, 0)
    for step in (1, 2):
        ctx.progress(step, total=9)
    assert (tmp_path / "progress-0").read_text() == "steps 9\nstep 1\nstep 2\n"


def test_checkpoint_directory_at_a_uri_is_refused_with_a_remedy():
    ctx = _context.Context({"HOWDAH_JOB_ID": "j", "HOWDAH_RANK": "0", "HOWDAH_CHECKPOINT_DIR": "hdfs:///c"})
    with pytest.raises(howdah.HowdahError, match=r"checkpoint_dir is hdfs:///c.*checkpointed\(step\)"):
        ctx.latest()


def test_class_that_cannot_be_subclassed_gives_a_plain_job_failed():
    class Final(Exception):
        def __init_subclass__(cls):
            raise TypeError("final")

    job = types.SimpleNamespace(id="j")
    error = _errors.failure(job, "reason", "advice", "worker:0", "Traceback\n", Final, Final("x"))
    assert type(error) is howdah.JobFailed and type(error.__cause__) is Final
    assert str(error) == "reason\nadvice: advice\n\nthe traceback in worker:0:\nTraceback"
    assert type(_errors.failure(job, "r", None, None, None, KeyboardInterrupt, None)) is howdah.JobFailed


def test_environment_is_packed_again_only_after_a_change(tmp_path, monkeypatch):
    import tarfile

    prefix = tmp_path / "env"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib/__pycache__").mkdir(parents=True)
    (prefix / "lib/__pycache__/x.pyc").touch()
    (prefix / "bin/python3").symlink_to("/usr/bin/python3")
    (prefix / "bin/tool").write_text(f"#!{prefix}/bin/python3.11\nprint()\n")
    (prefix / "lib/mod.py").write_text("x = 1\n")
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = _pack.current()
    with tarfile.open(path) as archive:
        assert sorted(archive.getnames()) == ["bin/python3", "bin/tool", "lib/mod.py"]
        assert archive.extractfile("bin/tool").read() == b"#!/usr/bin/env python3.11\nprint()\n"
        assert archive.getmember("bin/python3").linkname == "/usr/bin/python3"
    assert _pack.current() == path
    (prefix / "lib/mod.py").write_text("x = 22\n")
    assert _pack.current() != path


def test_signatures_show_the_keywords_and_their_defaults():
    import inspect

    shown = inspect.signature(howdah.run)
    assert shown.parameters["memory"].default == "2GiB" and "follow" in shown.parameters
    assert "follow" not in inspect.signature(howdah.submit).parameters
    assert set(_keys.JobKeys.__annotations__) == set(_keys.DEFAULTS)
    assert json.dumps(list(shown.parameters)[:3]) == '["what", "args", "kwargs"]'
