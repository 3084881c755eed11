# howdah_library([DEPS lib...] [PUBLIC_LIBS target...] [PRIVATE_LIBS target...] [TEST_LIBS target...] [PURE] [SMALL])
#
# One folder is one library is one namespace. The folder's path below src/ gives all their names. For example,
# src/hadoop/rpc is the library hadoop/rpc in DEPS, the target howdah_hadoop_rpc, the headers howdah/hadoop/rpc/*.h, the
# namespace howdah::hadoop::rpc and the unit tests hadoop_rpc_test. The sources are the folder's *.cc, the public
# headers are below its include/, the unit tests are its *_test.cc, and the benchmarks its *_bench.cc. Each *_fuzz.cc is
# a libFuzzer target, the program fuzz_LIBRARY_NAME. With the unit tests, it runs the inputs in git.
#
# DEPS are the Howdah libraries that the library may use. Only their include/ folders are on its include path, not those
# of the DEPS of its DEPS. So each library lists everything it uses in its own CMakeLists.txt. If a build fails with
# "howdah/x/y.h: No such file", add x to DEPS if tools/tidy_rules.py allows it for this layer. In a shared build,
# symbols of an undeclared library do not link.
# PURE libraries are checked for impure symbols (tools/check_pure_symbols.py).
# SMALL libraries are compiled for size in a release build: they run a few times per command, job or page, and the wheel
# contains them twice. Everything that handles rows, blocks, streams or the loops of AM and executor is not SMALL.
# PUBLIC_LIBS are third-party libraries whose types occur in the public headers. PRIVATE_LIBS are used only in .cc
# files, and TEST_LIBS only in the unit tests.
function(howdah_library)
  cmake_parse_arguments(ARG "PURE;SMALL" "" "DEPS;PRIVATE_LIBS;PUBLIC_LIBS;TEST_LIBS" ${ARGN})
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name ${path})
  set(target howdah_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_bench.cc)
  file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_fuzz.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  if(benches)
    list(REMOVE_ITEM sources ${benches})
  endif()
  if(fuzzers)
    list(REMOVE_ITEM sources ${fuzzers})
  endif()
  list(TRANSFORM ARG_DEPS REPLACE "/" "_")
  list(TRANSFORM ARG_DEPS PREPEND howdah_)
  if(sources)
    add_library(${target} ${sources})
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
    # PRIVATE: programs that use this library link its DEPS, but do not see their headers.
    target_link_libraries(${target} PUBLIC ${ARG_PUBLIC_LIBS} PRIVATE ${ARG_DEPS} ${ARG_PRIVATE_LIBS})
    if(ARG_SMALL AND CMAKE_BUILD_TYPE STREQUAL "Release")
      howdah_precompiled(${target} SMALL ${ARG_DEPS} ${ARG_PUBLIC_LIBS} ${ARG_PRIVATE_LIBS})
      target_compile_options(${target} PRIVATE ${howdah_small_options})
    else()
      howdah_precompiled(${target} LIBRARY ${ARG_DEPS} ${ARG_PUBLIC_LIBS} ${ARG_PRIVATE_LIBS})
    endif()
    if(HOWDAH_UNITY GREATER 1)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${HOWDAH_UNITY})
    endif()
    if(BUILD_SHARED_LIBS)
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    if(ARG_PURE)
      set_property(GLOBAL APPEND PROPERTY HOWDAH_PURE_LIBRARIES ${target})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
    set(link_only "")
    foreach(dep ${ARG_DEPS})
      list(APPEND link_only $<LINK_ONLY:${dep}>)
    endforeach()
    target_link_libraries(${target} INTERFACE ${link_only} ${ARG_PUBLIC_LIBS})
  endif()
  if(tests AND HOWDAH_TESTS)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_DEPS} ${ARG_PRIVATE_LIBS} ${ARG_TEST_LIBS}
      GTest::gmock GTest::gtest_main)
    howdah_precompiled(${name}_test TEST ${ARG_DEPS} ${ARG_PUBLIC_LIBS} ${ARG_PRIVATE_LIBS})
    if(HOWDAH_UNITY GREATER 1)
      # Several test files of a library use the same names for their helpers, so a batch is smaller.
      set_target_properties(${name}_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    endif()
    target_compile_definitions(${name}_test PRIVATE HOWDAH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    add_test(NAME unit.${name} COMMAND ${name}_test)
    # Without halt_on_error, g++'s sanitizer only prints undefined behaviour. A test with the thread sanitizer
    # continues after a report, and fails when it ends. Tests of guardians start threads after a fork.
    set(tsan_options suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp:second_deadlock_stack=1)
    string(APPEND tsan_options :die_after_fork=0:ignore_noninstrumented_modules=1)
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 600
      ENVIRONMENT "UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1;TSAN_OPTIONS=${tsan_options}")
  endif()
  if(fuzzers AND (HOWDAH_FUZZ OR HOWDAH_TESTS) AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    foreach(fuzzer ${fuzzers})
      get_filename_component(stem ${fuzzer} NAME)
      string(REPLACE "_fuzz.cc" "" stem ${stem})
      set(program fuzz_${name}_${stem})
      add_executable(${program} ${fuzzer})
      target_link_libraries(${program} PRIVATE ${target} ${ARG_DEPS} ${ARG_PRIVATE_LIBS})
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
      if(HOWDAH_FUZZ)
        add_dependencies(fuzzers ${program})
      else()
        # As a unit test, the target only runs the inputs in git. It has no coverage counters, so it cannot search.
        target_link_libraries(${program} PRIVATE GTest::gmock)
        howdah_precompiled(${program} TEST ${ARG_DEPS} ${ARG_PUBLIC_LIBS} ${ARG_PRIVATE_LIBS})
        add_test(NAME fuzz.${name}_${stem}
          COMMAND ${program} -runs=0 ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}_${stem})
        # libFuzzer brings libstdc++ to the front of the libraries. That is harmless: only `new` is not the sanitizer's.
        set_tests_properties(fuzz.${name}_${stem} PROPERTIES LABELS unit TIMEOUT 600 ENVIRONMENT
          "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0;UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1")
      endif()
    endforeach()
  endif()
  if(benches AND HOWDAH_BENCH)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE ${target} ${ARG_DEPS} ${ARG_PRIVATE_LIBS} benchmark::benchmark_main)
  endif()
endfunction()

# howdah_static_program(TARGET): in a static build, links the program without any shared library, so that it runs on any
# Linux of the processor, whatever its C library.
function(howdah_static_program TARGET)
  if(NOT HOWDAH_STATIC)
    return()
  endif()
  # static-pie: a static program whose code is loaded at a random address. Debian builds its archives as
  # position-independent code. gc-sections leaves out the parts of these archives that are never used: 0.7 MB of code
  # and data, which every start of a task would have to relocate.
  target_link_options(${TARGET} PRIVATE -static-pie -Wl,--gc-sections)
  if(HOWDAH_LINKER)
    # Relative relocations take 12 KiB in the packed form, and 1.1 MiB otherwise.
    target_link_options(${TARGET} PRIVATE -Wl,--pack-dyn-relocs=relr)
  endif()
endfunction()

# howdah_write_pure_list(): writes the archives of the PURE libraries to a file, one per line, for
# tools/check_pure_symbols.py.
function(howdah_write_pure_list)
  get_property(libraries GLOBAL PROPERTY HOWDAH_PURE_LIBRARIES)
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  list(JOIN libraries "\n" lines)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pure_libraries.txt CONTENT "${lines}\n")
endfunction()
