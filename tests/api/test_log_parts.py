"""Logs through the portal: parts by byte, line and tail, whole logs, and search."""
import json

import pytest

from machine import eventually

# Bytes of every kind: lines, invalid UTF-8, a NUL, carriage returns.
NOISY = r"""
name: noisy
roles:
  worker:
    instances: 2
    memory: 64MiB
    command: |
      printf 'first\nsecond line\n\377\376\000 Loss\r\nfourth\n'
      echo "from $HOWDAH_TASK_INDEX" >&2
      [ $HOWDAH_TASK_INDEX = 0 ] || exec sleep 86399
      exec sleep 86399
"""
NOISE = b"first\nsecond line\n\xff\xfe\x00 Loss\r\nfourth\n"
GROWS = """
name: grows
roles: {w: {memory: 64MiB, command: 'mkfifo pipe; exec < pipe; while read line; do echo "$line"; done'}}
"""
LARGE = """
name: large
roles: {w: {memory: 256MiB, command: 'seq -f "line %012.0f of a log" 400000; echo needle; seq 5'}}
"""


@pytest.fixture
def noisy(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, NOISY))
    machine.running(job)
    eventually(lambda: machine.log(job, "worker:1", "--stderr") == "from 1\n", "the output")
    return job


def hits_of(answer):
    lines = [json.loads(line) for line in answer.text.splitlines()]
    return lines[:-1], lines[-1]


def test_sources_are_listed(noisy, portal):
    sources = portal.get(f"jobs/{noisy}/logs").json
    assert sources["location"].endswith("/logs")
    assert [(s["task"], s["attempt"], s["rank"], s["stream"]) for s in sources["sources"]] == [
        (f"worker:{i}", 0, 0, stream) for i in range(2) for stream in ("stdout", "stderr")]


def test_parts_of_a_running_log_are_the_bytes_as_written(noisy, portal):
    path = f"jobs/{noisy}/logs/worker:0"
    whole = portal.get(path)
    assert whole.bytes == NOISE and whole.headers["Content-Type"] == "text/plain; charset=utf-8"
    size = str(len(NOISE))
    for query, begin, end in (({"offset": 6}, 6, None), ({"offset": 6, "limit": 6}, 6, 12), ({"tail": 1}, 28, None),
                              ({"tail": 2}, 18, None), ({"line": 2}, 6, None), ({"line": 4}, 28, None),
                              ({"line": 2, "limit": 3}, 6, 9), ({"offset": 1000}, len(NOISE), None),
                              ({"line": 1000}, len(NOISE), None), ({"tail": 0}, len(NOISE), None),
                              ({"attempt": 0, "rank": 0, "stream": "stdout"}, 0, None)):
        part = portal.get(path, **query)
        assert part.bytes == NOISE[begin:end], (query, part)
        assert part.headers["Howdah-Offset"] == str(begin) and part.headers["Howdah-Size"] == size, (query, part)
        assert part.headers["Howdah-Attempt"] == "0"
    assert portal.get(path, line=3).headers["Howdah-Line"] == "3"
    assert portal.get(path, stream="stderr").bytes == b"from 0\n"


@pytest.mark.parametrize("path, status, words", [
    ("worker:0?attempt=7", 404, "worker:0 of JOB has no stdout of rank 0 in attempt 7"),
    ("worker:9", 404, "worker:9 of JOB has no output; these tasks have: worker:0, worker:1"),
    ("worker:0?rank=3", 404, "worker:0 of JOB has no stdout of rank 3"),
    ("worker:0?attempt=0&rank=3", 404, "worker:0 of JOB has no stdout of rank 3 in attempt 0"),
    ("worker", 400, "'worker' is not a task; write ROLE:INDEX"),
    ("..:0", 400, "'..:0' is not a task"),
    ("worker:0?offset=1&tail=1", 400, "offset, line and tail each name a position"),
    ("worker:0?offset=-1", 400, "offset"),
    ("worker:0?limit=4194305", 400, "limit"),
    ("worker:0?stream=stdin", 400, "stream"),
    ("search", 400, "'q' is missing"),
    ("search?q=(&regex=1", 400, "is not a valid regular expression"),
])
def test_wrong_request_is_explained(noisy, portal, path, status, words):
    answer = portal.request("GET", f"/api/v1/jobs/{noisy}/logs/{path}")
    assert answer.status == status and words.replace("JOB", noisy) in answer.json["detail"], answer


