"""A client for RESP2 and RESP3 on one socket."""
import socket


class Error(str):
    """An error reply."""


class Closed(Exception):
    """The server closed the connection."""


def encoded(words):
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        if isinstance(word, str):
            word = word.encode()
        elif not isinstance(word, bytes):
            word = repr(word).encode() if isinstance(word, float) else str(word).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)


class Client:
    """Replies are bytes, str (simple strings), int, float, bool, None, list, dict or Error."""

    def __init__(self, port, protocol=2, timeout=60, user=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb", 1 << 16)
        if user is not None:
            assert self("AUTH", *user) == "OK"
        if protocol == 3:
            assert isinstance(self("HELLO", 3), dict)

    def __call__(self, *words):
        self.send(*words)
        return self.receive()

    def send(self, *words):
        self.socket.sendall(encoded(words))

    def pipeline(self, commands):
        self.socket.sendall(b"".join(encoded(words) for words in commands))
        return [self.receive() for _ in commands]

    def _line(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Closed
        return line[:-2]

    def _bytes(self, length):
        data = self.file.read(length + 2)
        if len(data) != length + 2:
            raise Closed
        return data[:-2]

    def receive(self):
        line = self._line()
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return rest.decode()
        if kind == b"-":
            return Error(rest.decode("utf-8", "replace"))
        if kind in b":(":
            return int(rest)
        if kind == b",":
            return float(rest)
        if kind == b"#":
            return rest == b"t"
        if kind == b"_":
            return None
        if kind in b"$=!":
            return None if rest == b"-1" else self._bytes(int(rest))
        if kind in b"*~>":
            return None if rest == b"-1" else [self.receive() for _ in range(int(rest))]
        if kind == b"%":
            return {self.receive(): self.receive() for _ in range(int(rest))}
        raise AssertionError(f"unknown reply {line!r}")

    def close(self):
        self.file.close()
        self.socket.close()
