"""The language checks report the habits that STYLE.md lists. They do not report plain English, questions or quoted
words."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tidy  # noqa: E402
import tidy_rules  # noqa: E402
import tidy_words  # noqa: E402

CODE, TEST, SCRIPT, DOCUMENT = "src/core/x.cc", "src/core/x_test.cc", "tests/local/test_x.py", "docs/guide.md"

CAUGHT = [
    (CODE, "// What is stopped because others hang is looked at first.", 1),
    (CODE, "int a;\n// Counted twice. Who directs others\n// starts again.", 2),
    (CODE, "int a;  // Of several processes the lowest", 1),
    (CODE, "/* A comment.\n * Whose end it is. */", 2),
    (CODE, "int a;\n\n// It starts anew.", 3),
    (SCRIPT, 'def test_what_is_stopped_first():\n    pass\n', 1),
    (SCRIPT, 'def test_x():\n    """What a user sees."""\n', 2),
    (SCRIPT, "a = 1  # made anew\n", 1),
    ("tools/x.sh", "# What it needs.\n", 1),
    (DOCUMENT, "# What is a gang\n", 1),
    (DOCUMENT, "Text.\n\n- one\n- Who asks is answered.\n", 4),
    (DOCUMENT, "| key | meaning |\n|---|---|\n| `a` | Whose end counts |\n", 3),
    ("proto/howdah/x.proto", "// What the AM orders.", 1),
]

# Violations of each row of a table in tidy_rules. Each is a violation of one row only, so that it is not found without
# this row.
PLANTED = {
    "WORDS": [(CODE, f"// {sentence}", 1) for sentence in (
        "It starts anew.", "It waits for ever.", "Both change at one stroke.", "It starts all the same.",
        "The loop ends, as it is wont to.", "The text is no duration; it is refused.", "Writes a line an entry.",
        "The core is told of the exit.", "Since it was heard of last", "The core tells the executor.",
        "The kept answers of the scheduler", "Kept answers are read.", "Bytes from the far end",
        "The executor is deaf.", "An executor without a sign of life", "All newcomers join.",
        "The failure is forgiven.", "A pardon for the first failure", "It pardons two failures.",
        "Code of yarnplace", "The containers are given back.", "It gives back all containers.",
        "Names what it wants of the executor.", "Lists what it needs of YARN.")],
    "GONE_IDENTIFIERS": [(CODE, f"int {name} = 0;", 1) for name in (
        "TakenFor", "taken_for", "KeptAnswers", "kept_answers", "FarEnd", "far_end", "far_process",
        "far_connection", "RmAside", "rm_aside", "Newcomer", "Newcomers", "newcomer", "newcomers", "Pardon",
        "Pardons", "pardon", "pardons", "IsDeaf", "deaf", "deaf_", "hadooprpc", "hadoopconf", "tonyhistory",
        "historyfiles", "eventfiles", "yarnplace")],
    "TEST_NAME_WORDS": [(TEST, f"TEST({name}) {{}}", 1) for name in (
        "JobRestart, WhoWasStoppedIsNotToBlame", "Exports, GoToWhoWaits", "JobStart, AnewAfterAnotherAm",
        "Stacks, AnythingElseIsNone", "Followers, GrowthIsToldAtOnce")],
}

PASSES = [
    (CODE, "// The lowest step of all processes. Sampled before the stop."),
    (CODE, 'const char* kText = "What is it anew";'),
    (CODE, "// A task whose container is lost; what follows depends on the rule."),
    (CODE, "// The word `anew` and \"for ever\" are quoted."),
    (CODE, "// It is no longer needed. There is no such file."),
    (TEST, "TEST(Reference, HasARowForEveryKey) {}"),
    (TEST, "TEST(JobRestart, StoppedTaskIsNotRootCauseUnderClockSkew) {}"),
    (SCRIPT, "def test_a_script_for_every_command():\n    pass\n"),
    (DOCUMENT, "## What is a gang?\n\nA gang starts together.\n"),
    (DOCUMENT, "```\nWhat a program prints anew\n```\n"),
    ("tests/contract/src/x.py", "# What a user wrote anew\n"),
]


@pytest.mark.parametrize("path,text,line", [*CAUGHT, *(case for cases in PLANTED.values() for case in cases)],
                         ids=lambda value: str(value)[:40])
def test_a_habit_is_found_on_its_line(path, text, line):
    assert [f.line for f in tidy_words.check_words(path, text + "\n")][:1] == [line]


@pytest.mark.parametrize("table,row", [(table, row) for table in PLANTED
                                       for row in range(len(getattr(tidy_rules, table)))])
def test_every_row_has_a_violation_that_only_this_row_finds(table, row, monkeypatch):
    rows = getattr(tidy_rules, table)
    monkeypatch.setattr(tidy_rules, table, rows[:row] + rows[row + 1:])
    missed = [text for path, text, _ in PLANTED[table] if not list(tidy_words.check_words(path, text + "\n"))]
    assert missed, f"PLANTED has no violation of {table}[{row}]: {rows[row]}"


@pytest.mark.parametrize("path,text", PASSES, ids=lambda value: str(value)[:40])
def test_plain_english_passes(path, text):
    assert list(tidy_words.check_words(path, text + "\n")) == []


@pytest.mark.parametrize("subject,caught", [
    ("core: a rank that exits before the rendezvous is not a failure", False),
    ("build, tests: precompiled headers", False),
    ("core: " + "x" * 66, False),
    ("core: " + "x" * 67, True),
    ("Core: a rank that exits", True),
    ("a rank that exits before the rendezvous", True),
    ("x", True),
    ("core: What is stopped first", True),
    ("core: it starts anew", True),
])
def test_commit_subjects_are_checked(subject, caught):
    assert bool(list(tidy_words.check_subject(subject))) == caught


def test_only_commits_after_the_given_one_are_checked(tmp_path, monkeypatch):
    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        return subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True,
                              text=True).stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "Before: what is allowed anew")
    first = git("rev-parse", "HEAD")
    git("commit", "-q", "--allow-empty", "-m", "core: plain")
    git("commit", "-q", "--allow-empty", "-m", "A sentence without an area")
    monkeypatch.setattr(tidy_rules, "WORDS_SINCE", first)
    (finding,) = tidy_words.check_commits(tmp_path)
    assert finding.rule == "subject" and "A sentence without an area" in finding.text
    monkeypatch.setattr(tidy_rules, "WORDS_SINCE", "0123456789")
    assert list(tidy_words.check_commits(tmp_path)) == []


@pytest.mark.parametrize("known,reported", [({}, 2), ({"a.md": 1}, 2), ({"a.md": 2}, 0), ({"b.md": 2}, 2)])
def test_findings_beyond_the_known_number_are_reported(known, reported):
    findings = list(tidy_words.check_words("a.md", "It starts anew.\n\nWhat it does.\n"))
    assert len(tidy.more_than_known(findings, known)) == reported


def test_check_reports_words_above_the_recorded_count(tmp_path, monkeypatch):
    monkeypatch.setattr(tidy_rules, "EXCEPTIONS", {})
    (tmp_path / "tools").mkdir()
    (tmp_path / "guide.md").write_text("It starts anew.\n")
    assert [(f.path, f.rule) for f in tidy.check_tree(tmp_path)] == [("guide.md", "words")]
    (tmp_path / "tools/tidy_words.json").write_text('{"guide.md": 1}')
    assert tidy.check_tree(tmp_path) == []
    (tmp_path / "guide.md").write_text("It starts again.\n")
    tidy.check_tree(tmp_path, shrink=True)
    assert (tmp_path / "tools/tidy_words.json").read_text() == "{}\n"
