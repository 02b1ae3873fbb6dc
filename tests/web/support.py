"""What the checks share: the command, a server, and a browser."""
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = str(pathlib.Path(os.environ.get("BLOOMTIME_COMMAND") or ROOT / "build/bin/bloomtime")
              .resolve())
DRIVER = "/usr/bin/chromedriver"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--force-device-scale-factor=1"]
checks = []


class Check:
    def __init__(self, function, browser, soak):
        self.function, self.browser, self.soak = function, browser, soak


def check(function=None, *, browser=False, soak=False):
    if function is None:
        return lambda f: check(f, browser=browser, soak=soak)
    checks.append(Check(function, browser, soak))
    return function


# -- the command ---------------------------------------------------------------------------------

def run(*arguments, status=0, text=None):
    done = subprocess.run([COMMAND, *arguments], input=text, capture_output=True, timeout=120,
                          check=False)
    assert done.returncode == status, f"{arguments}: {done.returncode}: {done.stderr.decode()}"
    return done.stdout.decode("utf-8", "replace")


def answer(*arguments, status=0):
    return json.loads(run(*arguments, "--json", status=status))


@functools.cache
def day_store():
    """A store of a generated day, made once."""
    pathlib.Path("day.log").write_text(run("generate", "--records", "40k", "--seed", "3"))
    run("profile", "day.log", "--store", "day.bloomtime")
    return "day.bloomtime"


@contextlib.contextmanager
def serving(*arguments, listen="127.0.0.1:0"):
    """Yields (address, process) of a server on a port of its own."""
    process = subprocess.Popen([COMMAND, "serve", *arguments, "--listen", listen],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    try:
        yield address_of(process), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stderr.close()


def address_of(process):
    while True:
        line = process.stderr.readline().decode()
        assert line, f"the server has ended with {process.wait()}"
        found = re.search(r"listening on (http://\S+)/", line)
        if found:
            return found[1]


def fetch(url, body=None, **headers):
    """(status, headers, body) of a request."""
    asked = urllib.request.Request(url, data=body,
                                   headers={k.replace("_", "-"): v for k, v in headers.items()})
    try:
        with urllib.request.build_opener(NoRedirect).open(asked, timeout=20) as r:
            return r.status, r.headers, r.read()
    except urllib.error.HTTPError as e:
        return e.code, e.headers, e.read()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("did not become true in time")


# -- the browser ---------------------------------------------------------------------------------

def missing_browser():
    for path in (CHROMIUM, DRIVER):
        if not os.path.exists(path):
            return f"{path} is not installed; scripts/setup web installs it"
    try:
        import selenium  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return "python3-selenium is not installed; scripts/setup web installs it"
    return ""


@functools.cache
def browser():
    from selenium import webdriver  # pylint: disable=import-outside-toplevel
    from selenium.webdriver.chrome.service import Service  # pylint: disable=import-outside-toplevel
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, "--window-size=1200,900", f"--user-data-dir={os.getcwd()}/chromium"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


def close_browser():
    if browser.cache_info().currsize:
        browser().quit()


def look(url, width=1200, height=900, scheme="light"):
    """Opens a page of this size and colour scheme, without what earlier pages logged."""
    b = browser()
    b.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    b.execute_cdp_cmd("Emulation.setEmulatedMedia",
                      {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    b.get("about:blank")
    b.get_log("browser"), b.get_log("performance")
    b.get(url)
    return b


def expect_quiet(b):
    """No errors on the console, and no request left the page or its server."""
    log = b.get_log("browser")
    assert log == [], log
    here = b.current_url.split("/")[2] if b.current_url.startswith("http") else ""
    for entry in b.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            ours = url.startswith(("file:", "data:", "about:")) or url.split("/")[2] == here
            assert ours, f"the page asked for {url}"


def script(text, *arguments):
    return browser().execute_script(text, *arguments)


def tidy(path):
    shutil.rmtree(path, ignore_errors=True)
