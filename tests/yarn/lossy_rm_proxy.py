"""A proxy between a client and the ResourceManager that can lose requests and responses."""
import socket
import threading


class LossyProxy:
    """Disturbs one call of a method, by default the first one, and forwards everything else. For this call, the proxy
    forwards the request if `through` is true, calls lose(), and closes the connection without a response."""

    def __init__(self, port, through, lose, method=b"submitApplication", disturbed=1):
        self.port, self.through, self.lose, self.method, self.disturbed = port, through, lose, method, disturbed
        self.calls = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "localhost:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.port))
        except OSError:
            return client.close()
        cut = threading.Event()
        threading.Thread(target=self._copy, args=[server, client, cut, False], daemon=True).start()
        self._copy(client, server, cut, True)

    def _copy(self, source, sink, cut, requests):
        try:
            while data := source.recv(1 << 20):
                if requests and self.method in data:
                    self.calls += 1
                    if self.calls == self.disturbed:
                        cut.set()
                        if self.through:
                            sink.sendall(data)
                        self.lose()
                        break
                if requests or not cut.is_set():
                    sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
