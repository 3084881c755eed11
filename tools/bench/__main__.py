"""bench [ITEM...] - figures and ratios of the local place; nothing here passes or fails.

  a  a job of 4 roles running /bin/true, end to end, beside torchrun and beside bare processes
  b  start of an executor to the first instruction of the user's process
  c  death of a user's process to the status that shows it
  d  memory of the AM, the executor and their guardians
  e  1,000 and 10,000 executors at one AM
  f  events a second through the job core
  g  log throughput of one task
"""
import os
import sys

from figures import ITEMS, NotMeasured, measure


def main(items):
    if "-h" in items or "--help" in items or set(items) - set(ITEMS):
        sys.exit(__doc__)
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{load}; figures are medians of n runs, to be taken on an idle machine\n")
    print(f"{'':2} {'what':62} {'figure':>18} {'n':>3}  {'goal':12} ratio")
    for item in items or ITEMS:
        try:
            for row in measure(item):
                figure = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:.2f}"
                figure = f"{figure} {row.unit}"
                print(f"{row.item:2} {row.what:62} {figure:>18} {row.runs:3}  {row.goal:12} {row.ratio}", flush=True)
        except (NotMeasured, RuntimeError, OSError) as missing:
            print(f"{item:2} not measured: {missing}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
