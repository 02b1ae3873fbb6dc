"""Starts servers on free loopback ports, each in a temporary folder, and stops them by their pid."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from resp import Client, Closed

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = os.environ.get("BLOOMTIME_MODULE") or str(ROOT / "build/lib/bloomtime.so")
COMMAND = os.environ.get("BLOOMTIME_COMMAND") or str(ROOT / "build/bin/bloomtime")
SERVER = os.environ.get("BLOOMTIME_REDIS_SERVER") or shutil.which("redis-server")
PATIENCE = 60  # seconds


def free_port(cluster=False):
    """A cluster also needs the port 10000 above."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if not cluster:
            return port
        if port < 55000:
            with socket.socket() as other, contextlib.suppress(OSError):
                other.bind(("127.0.0.1", port + 10000))
                return port


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {PATIENCE} seconds: {what}")


class Server:
    def __init__(self, *options, module=True, environment=None, folder=None, port=None,
                 cluster=False):
        self.own_folder = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="bloomtime-redis-")
        self.port = port or free_port(cluster)
        self.options = [str(word) for word in options]
        self.module = module
        self.cluster = cluster
        self.environment = {**os.environ, **(environment or {})}
        self.clients = []
        self.process = None
        self.start()

    def start(self):
        words = [SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder,
                 "--logfile", "log", "--daemonize", "no", "--enable-debug-command", "yes",
                 "--enable-module-command", "yes", "--crash-memcheck-enabled", "no",
                 "--repl-diskless-sync-delay", "0"]
        if "--save" not in self.options:
            words += ["--save", ""]
        if self.cluster:
            words += ["--cluster-enabled", "yes", "--cluster-config-file", "nodes.conf",
                      "--cluster-node-timeout", "2000"]
        words += self.options
        if self.module:
            words += ["--loadmodule", MODULE]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL,
                                        stderr=open(os.path.join(self.folder, "errors"), "ab"),
                                        env=self.environment)
        wait_for(self._answers, f"the server in {self.folder} answers: {self.log()[-2000:]}")

    def _answers(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}: {self.log()}")
        try:
            probe = Client(self.port, timeout=PATIENCE)
        except OSError:
            return False
        try:
            return probe("PING") == "PONG"
        except (OSError, Closed):
            return False
        finally:
            probe.close()

    def client(self, protocol=2, user=None):
        made = Client(self.port, protocol, user=user)
        self.clients.append(made)
        return made

    def log(self):
        text = ""
        for name in ("log", "errors"):
            with contextlib.suppress(OSError):
                text += pathlib.Path(self.folder, name).read_text(errors="replace")
        return text

    def end(self, sign):
        for client in self.clients:
            client.close()
        self.clients = []
        if self.process.poll() is None:
            self.process.send_signal(sign)
        return self.process.wait(PATIENCE)

    def kill(self):
        self.end(signal.SIGKILL)

    def stop(self):
        try:
            status = self.end(signal.SIGTERM)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            log = self.log()
            if self.own_folder:
                shutil.rmtree(self.folder, ignore_errors=True)
        assert status == 0, f"the server ended with {status}: {log[-4000:]}"

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind is None:
            self.stop()
        else:
            self.kill()
            if self.own_folder:
                shutil.rmtree(self.folder, ignore_errors=True)


def caught_up(primary, replica):
    """Waits until the replica has all that the primary has sent."""
    def same():
        def offset(client, name):
            text = client("INFO", "replication").decode()
            fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
            return fields.get("master_link_status", "up"), fields.get(name)
        sent = offset(primary, "master_repl_offset")[1]
        link, got = offset(replica, "slave_repl_offset")
        return link == "up" and got == sent
    wait_for(same, "the replica has caught up")
    wait_for(lambda: primary("WAIT", 1, 1000) >= 1, "the replica has acknowledged")
