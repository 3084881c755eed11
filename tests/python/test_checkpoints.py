"""The directories that Context.checkpoint() writes and Context.latest() finds."""

import errno
import os
import pathlib
import shutil
import threading
import types

import pytest

import howdah
from howdah import _checkpoints, _context
from machine import eventually


@pytest.fixture
def rank(tmp_path):
    """rank(0) returns a new context of this rank; `names` are variables of the task without the prefix HOWDAH_."""

    def start(number, **names):
        given = {
            "JOB_ID": "job-1",
            "RANK": number,
            "TASK_INDEX": number,
            "WORLD_SIZE": 2,
            "CHECKPOINT_DIR": tmp_path / "c",
            "PROGRESS": tmp_path / f"progress-{number}",
            **names,
        }
        return _context.Context({f"HOWDAH_{name}": str(value) for name, value in given.items()})

    return start


def save(ctx, step, text="", **options):
    with ctx.checkpoint(step, **options) as folder:
        pathlib.Path(folder, "model").write_text(text)


def content(ctx):
    """The newest step, and the content of its file."""
    step, folder = ctx.latest()
    return step, folder and pathlib.Path(folder, "model").read_text()


def save_later(monkeypatch, function):
    """function: called when rank 0 waits for the other ranks. Waiting longer is an error."""
    wait(monkeypatch, [0.0] * 2, function)


def wait(monkeypatch, times, *functions):
    """times: when rank 0 begins to wait, and at each look. functions: called between two looks."""
    times, left = list(times), list(functions)
    monkeypatch.setattr(
        _checkpoints,
        "time",
        types.SimpleNamespace(monotonic=lambda: times.pop(0), sleep=lambda seconds: left.pop(0)()),
    )


def test_files_are_on_the_disk_before_the_checkpoint_is_visible_and_reported(rank, tmp_path, monkeypatch):
    ctx, events = rank(0), []
    fsync, rename = os.fsync, os.rename

    def record_fsync(fd):
        events.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))
        assert ("step-2" in os.listdir(tmp_path / "c")) == (events[-1] == "c")
        fsync(fd)

    monkeypatch.setattr(os, "fsync", record_fsync)
    monkeypatch.setattr(os, "rename", lambda source, target: rename(source, target) or events.append("rename"))
    monkeypatch.setattr(ctx, "checkpointed", lambda step: events.append("reported"))
    with ctx.checkpoint(2) as folder:
        scratch = os.path.basename(folder)
        pathlib.Path(folder, "part").mkdir()
        pathlib.Path(folder, "part/model").touch()
        pathlib.Path(folder, "link").symlink_to("nowhere")
    assert events == ["model", "part", scratch, "rename", "c", "reported"]


def test_disk_error_makes_no_checkpoint(rank, tmp_path, monkeypatch):
    def fail(fd):
        raise OSError(errno.EIO, "the disk is broken")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is broken"):
        save(rank(0), 2)
    assert os.listdir(tmp_path / "c") == []


def test_file_system_without_fsync_is_accepted(rank, monkeypatch):
    def fail(fd):
        raise OSError(errno.EINVAL, "invalid argument")

    monkeypatch.setattr(os, "fsync", fail)
    save(rank(0), 2, "new")
    assert content(rank(0)) == (2, "new")


def test_checkpoint_stays_if_it_cannot_be_replaced(rank, tmp_path, monkeypatch):
    save(rank(0), 2, "old")
    rename = os.rename

    def fail(source, target):
        if target == str(tmp_path / "c/step-2") and not os.path.exists(target) and not source.endswith("old"):
            raise OSError(errno.EIO, "the disk is broken")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OSError, match="the disk is broken"):
        save(rank(0), 2, "new")
    assert os.listdir(tmp_path / "c") == ["step-2"] and content(rank(0)) == (2, "old")


def test_checkpoint_whose_replacement_was_killed_is_found(rank, tmp_path):
    for newer in ("", "new"):
        save(rank(0), 2, "old")
        os.rename(tmp_path / "c/step-2", tmp_path / "c/.step-2.old")
        if newer:
            save(rank(0), 2, newer)
        assert content(rank(1)) == (2, newer or "old")
        assert os.listdir(tmp_path / "c") == ["step-2"]


def test_replaced_checkpoint_does_not_come_back(rank, tmp_path):
    save(rank(0), 2, "old")
    os.rename(tmp_path / "c/step-2", tmp_path / "killed")
    save(rank(0), 2, "new")
    os.rename(tmp_path / "killed", tmp_path / "c/.step-2.old")
    assert content(rank(1)) == (2, "new")
    shutil.rmtree(tmp_path / "c/step-2")
    assert content(rank(1)) == (0, None) and os.listdir(tmp_path / "c") == []


