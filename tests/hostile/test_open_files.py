"""A low soft limit of open files limits neither agents nor the size of a job. The programs of tasks inherit it.
`howdah open` uses the hard limit, and reports when that is reached."""
import resource
import socket

from inside_cases import SERVER, Opened, port_of

SOFT = 64

MANY = """
roles:
  worker: {instances: 40, memory: 16MiB, command: ulimit -Sn}
"""
ONE = """
roles:
  worker: {memory: 64MiB, command: exec sleep 300}
"""

SERVED = """
source: %s
roles:
  worker: {memory: 64MiB, command: exec python3 server.py}
"""


def low_limit():
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def test_low_soft_limit_does_not_limit_the_job_and_is_kept_by_tasks(machine, tmp_path):
    done = machine("run", machine.job_file(tmp_path, MANY), preexec_fn=low_limit)
    assert done.code == 0, done
    for index in range(40):
        assert machine.log(done.id, f"worker:{index}") == f"{SOFT}\n"


def test_commands_of_exec_get_the_soft_limit_of_the_submission(machine, tmp_path):
    job = machine.submit(machine.job_file(tmp_path, ONE), preexec_fn=low_limit)
    machine.running(job)
    done = machine("exec", job, "worker:0", "--", "bash", "-c", "ulimit -Sn")
    assert done.code == 0 and done.stdout == f"{SOFT}\n", done
    machine("kill", job)


def served(machine, tmp_path):
    """Returns a job with a server, and its port."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "server.py").write_text(SERVER)
    job = machine.submit(machine.job_file(tmp_path, SERVED % source))
    return job, port_of(machine, job, "worker:0")


def connect(opened, count):
    connections = [socket.create_connection(("127.0.0.1", opened.port), timeout=60) for _ in range(count)]
    for connection in connections:
        connection.sendall(b"GET /x HTTP/1.1\r\n\r\n")
    return connections


def test_open_serves_more_connections_than_the_soft_limit_allows(machine, tmp_path):
    job, port = served(machine, tmp_path)
    with Opened(machine, "open", job, "worker:0", port, preexec_fn=low_limit) as opened:
        connections = connect(opened, SOFT)  # all are open at the same time
        assert all(connection.recv(4) == b"HTTP" for connection in connections)
    assert opened.stderr == "", opened.stderr
    machine("kill", job)


def test_connections_wait_while_open_has_no_descriptors(machine, tmp_path):
    job, port = served(machine, tmp_path)
    hard_limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, SOFT))  # noqa: E731
    with Opened(machine, "open", job, "worker:0", port, preexec_fn=hard_limit) as opened:
        assert opened.get("first") == "0 /first"
        connections = connect(opened, SOFT)
        line = opened.process.stderr.readline()
        note = f"a connection to port {opened.port} has to wait: Too many open files; raise the hard limit"
        assert note in line, line
        # Each connection that ends makes room for one that waits.
        for connection in connections:
            assert connection.recv(4) == b"HTTP"
            connection.close()
        assert opened.get("last") == "0 /last"
    assert "sock_diag" not in opened.stderr, opened.stderr
    machine("kill", job)
