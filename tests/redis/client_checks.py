"""The clients that people use."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import tempfile

checks = []
HERE = pathlib.Path(__file__).parent


def check(function):
    checks.append(function)
    return function


@check
def redis_py_works(primary, _replica):
    if importlib.util.find_spec("redis") is None:
        return "python3-redis is not installed"
    import redis
    server = redis.Redis(port=primary.port)
    assert server.execute_command("RECENCY.ADD", "r", "a", "WINDOW", "10m") == 1
    assert server.execute_command("RECENCY.ADD", "r", "a") == 0
    assert float(server.execute_command("HEAT.ADD", "h", "a")) >= 1
    assert server.execute_command("TALLY.MADD", "t", "a", b"\x00", 5) == [1, 1, 1]
    assert server.execute_command("HISTORY.EXISTS", "y", "a", "-", "+") == 0
    with server.pipeline() as pipe:
        for i in range(100):
            pipe.execute_command("TALLY.ADD", "t", f"item {i}")
        assert pipe.execute() == [1] * 100
    try:
        server.execute_command("RECENCY.ADD", "t", "a")
    except redis.ResponseError as problem:
        assert "wrong kind of value" in str(problem)
    else:
        raise AssertionError("no error was raised")
    server.close()
    return None


@check
def hiredis_works(primary, _replica):
    if shutil.which("g++") is None or not os.path.exists("/usr/include/hiredis/hiredis.h"):
        return "g++ or libhiredis-dev is not installed"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "client")
        subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", HERE / "hiredis_client.cpp", "-o",
                        program, "-lhiredis"], check=True)
        done = subprocess.run([program, str(primary.port)], capture_output=True, text=True,
                              timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return None