def test_search_finds_lines_in_all_tasks(noisy, portal):
    hits, counts = hits_of(portal.get(f"jobs/{noisy}/logs/search", q="loss"))
    assert [(hit["task"], hit["line"], hit["offset"]) for hit in hits] == [("worker:0", 3, 18), ("worker:1", 3, 18)]
    assert counts["total"] == 2 and counts["complete"]
    assert {(c["task"], c["stream"]): c["hits"] for c in counts["counts"]}[("worker:1", "stdout")] == 1
    assert hits_of(portal.get(f"jobs/{noisy}/logs/search", q="LOSS"))[1]["total"] == 0
    hits, counts = hits_of(portal.get(f"jobs/{noisy}/logs/search", q="^from [01]$", regex=1, tasks="worker:1"))
    assert [(hit["stream"], hit["text"]) for hit in hits] == [("stderr", "from 1")], counts
    hits, counts = hits_of(portal.get(f"jobs/{noisy}/logs/search", q="i", limit=2))
    assert len(hits) == 2 and not counts["complete"]
    assert len(hits_of(portal.get(f"jobs/{noisy}/logs/search", q="from", stream="stdout"))[0]) == 0


def test_large_log_is_read_by_position_and_downloaded(machine, tmp_path, portal):
    job = machine("run", machine.job_file(tmp_path, LARGE)).id
    expected = b"".join(b"line %012d of a log\n" % i for i in range(1, 400_001)) + b"needle\n1\n2\n3\n4\n5\n"
    path = f"jobs/{job}/logs/w:0"
    first = portal.get(path)
    assert first.bytes == expected[:4 << 20] and int(first.headers["Howdah-Size"]) == len(expected)
    assert portal.get(path, line=300_000, limit=28).bytes.startswith(b"line 000000300000 of a log\n")
    assert portal.get(path, tail=6).bytes == b"needle\n1\n2\n3\n4\n5\n"
    hits, counts = hits_of(portal.get(f"jobs/{job}/logs/search", q="needle"))
    assert [(hit["line"], hit["offset"]) for hit in hits] == [(400_001, expected.index(b"needle"))]
    assert counts["complete"]
    download = portal.get(path, download=1)
    assert download.bytes == expected
    assert download.headers["Content-Disposition"] == f'attachment; filename="{job}-w-0-0-stdout.txt"'
    part = portal.get(path, download=1, headers={"Range": "bytes=5-9"}, status=206)
    assert part.bytes == expected[5:10]


def test_log_of_a_running_job_grows(machine, tmp_path, portal):
    job = machine.submit(machine.job_file(tmp_path, GROWS))
    machine.running(job)
    pipe = machine.home / "jobs" / job / "work/w-0/pipe"
    eventually(pipe.exists, "the pipe")
    with portal.stream(f"log:{job}/w:0/0/0/stdout@0") as stream, open(pipe, "w") as writer:
        assert stream.next() == ("open", {"topic": f"log:{job}/w:0/0/0/stdout"})
        offset = 0
        for line in ("one", "two", "three"):
            print(line, file=writer, flush=True)
            grown = stream.until("log", lambda data: data["size"] == offset + len(line) + 1)
            part = portal.get(f"jobs/{job}/logs/w:0", offset=offset)
            assert part.text == line + "\n" and not grown["ended"]
            offset = int(part.headers["Howdah-Size"])
        writer.close()
        assert stream.until("log", lambda data: data["ended"])["size"] == offset
    machine.until(job, lambda s: s["state"] == "SUCCEEDED", "the end")
