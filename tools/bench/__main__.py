"""bench [ITEM...] [--runs N] - measures figures and ratios; nothing here passes or fails. The default is all items.

local: jobs on this machine
  a  a job of 4 roles running /bin/true, end to end, compared with torchrun and with bare processes
  b  from the start of an executor to the first instruction of the user's process
  c  from the death of a user's process to the status that shows it
  d  memory of the AM, the executor and their guardians
  e  one AM with 1,000 and with 10,000 executors
  f  events per second through the job core
  g  log throughput of one task
  metrics-a  cost and memory of the samples of a task's metrics

portal: the portal, beside MLflow, TensorBoard, Spark's history server and Ray's dashboard
  portal-a  start to the first list with 100,000 jobs; the index of 100,000 jobs from nothing
  portal-b  queries of the list with 100,000 jobs
  portal-c  first paint of pages, and the bytes that they need
  portal-e  from a journal entry to the page that shows it
  portal-f  a log of 1 GB in the browser
  portal-g  memory and CPU: idle, and with 200 viewers of a job
  portal-h  a server of a job through its origin, compared with howdah open

python: the Python package and its feeds, beside TensorFlowOnSpark, Petastorm, pyarrow and Spark alone; with --runs
  python-a  rows of 10 doubles: from a cached DataFrame to batches of numpy
  python-b  images of 784 bytes with a label; blobs of 150 KiB
  python-c  1,000 partitions of one row
  python-d  to an executor over TLS, with 1, 2 and 4 ranks; this starts a cluster
  python-e  a DataFrame to the last row of the first pass, and of three passes
  python-f  a reader's own CPU time per row
  python-g  howdah.run of a function that does nothing, and the upload after the function has changed
  python-h  memory with a partition of 12 times the buffer
  python-i  a rank is killed
  python-j  an unchanged program for TensorFlowOnSpark, which reads an RDD of tuples
  python-k  Parquet in HDFS as a feed, and a file through howdah.fs; this starts a cluster
  python-l  memory with a partition of 10 GB and the default buffer; this takes minutes

autoscale: models of the autoscaler, in virtual time
  autoscale-a  the talk's jobs on two to ten nodes, in both modes and with ten nodes from the start
  autoscale-b  a day of jobs on up to 100 nodes

yarn: jobs on a real cluster of three nodes, which the command starts; --runs: measurements per figure (default 9)
  yarn-a  from howdah submit until the job is accepted, with all files cached
  yarn-b  from the start of the AM's process until it has registered
  yarn-c  from howdah submit until all user processes run; 2, 8 and 16 tasks, compared with bare containers
  yarn-d  memory of the AM, the executor and their guardians
  yarn-e  uploads of a second submission with a changed script
  yarn-f  HDFS upload and download of 1 GiB, compared with hdfs dfs -put and -get
  yarn-g  compared with TonY (from Maven): time to start, containers, memory, idle CPU
  yarn-h  from a kill until everything runs again, compared with TonY
  yarn-i  as yarn-f on a Kerberos cluster, with each protection of transfers, and in an encryption zone
  yarn-j  yarn-a and yarn-b on a Kerberos cluster, alternating with one without Kerberos
"""
import os
import signal
import sys

import autoscale_figures
import figures
import portal_figures
import python_figures
from figures import NotMeasured

YARN = "yarn-"
YARN_ITEMS = [YARN + item for item in "abcdefghij"]
GROUPS = {"local": list(figures.ITEMS), "portal": list(portal_figures.ITEMS),
          "python": list(python_figures.ITEMS), "autoscale": list(autoscale_figures.ITEMS), "yarn": YARN_ITEMS}


def show(item, rows, group=""):
    """Prints the rows of an item. A row names its item without the group."""
    try:
        for row in rows:
            figure = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:.2f}"
            figure = f"{figure} {row.unit}"
            name = group + row.item
            print(f"{name:9} {row.what:62} {figure:>18} {row.runs:3}  {row.goal:12} {row.ratio}", flush=True)
    except (NotMeasured, RuntimeError, OSError, AssertionError) as missing:
        print(f"{item:9} not measured: {missing}", flush=True)


def show_yarn(items, runs):
    import yarn_figures  # imported here, because it needs the cluster of tests/yarn, unlike the local figures
    from yarn_jobs import Yarn
    with Yarn() as yarn:
        for item in items:
            show(item, yarn_figures.measure(item.removeprefix(YARN), yarn, runs), YARN)


def arguments(words):
    runs = 9
    if "--runs" in words:
        at = words.index("--runs")
        runs, words = int("".join(words[at + 1:at + 2]) or 0), words[:at] + words[at + 2:]
    items = [item for word in words or GROUPS for item in GROUPS.get(word, [word])]
    if runs < 1 or set(items) - set(sum(GROUPS.values(), [])):
        sys.exit(__doc__)
    return items, runs


def main(words):
    items, runs = arguments(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # sys.exit() closes the cluster and ends the jobs
    load = f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    print(f"{load}; figures are medians of n runs, to be taken on an idle machine\n")
    print(f"{'':9} {'what':62} {'figure':>18} {'n':>3}  {'goal':12} ratio")
    for item in items:
        if item in figures.ITEMS:
            show(item, figures.measure(item))
    for item in items:
        if item in autoscale_figures.ITEMS:
            show(item, autoscale_figures.measure(item))
    for item, rows in portal_figures.measure([item for item in items if item in portal_figures.ITEMS]):
        show(item, rows)
    for item in items:
        if item in python_figures.ITEMS:
            show(item, python_figures.measure(item, runs))
    if any(item.startswith(YARN) for item in items):
        show_yarn([item for item in items if item.startswith(YARN)], runs)


if __name__ == "__main__":
    main(sys.argv[1:])
