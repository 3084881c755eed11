"""The hardware that Howdah's ledger counts, compared with the ResourceManager's own figures."""
import json

import pytest

# worker:1 fails once, which restarts both workers. Containers get more memory than requested, because YARN rounds up.
JOB = """
name: ledger
framework: pytorch
roles:
  ps: {instances: 1, memory: 100MiB, vcores: 1, kind: service, command: sleep 600}
  worker:
    instances: 3
    memory: 200MiB
    vcores: 2
    restart: {max: 1, backoff: 10ms}
    command: |
      echo step 1 >> $HOWDAH_PROGRESS
      if [ $HOWDAH_TASK_INDEX$HOWDAH_GENERATION = 10 ]; then
        echo checkpoint 1 >> $HOWDAH_PROGRESS; sleep 3; exit 3
      fi
      sleep 25
"""
GIB_PER_MIB = 1024
BUCKETS = ("useful", "waiting", "localization", "start", "rendezvous", "lost", "recovering", "tail")
CLOSE = 0.02


def test_ledger_agrees_with_the_resource_manager(howdah, cluster, tmp_path):
    done = howdah("run", howdah.job_file(tmp_path, JOB), timeout=180)
    assert done.code == 0, done
    howdah.assert_clean(done.id)
    app = cluster.wait_app(done.id)
    found = json.loads(howdah("goodput", done.id, "--json").stdout)["total"]
    held = found["held"]
    assert held["memory_gib_seconds"] * GIB_PER_MIB == pytest.approx(app["memorySeconds"], rel=CLOSE), (found, app)
    assert held["vcore_seconds"] == pytest.approx(app["vcoreSeconds"], rel=CLOSE), (found, app)
    for kind in ("memory_gib_seconds", "vcore_seconds"):
        assert sum(found[bucket][kind] for bucket in BUCKETS) == pytest.approx(held[kind], abs=1e-4)
    assert found["recovering"]["vcore_seconds"] > 0 and found["lost"]["vcore_seconds"] > 0, found

    events = [json.loads(line) for line in howdah("events", done.id, "--json").stdout.splitlines()]
    granted = [e for e in events if e["type"] == "ContainerGranted"]
    assert {e["granted"]["memory_bytes"] >> 20 for e in granted} == {128, 256}, "rounded up to 64 MiB"
    am = [e for e in events if e["type"] == "ContainerOfAmGranted"]
    assert len(am) == 1 and am[0]["container"].endswith("_000001"), am
    released = [e["container"] for e in events if e["type"] == "ContainerReleased"]
    assert sorted(released) == sorted(e["container"] for e in granted)
    # The report over all jobs contains the ended job, which is only in the history.
    groups = json.loads(howdah("goodput", "--by", "name", "--json").stdout)["groups"]
    assert next(g for g in groups if g["group"] == "ledger")["held"] == held
