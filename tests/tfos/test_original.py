"""The programs with the package tensorflowonspark, and unchanged with the package of this checkout.
docs/tensorflowonspark.md has a table of the results."""
import pytest

import tfos

tfos.sparks.site_packages()

import tfos_cases  # noqa: E402

CASES = tfos_cases.CASES


@pytest.fixture(autouse=True)
def home(machine):
    """The home of this test's jobs."""


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("original", [True, False], ids=["tensorflowonspark", "howdah"])
def test_program_runs_unchanged(real, out, name, original):
    case = CASES[name]
    master = f"local-cluster[{case.nodes},1,512]"
    done = real.run(f"{name}.py", *case.arguments(out), master=master, original=original,
                    tensorflow=case.tensorflow or case.keras)
    assert done.code == 0, done
    case.check(out, done)
    if not original:
        case.ours(out, done)


def fail(real, what, original, limit_s):
    master = "local-cluster[2,1,512]"
    return real.run("failing.py", "--what", what, master=master, original=original, limit_s=limit_s)


HERE = {
    "error": ["train raised ValueError: ", "shutdown returned", "another Spark job returned"],
    "dead": ["train raised JobFailed: ", "shutdown returned", "another Spark job returned"],
    "late": ["train returned", "shutdown raised OSError: ", "another Spark job returned"],
    "uneven": ["train returned", "shutdown returned", "another Spark job returned"],
    "second": ["train returned", "second cluster returned", "shutdown returned", "another Spark job returned"],
}


@pytest.mark.parametrize("what", HERE)
def test_failure_is_seen_and_the_driver_goes_on(real, what):
    done = fail(real, what, False, tfos.DEADLINE_S)
    lines = done.stdout.splitlines()
    assert done.code == 0 and len(lines) == len(HERE[what]), done
    assert all(line.startswith(begin) for line, begin in zip(lines, HERE[what])), done
