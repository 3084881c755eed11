"""Advice about cores proves itself: a real job gets a finding, and runs again with the change that the finding prints.
Then the finding is gone, and the saving is the promised one."""
import os
import subprocess

from advised_jobs import PYTHON, REPORT, assert_saved, program
from slow_motion import FACTOR

# Loader workers decode batches in 50 ms of CPU time each, and a training step takes 36 ms. So one worker is too slow.
INPUT_BOUND = REPORT + """
import multiprocessing
def decode(queue):
    while True:
        end = time.process_time() + 0.05
        while time.process_time() < end: pass
        queue.put(None)
queue = multiprocessing.Queue(2)
for _ in range(int(os.environ["OMP_NUM_THREADS"])):  # the task's vcores
    multiprocessing.Process(target=decode, args=(queue,), daemon=True).start()
waited = 0
for step in range(1, 926):
    began = time.monotonic()
    queue.get()
    waited += time.monotonic() - began
    time.sleep(0.036)
    report(f"input {waited:.6f}\\nstep {step}")
"""

# A loop of short parallel sections on two cores, for 36 s. Threads that wait for the others spin.
THREADS = r"""
#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
int main() {
  cpu_set_t all, two;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
  sched_setaffinity(0, sizeof two, &two);
  const double begin = omp_get_wtime();
  long step = 0;
  double reported = 0, sum = 0;
  while (omp_get_wtime() - begin < 36) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 20000; ++i) sum += 1.0 / (i + 1 + sum * 0);
    ++step;
    if (omp_get_wtime() - reported < 0.5) continue;
    reported = omp_get_wtime();
    FILE* const file = std::fopen(std::getenv("HOWDAH_PROGRESS"), "a");
    std::fprintf(file, "step %ld\n", step);
    std::fclose(file);
  }
  return sum > 0 ? 0 : 1;
}
"""


def test_input_bound_job_gets_vcores_for_its_loader_workers(case):
    first, second = case.run_twice("input-bound", f"""
metrics: {{interval: 1s}}
roles: {{worker: {{memory: 256MiB, command: ['{PYTHON}', '{program(case.folder, INPUT_BOUND)}']}}}}
""")
    found = first.finding("input-bound")
    assert found["change"]["set"] == ["roles.worker.vcores=2"], found
    assert_saved(found, "hours", first.ran() - second.ran())
    assert found["saving"]["vcore_hours"] == 0 < second.held("vcore") - first.held("vcore"), "it holds more vcores"
    assert second.ran() * 3600 > 30 * FACTOR, "as many samples as the check needs"
    assert second.findings == []


def test_threads_are_limited_to_the_vcores(case):
    source, binary = case.folder / "threads.cc", case.folder / "threads"
    source.write_text(THREADS)
    subprocess.run([os.environ.get("CXX", "g++"), "-O1", "-fopenmp", "-o", binary, source], check=True)
    first, second = case.run_twice("threads", f"""
metrics: {{interval: 1s}}
roles:
  worker:
    memory: 64MiB
    vcores: 2
    env: {{OMP_NUM_THREADS: 6, OMP_WAIT_POLICY: active}}
    command: [{binary}]
""")
    found = first.finding("threads")
    assert found["change"]["set"] == ["roles.worker.env.OMP_NUM_THREADS=2"], found
    assert not any(found["saving"][what] for what in ("hours", "vcore_hours")), "it cannot be known in advance"
    assert second.steps() > first.steps()
    assert second.findings == []