def test_replaced_checkpoint_is_moved_back_by_another_rank_and_replaced_again(rank, tmp_path, monkeypatch):
    save(rank(0), 2, "old")
    rename, other = os.rename, [rank(1)]

    def meanwhile(source, target):
        rename(source, target)
        if target.endswith(".old") and other:
            assert content(other.pop()) == (2, "old")

    monkeypatch.setattr(os, "rename", meanwhile)
    save(rank(0), 2, "new")
    assert os.listdir(tmp_path / "c") == ["step-2"] and content(rank(0)) == (2, "new")


def test_files_that_an_earlier_attempt_has_left_are_removed(rank, tmp_path):
    killed = [
        rank(0).checkpoint(2),
        rank(1).checkpoint(2, all=True),
        rank(0, JOB_ID="job-2").checkpoint(2),
        rank(0, ATTEMPT=1).checkpoint(2),
    ]
    left = [os.path.basename(one.__enter__()) for one in killed]
    save(rank(0, ATTEMPT=1), 3)
    assert sorted(os.listdir(tmp_path / "c")) == sorted([*left[1:], "step-3"])


def test_checkpoint_of_all_ranks_is_complete_when_each_rank_has_saved(rank, tmp_path, monkeypatch):
    zero, one = rank(0), rank(1)

    def save_rank_1():
        save(one, 2, all=True)
        assert content(zero) == (0, None) and not {"step-2", "step-2-rank-1"} & set(os.listdir(tmp_path / "c"))

    save_later(monkeypatch, save_rank_1)
    save(zero, 2, "new", all=True)
    assert content(zero) == content(one) == (2, "new")
    assert sorted(os.listdir(tmp_path / "c")) == ["step-2", "step-2-rank-1"]


def test_rank_that_does_not_save_the_step_is_named(rank, tmp_path, monkeypatch):
    save(rank(1), 2, all=True)
    save(rank(0), 2, "old", all=True)
    monkeypatch.setattr(_checkpoints, "_RANKS_S", -1.0)
    text = r"step 3 is incomplete.*step-3-rank-1.*all 2 ranks must call checkpoint\(3, all=True\)"
    with pytest.raises(howdah.HowdahError, match=text):
        save(rank(0), 3, all=True)
    assert content(rank(0)) == (2, "old")
    assert (tmp_path / "progress-0").read_text().count("checkpoint 3") == 0


def test_files_of_an_earlier_save_of_the_step_do_not_count(rank, monkeypatch):
    save(rank(1), 2, all=True)
    later = {"GENERATION": 1, "ATTEMPT": 1}
    save_later(monkeypatch, lambda: save(rank(1, **later), 2, all=True))
    save(rank(0, **later), 2, "new", all=True)
    assert content(rank(0)) == (2, "new")


@pytest.mark.parametrize("begun", [False, True])
def test_rank_that_does_not_begin_to_save_before_a_stop_is_not_awaited(rank, tmp_path, monkeypatch, begun):
    zero, one, progress = rank(0), rank(1), tmp_path / "progress-0"
    zero._stopping = threading.Event()
    block = one.checkpoint(2, all=True)
    if begun:
        block.__enter__()
    reports = []

    def stop():
        zero._stopping.set()
        reports.append(progress.read_text())

    def save_rank_1():
        reports.append(progress.read_text())
        block.__exit__(None, None, None)

    wait(monkeypatch, [0.0, 1.0, 9.0], stop, save_rank_1)
    if begun:
        save(zero, 2, "new", all=True)
    else:
        with pytest.raises(howdah.HowdahError, match=r"step-2-rank-1: the job stops before it is saved"):
            save(zero, 2, "new", all=True)
    assert content(rank(0)) == ((2, "new") if begun else (0, None))
    assert set(reports) == {"checkpointing\n"}  # so the wait does not extend the grace of the stop


@pytest.mark.parametrize("names", [{"GENERATION": 1}, {"JOB_ID": "job-2"}, {}])
def test_checkpoint_stays_until_all_ranks_have_saved_the_step_again(rank, tmp_path, monkeypatch, names):
    zero, one = rank(0), rank(1)
    save(one, 2, "old", all=True)
    save(zero, 2, "old", all=True)
    if names:
        zero, one = rank(0, **names), rank(1, **names)

    def save_rank_1():
        save(one, 2, "new", all=True)
        assert content(rank(0)) == (2, "old") and (tmp_path / "c/step-2-rank-1/model").read_text() == "old"

    save_later(monkeypatch, save_rank_1)
    save(zero, 2, "new", all=True)
    assert content(rank(0)) == (2, "new") and (tmp_path / "c/step-2-rank-1/model").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "c")) == ["step-2", "step-2-rank-1"]


