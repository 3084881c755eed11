"""An HTTP server at the address that TonY gives to notebooks: on every interface, with the port TB_PORT."""
import http.server
import os


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{os.environ['JOB_NAME']} {self.path}".encode())


http.server.HTTPServer(("", int(os.environ["TB_PORT"])), Handler).serve_forever()
