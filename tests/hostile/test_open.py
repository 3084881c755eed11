"""Nothing that another user sends to the port of `howdah open` reaches the job."""
from inside_cases import Opened, port_of
from other_user import needs_root, python_as_other

# Prints its port, and then the first bytes of each connection. Answers each connection.
SERVER = """
import socket
server = socket.create_server(("127.0.0.1", 0), backlog=512)
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    try:
        print("received", connection.recv(65536), flush=True)
        connection.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\nhello")
    except ConnectionError:
        pass
    connection.close()
"""
ATTACK = """
import socket, sys
held, sent = [], 0
for i in range(200):
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    try:
        connection.sendall(b"EVIL REQUEST\\n")
        sent += 1
        how = i % 4
        if how == 1:
            connection.shutdown(socket.SHUT_WR)
        if how == 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\\1\\0\\0\\0\\0\\0\\0\\0")
        if how == 3:
            held.append(connection)
            continue
    except OSError:  # the connection was refused meanwhile; shutdown() then fails with ENOTCONN
        pass
    connection.close()
print(sent)
"""
JOB = """
roles:
  worker: {memory: 64MiB, command: exec python3 server.py}
source: %s
"""


@needs_root
def test_requests_of_other_users_do_not_reach_the_task(machine, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "server.py").write_text(SERVER)
    job = machine.submit(machine.job_file(tmp_path, JOB % source))
    port = port_of(machine, job, "worker:0")
    with Opened(machine, "open", job, "worker:0", port) as opened:
        done = python_as_other(ATTACK, opened.port)
        assert done.returncode == 0 and int(done.stdout) > 100, done
        # Connections are accepted in order, so any request that was let through would arrive before this request.
        assert opened.get("ours") == "hello"
        log = machine.log(job, "worker:0")
    assert log.count("received") == 1 and "GET /ours" in log, log
    machine("kill", job)
