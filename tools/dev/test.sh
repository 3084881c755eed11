# Runs the tests. Sourced by dev.

# Environments that the tests with real frameworks need. They are installed while the compiler runs.
readonly test_environments="torch horovod demo tensorflow jax xgboost mpi data digits pack jupyter browser python"
# Suites that only `./dev test NAME` runs. The environments of the recipes have 2.5 GB, and most start a cluster. The
# environment of tests/spark has 0.8 GB, and tests/tfos adds TensorFlow to it. The tests in tests/idle need the cores
# for themselves.
readonly test_on_request="recipes spark tfos idle"
# Files of tests/yarn that start after the tests of the programs, so that both halves of the run take equally long.
readonly test_yarn_late="test_delegation_tokens test_failover test_python test_python_api"
readonly test_hadoops="3.3.6 3.4.3 3.5.0 2.10.2 3.1.4 3.2.4"  # as in tests/yarn/hadoop_tree.py

run_ctest() {  # NAME of the results, preset, then options of ctest
  local name=$1 preset=$2; shift 2
  export GTEST_OUTPUT=xml:$PWD/build/test-results/ GTEST_BRIEF=1
  ctest --test-dir "build/$preset" --output-on-failure --output-junit "$PWD/build/test-results/ctest-$name.xml" \
    --no-tests=error -j "$(nproc)" "$@" >&2
}

run_pytest() {  # NAME of the results, then arguments of pytest
  local name=$1; shift
  "$python" -m pytest -o cache_dir="$PWD/build/test-results/cache-$name" --color=auto -ra --durations=10 \
    --junit-xml="build/test-results/pytest-$name.xml" "$@" >&2
}

# Runs the failed tests of run_pytest NAME once more, without other suites. test_all shares the cores between several
# suites, so a test may have exceeded its time limit although the program is correct. The summary names every test that
# passes only now. The run ends after three tests that fail again.
run_failed_again() {  # NAME of the results, then the same arguments
  local name=$1; shift
  say "running the failed tests of $name again, alone"
  "$python" -m pytest -o cache_dir="$PWD/build/test-results/cache-$name" --color=auto -ra --last-failed \
    --last-failed-no-failures=none --maxfail=3 --junit-xml="build/test-results/again-$name.xml" "$@" >&2
}

# Runs two sequences at the same time, because tests on clusters mostly wait for daemons and the others mostly compute:
# (1) most tests on clusters; (2) the tests without a cluster, and the remaining tests on clusters. The debug build uses
# the time in which both wait. The unit tests come last: they use all cores, so nothing is left to run beside them.
run_programs() {  # the process id of the debug build
  local folder others=() file early=(tests/yarn) late=()
  for folder in tests/*/; do
    case " yarn $test_on_request " in *" $(basename "$folder") "*) continue ;; esac
    [ -z "$(compgen -G "${folder}test_*.py")" ] || others+=("$folder")
  done
  for file in $test_yarn_late; do
    early+=("--ignore=tests/yarn/$file.py")
    late+=("tests/yarn/$file.py")
  done
  failed_runs=()
  run_pytest yarn "${early[@]}" -m "not long" 2>build/log/yarn.err &
  local yarn=$!
  run_pytest programs "${others[@]}" -m "not long" || failed_runs+=("programs ${others[*]}")
  say "the rest of the tests on clusters"
  run_pytest yarn-late "${late[@]}" -m "not long" || failed_runs+=("yarn-late ${late[*]}")
  say "the tests on clusters, which ran at the same time"
  wait "$yarn" || failed_runs+=("yarn ${early[*]}")
  cat build/log/yarn.err >&2
  wait "$1" || failed=1
  cat build/log/debug.err >&2
  say "unit tests"
  run_ctest unit debug -L unit || failed=1
}

# The simulation and the debug build run at a low priority while the tests of the programs wait.
simulate_and_build_debug() {
  renice -n 15 -p "$BASHPID" >/dev/null
  local code=0
  run_ctest sim release -L sim || code=1
  dev_build debug
  return $code
}

test_all() {
  need build
  need clang
  need test
  need hadoop
  say "fetching the frameworks and Hadoop while Howdah is built"
  mkdir -p build/log
  # shellcheck disable=SC2086
  tools/ml-env $test_environments >build/log/ml-env.out 2>build/log/ml-env.err &
  local frameworks=$! failed=0
  # shellcheck disable=SC2086
  { tools/hadoop-env $test_hadoops && tools/tony-env; } >build/log/hadoop-env.out 2>build/log/hadoop-env.err &
  local hadoops=$!
  dev_build release
  simulate_and_build_debug >build/log/debug.err 2>&1 &
  local debug=$!
  wait "$frameworks" || { cat build/log/ml-env.err >&2; die "the frameworks could not be installed"; }
  wait "$hadoops" || { cat build/log/hadoop-env.err >&2; die "Hadoop could not be fetched"; }
  say "tests of the programs; the simulation and the debug build run at the same time"
  run_programs "$debug"
  local run
  for run in "${failed_runs[@]}"; do
    # shellcheck disable=SC2086
    run_failed_again $run || failed=1
  done
  return $failed
}

# test_some WHAT... [OPTIONS OF PYTEST...]
test_some() {
  local labels=() folders=() sim=0 threads=0 only_long=0 failed=0
  while [ $# -gt 0 ] && [[ $1 != -* ]]; do
    case $1 in
      unit) labels+=(unit) ;;
      sim) sim=1 ;;
      tsan) threads=1 ;;
      long) only_long=1 labels+=(long) ;;
      *) if [ -d "tests/$1" ]; then folders+=("tests/$1")
         elif [ -e "${1%%::*}" ]; then folders+=("$1")
         else
           local names; names=$(dirname tests/*/test_*.py | sort -u | cut -d/ -f2 | xargs)
           die "unknown test suite '$1'; the suites are: all long unit sim tsan $names"
         fi ;;
    esac
    shift
  done
  need test
  if [ $threads = 1 ]; then
    build_target tsan all
    # The thread sanitizer does not support unit.executor, which forks a process that has several threads.
    run_ctest tsan tsan -L unit -E '^unit\.executor$' || failed=1
  fi
  if [ $sim = 1 ]; then
    build_target release all
    run_ctest sim release -L sim || failed=1
  fi
  if [ ${#labels[@]} -gt 0 ]; then
    build_target debug all
    run_ctest some debug -L "$(IFS='|'; echo "${labels[*]}")" || failed=1
  fi
  if [ $only_long = 1 ]; then
    need hadoop
    [ ${#folders[@]} -gt 0 ] || folders=(tests)
    set -- -m long "$@"
  fi
  if [ ${#folders[@]} -gt 0 ] || [ $# -gt 0 ]; then
    [ -n "${HOWDAH_BIN:-}" ] || build_target release all
    case " ${folders[*]:-tests} " in
      *yarn* | *history* | *spark* | *tfos* | *" tests "*) need hadoop; need docker ;;
    esac
    run_pytest programs "${folders[@]:-tests}" "$@" || failed=1
  fi
  return $failed
}

dev_test() {
  rm -rf build/test-results
  mkdir -p build/test-results
  local failed=0
  # The tests run in a subshell, so that the summary is printed even after `die`, for example because the build fails.
  if [ $# = 0 ] || [ "$*" = all ]; then (test_all) || failed=1; else (test_some "$@") || failed=1; fi
  say "this took ${SECONDS}s"
  "$python" tools/dev/test_summary.py build/test-results "$failed"
}
