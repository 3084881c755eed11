"""The items of python_client.py that send a table over TLS: to the executor of a job on YARN, and to pyarrow's Flight
server in another process. Both have 4 streams of the same blocks, each over a connection of its own, and at most DEPTH
blocks of a stream have no answer.

The other server does less: it drops the rows. The executor stores them, asks the AM for each block, and writes blocks
to its disk when `buffer` is full; the ranks copy them into batches, and the source computes digests. On a machine with
few cores all of this takes CPU time from the transfer."""
import pathlib
import subprocess
import sys
import threading
import time

import pyarrow as pa
import pyarrow.flight as flight

from howdah._feed import driver, source, spark_task
from python_client import doubles, rate, reader, run

ROWS = 6_000_000
TLS = "grpc+tls"
HOST = "127.0.0.1"


def tls(ranks):
    """Rows per second of one executor with so many ranks."""
    reachable = spark_task.reachable
    spark_task.reachable = lambda locations: [one for one in reachable(locations) if one.startswith(TLS)]
    table = doubles(ROWS)
    while True:
        found = run(reader(256), table, processes=ranks, memory="2GiB")
        yield {"rate": rate([one for passes in found for one in passes])}


class Server(flight.FlightServerBase):
    """Drops the rows. Prints its port."""

    def __init__(self, certificate, key):
        chain = (pathlib.Path(certificate).read_bytes(), pathlib.Path(key).read_bytes())
        super().__init__(f"{TLS}://{HOST}:0", tls_certificates=[chain])
        print(self.port, flush=True)

    def do_put(self, context, descriptor, blocks, writer):
        for block in blocks:
            writer.write(b"{}")


def certificate():
    """A certificate as that of an executor: the paths of the certificate and of its key."""
    paths = [pathlib.Path("server.crt"), pathlib.Path("server.key")]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", paths[1]]
    names = ["-subj", "/CN=bench", "-addext", f"subjectAltName=IP:{HOST}"]
    subprocess.run(["openssl", "req", "-x509", *key, *names, "-days", "2", "-out", paths[0]], check=True,
                   capture_output=True)
    return paths


def send(port, authority, parts, times):
    """Sends partitions as the feed does: at most DEPTH blocks of a partition have no answer."""
    client = flight.FlightClient(f"{TLS}://{HOST}:{port}", tls_root_certs=authority,
                                 generic_options=[("grpc.use_local_subchannel_pool", 1)])  # a connection of its own
    for rows in iter(lambda: next(parts, None), None):
        writer, answers = client.do_put(flight.FlightDescriptor.for_command(b"{}"), rows.schema)
        waiting = 0
        for _, block in rows.blocks(0, rows.count):
            writer.write_batch(block)
            waiting += 1
            if waiting == spark_task.DEPTH:
                answers.read()
                waiting -= 1
                times.append(time.monotonic())
        writer.done_writing()
        for _ in range(waiting):
            answers.read()
            times.append(time.monotonic())
        writer.close()


def flight_server():
    """Rows per second of pyarrow's server."""
    table = doubles(ROWS)
    kept = source.Table(source.Batches(table.to_batches(), source.Wire(table.schema)))
    paths = certificate()
    server = subprocess.Popen([sys.executable, __file__, *paths], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline())
        while True:
            parts, times = iter([kept.at_hand(0, number) for number in range(kept.count(0))]), []
            work = (port, paths[0].read_bytes(), parts, times)
            start = time.monotonic()
            threads = [threading.Thread(target=send, args=work) for _ in range(driver.THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            yield {"rate": ROWS / (max(times) - start)}
    finally:
        server.kill()
        server.wait()


ITEMS = {"flight-server": flight_server, **{f"tls-{ranks}": lambda ranks=ranks: tls(ranks) for ranks in (1, 2, 4)}}

if __name__ == "__main__":
    Server(*sys.argv[1:]).serve()
