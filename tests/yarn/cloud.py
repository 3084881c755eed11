"""A provider of machines for the autoscaler: its machines are the NodeManagers of a test cluster."""
import http.server
import json
import threading
import time
import urllib.parse

PAGE_LIMIT_S = 60

POLICY = """workerConfig: {{minInstances: {least}, maxInstances: {most}}}
basicAlgorithm:
  cooldownPeriod: {cooldown}
  yarnConfig: {{scaleUpFactor: 1.0, scaleDownFactor: 1.0, gracefulDecommissionTimeout: {drain}}}
"""

PUBLISHED = "hdfs:///autoscale.json"

PROVIDER = """groups:
  primary:
    hosts: '127\\.0\\.0\\.[0-9]+'
    node: {{memory: {memory}MiB, vcores: {vcores}}}
    join: {join}
list: curl -sSf {url}/list
add: curl -sSf {url}/add --data-urlencode "group=$HOWDAH_GROUP" -d "count=$HOWDAH_COUNT&token=$HOWDAH_TOKEN"
remove: curl -sSf {url}/remove --data-urlencode "hosts=$HOWDAH_HOSTS" -d "token=$HOWDAH_TOKEN"
timeout: 30s
exclude: {{path: {exclude}}}
publish: {published}
"""


class Cloud:
    """Serves the commands of a provider file over HTTP. The first nodes of the cluster exist at the begin."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.nodes = cluster.setup.first_nodes()  # that exist
        self.sizes = [(time.time(), len(self.nodes))]  # the number of machines since each change
        self.orders = []  # (command, its arguments)
        self.failure = None  # the text with which the next orders fail
        self.joins = True  # whether new machines start a NodeManager
        self.lock = threading.Lock()
        cloud = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(cloud.list())

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                values = dict(urllib.parse.parse_qsl(text))
                self.answer(cloud.order(self.path.strip("/"), values))

            def answer(self, text):
                body = text.encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def files(self, folder, least=2, most=4, cooldown="3s", drain="15m", join="2m", exclude=None):
        """Writes a policy and a provider file. Returns the arguments for `howdah autoscale`."""
        setup = self.cluster.setup
        url = f"http://127.0.0.1:{self.server.server_address[1]}"
        policy, provider = folder / "policy.yaml", folder / "provider.yaml"
        policy.write_text(POLICY.format(least=least, most=most, cooldown=cooldown, drain=drain))
        provider.write_text(PROVIDER.format(url=url, memory=setup.node_mb, vcores=setup.node_vcores, join=join,
                                            exclude=exclude or self.cluster.folder / "exclude", published=PUBLISHED))
        return [policy, "--provider", provider, "--allow-short-periods"]

    def list(self):
        with self.lock:
            return "".join(json.dumps({"id": node, "host": self.cluster.host(node), "group": "primary",
                                       "state": "running"}) + "\n" for node in self.nodes)

    def order(self, command, values):
        with self.lock:
            known = any(values["token"] == some["token"] for _, some in self.orders)
            self.orders.append((command, values))
            if known:
                return ""
            if command == "add":
                self.add(int(values["count"]))
            else:
                self.remove(values["hosts"].split())
            self.sizes.append((time.time(), len(self.nodes)))
            return ""

    def add(self, count):
        free = [node for node in self.cluster.setup.node_names() if node not in self.nodes]
        for node in free[:count]:
            self.nodes.append(node)
            if self.joins:
                self.cluster[node].restart()

    def join(self):
        """Starts the NodeManagers of machines that have none, and of new ones."""
        with self.lock:
            self.joins = True
            for node in self.nodes:
                if not self.cluster[node].alive():
                    self.cluster[node].start()

    def remove(self, hosts):
        for node in [node for node in self.nodes if self.cluster.host(node) in hosts]:
            self.nodes.remove(node)
            self.cluster[node].kill()

    def node_hours(self):
        """The time for which all machines have existed until now."""
        ends = [begin for begin, _ in self.sizes[1:]] + [time.time()]
        return sum((end - begin) * size for (begin, size), end in zip(self.sizes, ends)) / 3600

    def added(self):
        return sum(int(values["count"]) for command, values in self.orders if command == "add")
