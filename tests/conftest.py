"""Options for long runs by hand; see CONTRIBUTING.md."""


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
