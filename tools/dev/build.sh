# Configure and build. Sourced by dev.

# ninja configures a folder again when a CMake file changes, but not when the presets or the options change.
configure() {
  local preset=$1; shift
  [ "build/$preset/build.ninja" -nt CMakePresets.json ] && [ $# = 0 ] && return
  quietly "configure-$preset" cmake --preset "$preset" "$@"
}

# Runs ninja. A terminal shows ninja's own status line. Other outputs get one line per tenth of the work, and the
# compiler's messages.
run_ninja() {
  if [ -t 1 ]; then ninja "$@"; return; fi
  ninja "$@" | awk '
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), n, "/"); tenth = int(10 * n[1] / n[2])
      if (tenth > last) { last = tenth; print; fflush() }
      next
    }
    /^ninja: (no work to do|Entering directory)/ { next }
    { print; fflush() }' >&2
}

build_target() {
  local preset=$1; shift
  need build
  case $preset in debug | fuzz) need clang ;; esac
  need_pages
  configure "$preset"
  run_ninja -C "build/$preset" "$@" || die "building $preset failed"
}

dev_build() {
  local preset=${1:-release}
  case $preset in release | debug | tsan) ;; *) die "unknown preset '$preset'; write release, debug or tsan" ;; esac
  say "building $preset"
  build_target "$preset" all
  say "built $preset: $PWD/build/$preset/bin"
}

build_bench() {
  say "building the benchmarks"
  configure release -DHOWDAH_BENCH=ON
  build_target release all
}
