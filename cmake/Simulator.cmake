# howdah_simulator(PROGRAM SUITE SEEDS SEEDS_FILE [OPTION...]): a program, runner/main.cc, that runs the simulator in
# this folder, and its tests: SEEDS seeds with these options, the seeds in tests/sim/SEEDS_FILE, and planted bugs.
#
# With sanitizers a seed takes 50 times as long, so those builds run only the seeds in unit tests. The release build,
# which keeps assertions, runs the others. Planted bugs test the simulation itself, so only changes of the simulated
# library or of the simulation need them.
function(howdah_simulator program suite seeds seeds_file)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" library ${path})
  add_executable(${program} runner/main.cc)
  target_link_libraries(${program} PRIVATE howdah_${library} howdah_testing_sim)
  set(tests ${CMAKE_SOURCE_DIR}/tests/sim)
  # The time limits are long, because the tests may run beside other tests.
  if(NOT HOWDAH_SANITIZE)
    add_test(NAME sim.${suite}_seeds COMMAND ${program} --seeds ${seeds} --seeds-file ${tests}/${seeds_file} ${ARGN})
    set_tests_properties(sim.${suite}_seeds PROPERTIES LABELS sim TIMEOUT 3600)
  endif()
  if(HOWDAH_TESTS)
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    add_test(NAME sim.${suite}_mutants
      COMMAND Python3::Interpreter ${tests}/run_mutants.py ${suite} --build ${CMAKE_BINARY_DIR}/${suite}-mutants)
    set_tests_properties(sim.${suite}_mutants PROPERTIES LABELS long TIMEOUT 3600)
  endif()
endfunction()
