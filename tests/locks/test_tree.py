"""The source tree obeys the layer locks and house rules, and its generated documents are up to date."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build/release"
sys.path.insert(0, str(ROOT / "tools"))

from tidy_rules import PURE  # noqa: E402


def run(*words):
    return subprocess.run([str(w) for w in words], cwd=ROOT, capture_output=True, text=True)


def test_the_tree_obeys_layers_and_house_rules(configured):
    result = run(sys.executable, "tools/tidy.py", "--compile-commands", configured / "compile_commands.json")
    assert result.returncode == 0, "\n" + result.stdout + result.stderr


def test_pure_archives_have_no_impure_symbols():
    result = run(sys.executable, "tools/check_pure_symbols.py", "--list", RELEASE / "pure_libraries.txt")
    assert result.returncode == 0, "\n" + result.stdout + result.stderr
    assert f"{len(PURE)} pure libraries" in result.stdout


def test_the_agent_is_fully_static():
    headers = run("readelf", "--program-headers", "--dynamic", RELEASE / "bin/howdah-agent").stdout
    assert "LOAD" in headers
    assert "INTERP" not in headers and "NEEDED" not in headers


@pytest.mark.parametrize("page, words", [("job-file.md", ["schema", "--markdown"]),
                                         ("advice.md", ["advise", "--checks"]), ("api.md", ["portal", "--api"])])
def test_generated_pages_are_up_to_date(page, words):
    generated = run(RELEASE / "bin/howdah", *words)
    assert generated.returncode == 0, generated.stderr
    wanted = (ROOT / "docs" / page).read_text()
    assert generated.stdout == wanted, f"run: build/release/bin/howdah {' '.join(words)} > docs/{page}"


CANARY = """
#include <coroutine>
struct Counted {
  static inline int live = 0;
  Counted() { ++live; }
  Counted(const Counted&) { ++live; }
  ~Counted() { --live; }
};
struct Call {
  struct promise_type {
    Call get_return_object() { return Call{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  explicit Call(std::coroutine_handle<promise_type> h) : handle(h) {}
  Call(const Call&) = delete;
  ~Call() { handle.destroy(); }
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> caller) { handle.resume(); caller.resume(); }
  void await_resume() {}
};
struct Argument { Counted counted; };
Call Inner(Argument) { co_return; }
Call Outer() { co_await Inner(Argument{}); }
int main() {
  {
    const Call call = Outer();
    call.handle.resume();
  }
  return Counted::live == 0 ? 0 : 1;
}
"""


def test_the_compiler_still_breaks_coroutines(tmp_path):
    """Fails as soon as the compiler is fixed. The rule against coroutines can then be reconsidered."""
    (tmp_path / "canary.cc").write_text(CANARY)
    subprocess.run(["g++", "-std=c++20", "-o", "canary", "canary.cc"], cwd=tmp_path, check=True)
    if subprocess.run([tmp_path / "canary"]).returncode == 0:
        version = run("g++", "-dumpfullversion").stdout.strip()
        pytest.fail(f"g++ {version} destroys what is passed to a coroutine once, as it should: see 'No coroutines' in "
                    "ARCHITECTURE.md")
