"""Many idle connections to a server, held by another user of the machine or by this one."""
import subprocess

from other_user import as_other

# Keeps idle connections open until stdin ends. With the argument `again`, replaces each connection that the other side
# closes.
HOLD = """
import resource, select, socket, sys
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
host, port, count, again = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "again"
poll = select.epoll()
poll.register(0, select.EPOLLIN)
held = {}
def more():
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex((host, port))
    held[one.fileno()] = one
    poll.register(one, select.EPOLLRDHUP)
for _ in range(count):
    more()
print("connected", flush=True)
while True:
    for fd, _ in poll.poll():
        if fd == 0:
            sys.exit()
        held.pop(fd).close()
        if again:
            more()
"""


class IdleConnections:
    """`count` connections to address "HOST:PORT". again: each connection that the server closes is replaced by a new
    one. other_user: they belong to another user, which needs root. Use as a context manager."""

    def __init__(self, address, count, *, again, other_user=True):
        host, port = address.rsplit(":", 1)
        words = ["/usr/bin/python3", "-c", HOLD, host, port, str(count), "again" if again else "held"]
        self.process = subprocess.Popen(as_other(words) if other_user else words, text=True, stdin=-1, stdout=-1)

    def __enter__(self):
        assert self.process.stdout.readline() == "connected\n"
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)
