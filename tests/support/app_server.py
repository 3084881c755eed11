"""A server in a task, for tests of the portal's relay: it shows the requests that it receives, and has bodies and
WebSockets of every kind. Prints its port."""
import base64
import hashlib
import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BLOCK = b"x" * 65536
PAGE = b"""<!doctype html><title>app</title><h1>app</h1><p id="echo"></p><p id="cookie"></p><script>
document.getElementById("cookie").textContent = "cookies: " + document.cookie;
const socket = new WebSocket("ws://" + location.host + "/ws");
socket.onopen = () => socket.send("hello");
socket.onmessage = event => { document.getElementById("echo").textContent = "echo: " + event.data; };
</script>"""
next_piece = threading.Semaphore(0)
poured = []


def frames(stream):
    """The text frames of a browser (RFC 6455) until the connection or the WebSocket ends."""
    while len(head := stream.read(2)) == 2 and head[0] & 15 != 8:
        size = head[1] & 127
        if size == 126:
            size = struct.unpack(">H", stream.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", stream.read(8))[0]
        mask = stream.read(4)
        text = stream.read(size)
        key = (mask * (size // 4 + 1))[:size]
        yield (int.from_bytes(text, "big") ^ int.from_bytes(key, "big")).to_bytes(size, "big")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name, _, argument = self.path.lstrip("/").partition("?")
        known = getattr(self, f"get_{name}", None)
        if known:
            known(argument)
        elif name == "":
            self.answer(PAGE, Content_Type="text/html")
        else:
            self.answer(json.dumps({"line": self.requestline, "fields": self.headers.items()}).encode())

    def do_POST(self):
        if self.path == "/next":
            next_piece.release()
            return self.answer(b"")
        digest, size = hashlib.sha256(), 0
        for block in self.body():
            digest.update(block)
            size += len(block)
        return self.answer(json.dumps({"size": size, "sha256": digest.hexdigest()}).encode())

    def body(self):
        if self.headers["Transfer-Encoding"] == "chunked":
            while size := int(self.rfile.readline(), 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers["Content-Length"] or 0)
        while left:
            block = self.rfile.read(min(left, len(BLOCK)))
            assert block
            left -= len(block)
            yield block

    def get_bytes(self, size):
        """A body of this size."""
        left = int(size)
        self.send_response(200)
        self.send_header("Content-Length", size)
        self.end_headers()
        while left:
            block = BLOCK[:min(left, len(BLOCK))]
            self.wfile.write(block)
            left -= len(block)

    def get_pieces(self, _):
        """Sends the next piece whenever somebody posts to /next."""
        self.send_response(200)
        self.end_headers()
        for number in range(3):
            self.wfile.write(b"piece %d\n" % number)
            self.wfile.flush()
            next_piece.acquire()

    def get_pour(self, limit):
        """Sends until the client accepts nothing for a while, or everything was sent."""
        self.send_response(200)
        self.send_header("Content-Length", limit)
        self.end_headers()
        self.connection.settimeout(3)
        sent = 0
        try:
            while sent < int(limit):
                sent += self.connection.send(BLOCK)
        except TimeoutError:
            pass
        poured.append(sent)
        self.close_connection = True

    def get_poured(self, _):
        self.answer(json.dumps(poured).encode())

    def get_redirect(self, path):
        location = f"http://{self.headers['Host']}/{path}"
        self.answer(b"", 302, Location=location, Set_Cookie="a=b; Domain=localhost; Path=/")

    def get_ws(self, _):
        self.close_connection = True
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)):
            self.send_header(name, value)
        self.end_headers()
        for text in frames(self.rfile):
            size = bytes([len(text)]) if len(text) < 126 else b"\x7e" + struct.pack(">H", len(text))
            self.wfile.write(b"\x81" + size + text)
        self.wfile.write(b"the client has ended")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print("port", server.server_port, flush=True)
    server.serve_forever()
