"""Options for long runs by hand, and for programs with sanitizers; see CONTRIBUTING.md."""
import os
import pathlib
import tempfile

import pytest

REPORTS = pytest.StashKey[pathlib.Path]()


def pytest_configure(config):
    """If HOWDAH_BIN names another build, such as build/debug, makes its programs write the reports of their sanitizers
    to files, because most of the programs are daemons without a terminal."""
    if "HOWDAH_BIN" not in os.environ:
        return
    folder = config.stash[REPORTS] = pathlib.Path(tempfile.mkdtemp(prefix="howdah-reports-"))
    os.environ["ASAN_OPTIONS"] = f"log_path={folder}/asan"
    os.environ["UBSAN_OPTIONS"] = f"log_path={folder}/ubsan:print_stacktrace=1:halt_on_error=1"


@pytest.fixture(autouse=True)
def no_sanitizer_report(request):
    """Fails if a program has written a report since the last test. Each report fails one test."""
    yield
    reports = sorted(request.config.stash[REPORTS].iterdir()) if REPORTS in request.config.stash else []
    texts = [report.read_text(errors="replace") for report in reports]
    for report in reports:
        report.unlink()
    assert not texts, "\n".join(texts)


def pytest_addoption(parser):
    parser.addoption("--rounds", type=int, default=1, metavar="N",
                     help="run each test N times, with the same clusters")
    parser.addoption("--attack-for", type=float, default=0, metavar="SECONDS",
                     help="repeat the attacks of the tests that support this for SECONDS")


def pytest_generate_tests(metafunc):
    rounds = metafunc.config.getoption("rounds")
    if rounds > 1:
        metafunc.fixturenames.append("round_number")
        metafunc.parametrize("round_number", range(rounds))
