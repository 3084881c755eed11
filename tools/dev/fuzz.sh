# Builds the fuzz targets and runs them (tools/fuzz). Sourced by dev.

dev_fuzz() {
  local words=("$@") targets=()
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds | --minutes | --jobs) shift ;;
      -h | --help) exec "$python" tools/fuzz --help ;;
      -*) ;;
      *) targets+=("fuzz_${1#fuzz_}") ;;
    esac
    [ $# = 0 ] || shift
  done
  need clang
  mkdir -p build/log
  build_target fuzz "${targets[@]:-fuzzers}"
  exec "$python" tools/fuzz "${words[@]}"
}
