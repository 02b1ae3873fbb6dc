"""A Redis cluster on this machine, and a client that follows its redirections."""
import shutil
import subprocess
import time

import servers
from resp import Client, Closed, Error

TOOL = shutil.which("redis-cli")


class Cluster:
    def __init__(self, primaries=3, replicas=0):
        count = primaries * (1 + replicas)
        self.nodes = [servers.Server(cluster=True) for _ in range(count)]
        self.tool("create", *(f"127.0.0.1:{n.port}" for n in self.nodes), "--cluster-replicas",
                  replicas, "--cluster-yes")
        servers.wait_for(lambda: all(b"cluster_state:ok" in n.client()("CLUSTER", "INFO")
                                     for n in self.nodes), "the cluster is up")

    def tool(self, *words):
        done = subprocess.run([TOOL, "--cluster", *map(str, words)], capture_output=True,
                              text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.kill()
            shutil.rmtree(node.folder, ignore_errors=True)


class Follower:
    """Sends a command to any node and follows MOVED and ASK."""

    def __init__(self, ports):
        self.ports, self.clients = list(ports), {}
        self.redirected = 0

    def _client(self, port):
        if port not in self.clients:
            self.clients[port] = Client(port, timeout=30)
        return self.clients[port]

    def _drop(self, port):
        client = self.clients.pop(port, None)
        if client is not None:
            client.close()

    def __call__(self, *words):
        port, asking = self.ports[0], False
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                client = self._client(port)
                if asking:
                    client("ASKING")
                reply = client(*words)
            except (OSError, Closed):
                self._drop(port)
                port = self.ports[int(time.monotonic() * 100) % len(self.ports)]
                time.sleep(0.05)
                continue
            asking = False
            if isinstance(reply, Error) and reply.startswith(("MOVED", "ASK ")):
                asking = reply.startswith("ASK ")
                port = int(reply.rsplit(":", 1)[1])
                self.redirected += 1
            elif isinstance(reply, Error) and reply.startswith(("TRYAGAIN", "CLUSTERDOWN",
                                                                "READONLY", "LOADING")):
                time.sleep(0.05)
                port = self.ports[int(time.monotonic() * 100) % len(self.ports)]
            else:
                return reply
        raise AssertionError(f"no answer to {words[:2]} within 60 seconds")
