# Runs the fuzz targets. Sourced by dev.
#
# A target begins with the inputs in tests/fuzz/corpus/NAME, which are kept in git, and with the inputs that earlier
# runs found (build/fuzz/corpus/NAME). An input that crashes a target, takes more than 10 s or needs more than 1 GiB is
# stored in build/fuzz/findings.
#
# With --record, the run of each target without a finding replaces the target's line in tests/fuzz/runs.tsv, which is
# kept in git: date, seconds, executed inputs, inputs per second, peak memory.

fuzz_one() {  # NAME SECONDS
  local found=build/fuzz/corpus/$1 seeds=tests/fuzz/corpus/$1
  mkdir -p "$found" build/fuzz/findings
  local folders=("$found")
  [ ! -d "$seeds" ] || folders+=("$seeds")
  ASAN_OPTIONS=detect_leaks=0 "build/fuzz/bin/fuzz_$1" -max_total_time="$2" -timeout=10 -rss_limit_mb=1024 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$1-" "${folders[@]}" \
    >"build/log/fuzz-$1" 2>&1
}

fuzz_figure() {  # NAME STATISTIC
  sed -n "s/^stat::$2: *//p" "build/log/fuzz-$1"
}

fuzz_record() {  # NAME SECONDS
  local runs=tests/fuzz/runs.tsv
  {
    sed -n '/^#/p' "$runs"
    {
      awk -F'\t' -v name="$1" '!/^#/ && $1 != name' "$runs"
      printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$(date +%F)" "$2" "$(fuzz_figure "$1" number_of_executed_units)" \
        "$(fuzz_figure "$1" average_exec_per_sec)" "$(fuzz_figure "$1" peak_rss_mb)"
    } | LC_ALL=C sort
  } >"$runs.new"
  mv "$runs.new" "$runs"
}

dev_fuzz() {
  local seconds=60 targets=() failed=0 record='' name
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) seconds=${2:?"--seconds needs a number"}; shift ;;
      --record) record=1 ;;
      -*) die "unknown option $1; see ./dev help" ;;
      *) targets+=("${1#fuzz_}") ;;
    esac
    shift
  done
  need clang
  mkdir -p build/log
  if [ ${#targets[@]} = 0 ]; then
    build_target fuzz fuzzers
    for name in build/fuzz/bin/fuzz_*; do targets+=("${name#build/fuzz/bin/fuzz_}"); done
  else
    build_target fuzz "${targets[@]/#/fuzz_}"
  fi
  for name in "${targets[@]}"; do
    if fuzz_one "$name" "$seconds"; then
      say "$name: $(fuzz_figure "$name" number_of_executed_units) inputs, no finding"
      [ -z "$record" ] || fuzz_record "$name" "$seconds"
    else
      failed=1
      say "$name: FAILED; see build/log/fuzz-$name and build/fuzz/findings"
    fi
  done
  return $failed
}