def test_checkpoint_is_completed_if_rank_0_is_killed_after_it_has_renamed_its_directory(rank, tmp_path, monkeypatch):
    for text, names in (("old", {}), ("new", {"GENERATION": 1, "ATTEMPT": 1})):
        save(rank(1, **names), 2, text, all=True)
        with monkeypatch.context() as killed:
            killed.setattr(_checkpoints.Checkpoints, "_collect", lambda *_: True)
            save(rank(0, **names), 2, text, all=True)
        with rank(1, GENERATION=2, ATTEMPT=2).checkpoint(3, all=True):  # removes what was not published
            pass
        assert content(rank(1)) == (2, text) and (tmp_path / "c/step-2-rank-1/model").read_text() == text
        assert sorted(os.listdir(tmp_path / "c")) == [".step-3-rank-1.job-1.2.0.saved", "step-2", "step-2-rank-1"]


def test_directory_of_a_rank_that_two_processes_rename_is_found(rank, tmp_path, monkeypatch):
    save(rank(1), 2, "old", all=True)
    save(rank(0), 2, "old", all=True)
    later, rename, other = {"GENERATION": 1}, os.rename, [rank(1)]
    save(rank(1, **later), 2, "new", all=True)

    def meanwhile(source, target):
        if source.endswith("step-2-rank-1") and other:
            assert content(other.pop()) == (2, "new")
        rename(source, target)

    monkeypatch.setattr(os, "rename", meanwhile)
    save(rank(0, **later), 2, "new", all=True)
    assert other == [] and (tmp_path / "c/step-2-rank-1/model").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "c")) == ["step-2", "step-2-rank-1"]


def test_directory_that_an_earlier_generation_has_not_published_is_removed(rank, tmp_path):
    save(rank(1), 2, all=True)
    save(rank(1, JOB_ID="job-2"), 2, all=True)
    save(rank(0, GENERATION=1, ATTEMPT=1), 3)
    assert sorted(os.listdir(tmp_path / "c")) == [".step-2-rank-1.job-2.0.0.saved", "step-3"]


def test_checkpoint_without_the_files_of_each_rank_is_not_found(rank, tmp_path):
    for step in (1, 2):
        save(rank(1), step, all=True)
        save(rank(0), step, str(step), all=True)
    assert content(rank(0)) == (2, "2")
    os.rename(tmp_path / "c/step-2-rank-1", tmp_path / "lost")
    assert content(rank(0)) == content(rank(1)) == (1, "1")


def test_checkpoint_of_a_version_without_lists_of_ranks_is_found_and_replaced(rank, tmp_path):
    for name in ("step-2", "step-2-rank-1"):
        (tmp_path / "c" / name).mkdir(parents=True)
        (tmp_path / "c" / name / "model").write_text("old")
    assert content(rank(0)) == (2, "old")
    save(rank(1), 2, "new", all=True)
    save(rank(0), 2, "new", all=True)
    assert content(rank(0)) == (2, "new") and (tmp_path / "c/step-2-rank-1/model").read_text() == "new"


def test_damaged_list_of_ranks_is_named_with_a_remedy(rank, tmp_path):
    save(rank(1), 2, all=True)
    save(rank(0), 2, all=True)
    (tmp_path / "c/step-2-rank-1/howdah-ranks.json").write_text("{}")
    with pytest.raises(howdah.HowdahError, match=r"howdah-ranks\.json is damaged.*remove .*step-2-rank-1"):
        rank(0).latest()


def test_grace_of_a_stop_is_extended_while_a_checkpoint_is_saved(rank, tmp_path, monkeypatch):
    progress = tmp_path / "progress-1"
    monkeypatch.setattr(_context, "_SAVING_S", 0.01)
    monkeypatch.setattr(_context, "_MOST_REPORTS", 2)

    def slow(folder):
        eventually(lambda: progress.read_text() == "checkpointing\n" * 3, "three lines in the file for progress")

    monkeypatch.setattr(_context, "sync_tree", slow)
    save(rank(1), 2, all=True)
    assert progress.read_text() == "checkpointing\n" * 3
