# profile --follow: intervals in a pipe, and the screen in tmux with real keys. Read by ./run, with
# what profile_checks.py has at hand.

PATIENCE = 300  # seconds; a machine may be slow, and nothing waits longer than it must


def until(found, what):
    """The first true value of found()."""
    end = time.monotonic() + PATIENCE
    while not (value := found()):
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.05)
    return value


def lines_of(*items, start=START):
    return tsv((start + second, item) for second, item in enumerate(items))


def append(path, data):
    with open(path, "ab") as file:
        file.write(data)


FIELDS = ["--format", "tsv", "--time", "1", "--item", "2"]


@contextlib.contextmanager
def following(*arguments, stdin=subprocess.DEVNULL, **more):
    child = subprocess.Popen([COMMAND, "profile", *arguments, "--follow"], stdin=stdin,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**more))
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def records_of(store):
    """Of the last checkpoint; 0 without one."""
    with contextlib.suppress(OSError):
        return json.loads(read(store + "/manifest.json"))["records"]
    return 0


# -- without a terminal -------------------------------------------------------------------------


def object_with(child, wanted):
    """The first object of the stream for which it holds."""
    end = time.monotonic() + PATIENCE
    while line := child.stdout.readline():
        document = json.loads(line)
        if wanted(document):
            return document
        assert time.monotonic() < end, document
    raise AssertionError(child.communicate()[1])


@check
def live_prints_an_object_per_interval():
    with folder() as where:
        log, store = write(where + "/e.tsv", lines_of(*"aab")), where + "/e.bloomtime"
        with following(log, *FIELDS, "--every", "1s", "--json") as child:
            first = object_with(child, lambda d: d["records"] == 3)
            assert (first["command"], first["schema"], first["lines"]) == ("profile", 2, 3), first
            assert [row["item"] for row in first["items"]] == ["a", "b"], first
            assert first["interval_seconds"] > 0 and first["printed"] > START * 10**6, first
            append(log, lines_of(*"cccc", start=START + 10))
            second = object_with(child, lambda d: d["records"] == 7)
            assert second["items"][0]["item"] == "c" and second["interval_lines"] <= 4, second
            # Time goes on while no line comes, and heat fades.
            third = object_with(child, lambda d: d["at"] >= second["at"] + 2_000_000)
            assert third["interval_lines"] == 0 and third["last_event"] == second["last_event"]
            assert third["items"][0]["hits"] < second["items"][0]["hits"], (second, third)
            append(log, lines_of("d", start=START + 20))
            child.send_signal(signal.SIGTERM)
            rest = child.communicate(timeout=PATIENCE)[0]
            assert child.returncode == -signal.SIGTERM
            assert all(json.loads(line)["command"] == "profile" for line in rest.splitlines())
        assert records_of(store) in (7, 8)
        ok("verify", store)


@check
def live_ends_with_its_pipe_and_prints_what_is_left():
    made = events(2000)
    with folder() as where:
        store = where + "/s"
        with following("-", *FIELDS, "--store", store, "--json", stdin=subprocess.PIPE) as child:
            out, err = child.communicate(tsv(made), timeout=PATIENCE)
            assert child.returncode == 0, err
        document = json.loads(out)  # one object
        assert document["records"] == 2000 and document["interval_lines"] == 2000, document
        done(*contract(write(where + "/e.tsv", tsv(made)), where + "/batch"))
        assert containers(store) == containers(where + "/batch")


@check
def live_tsv_has_its_keys_once():
    with folder() as where:
        log = write(where + "/e.tsv", lines_of(*"aab"))
        with following(log, *FIELDS, "--every", "1s", "--tsv") as child:
            keys = child.stdout.readline().decode().rstrip("\n").split("\t")
            assert keys[:4] == ["printed", "field", "rank", "item"], keys
            rows = [child.stdout.readline().decode().rstrip("\n").split("\t") for _ in range(6)]
            assert all(len(row) == len(keys) for row in rows), rows
            assert [row[3] for row in rows] == ["a", "b"] * 3, rows
            assert len({row[0] for row in rows}) == 3, rows


@check
def live_prints_tables_where_there_is_no_screen():
    with folder() as where:
        log = write(where + "/e.tsv", lines_of(*"aab"))
        with following(log, *FIELDS, "--every", "1s", "--table") as child:
            for _ in range(2):
                while not (line := child.stdout.readline().decode()).startswith("2  total"):
                    assert "\x1b" not in line and child.poll() is None, line
                assert child.stdout.readline().startswith(b"a ")


@check
def live_ends_quietly_when_nobody_reads():
    with folder() as where:
        log = write(where + "/e.tsv", lines_of(*"aab"))
        with following(log, *FIELDS, "--every", "1s", "--json") as child:
            child.stdout.readline()
            append(log, lines_of("c", start=START + 9))
            child.stdout.close()
            assert child.wait(timeout=PATIENCE) == -signal.SIGPIPE
            assert b"bloomtime:" not in child.stderr.read()
            child.stdout = None
        assert records_of(where + "/e.bloomtime") == 4


@check
def live_follows_rotation_and_truncation():
    with folder() as where:
        log, store = write(where + "/e.tsv", lines_of(*"aab")), where + "/e.bloomtime"
        with following(log, *FIELDS, "--every", "1s", "--checkpoint", "1s", "--json") as child:
            object_with(child, lambda d: d["records"] == 3)
            with open(log, "ab") as old:
                os.rename(log, log + ".1")
                old.write(lines_of("late", start=START + 5))
            write(log, lines_of(*"cc", start=START + 10))
            object_with(child, lambda d: d["records"] == 6)
            write(log, lines_of("d", start=START + 20))  # copied and truncated
            last = object_with(child, lambda d: d["records"] == 7)
            assert {row["item"] for row in last["items"]} == {"a", "b", "late", "c", "d"}, last
            until(lambda: records_of(store) == 7, "no checkpoint")
            child.kill()
        ok("verify", store)


@check
def live_saves_as_it_goes_and_survives_a_kill():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(500))), where + "/e.bloomtime"
        with following(log, *FIELDS, "--json") as child:
            until(lambda: records_of(store) == 500, "no checkpoint when all was read")
            child.kill()
            child.wait()
        ok("verify", store)
        assert json.loads(ok("hot", store, "--json").out)["records"] == 500


@check
def live_counts_nothing_twice_after_a_kill():
    made = [tsv(events(100, seed=n)) for n in range(5)]
    with folder() as where:
        log, store = write(where + "/e.tsv", made[0]), where + "/e.bloomtime"
        options = [log, *FIELDS, "--json", "--checkpoint", "1s"]
        with following(*options):
            until(lambda: records_of(store) == 100, "no checkpoint")
        append(log, made[1])
        with following(*options):
            until(lambda: records_of(store) == 200, lambda: f"{records_of(store)} records")
            os.rename(log, log + ".1")
            write(log, made[2])
            until(lambda: records_of(store) == 300, lambda: f"{records_of(store)} records")
        with following(*options):
            append(log, made[3])
            until(lambda: records_of(store) == 400, lambda: f"{records_of(store)} records")
            write(log + ".2", made[2] + made[3])
            write(log, made[4][:2000])  # copied and truncated
            left = made[4][:2000].count(b"\n")
            until(lambda: records_of(store) == 400 + left, lambda: f"{records_of(store)} records")
        again = done("profile", log + ".1", log + ".2", log, *FIELDS, "--store", store, "--json")
        assert json.loads(again.out)["new_records"] == 0, again.out


@check
def live_refuses_a_second_follower():
    with folder() as where:
        log, store = write(where + "/e.tsv", lines_of(*"aab")), where + "/e.bloomtime"
        with following(log, *FIELDS, "--json") as child:
            until(lambda: records_of(store) == 3, "no checkpoint")
            fails("profile", log, *FIELDS, "--follow", says=str(child.pid))


@check
def live_options_are_checked():
    with folder() as where:
        log = write(where + "/e.tsv", lines_of(*"aab"))
        refused("profile", log, "--every", "1s", says="--follow")
        refused("profile", log, "--follow", "--every", "0", says="--every")
        refused("profile", log, "--follow", "--checkpoint", "x", says="--checkpoint")
        refused("profile", where + "/missing.log", "--follow", says="missing.log")


# -- on a terminal ------------------------------------------------------------------------------


class Tmux:
    """A tmux server of its own with one window, in which a shell runs the command."""

    def __init__(self, where, columns=80, rows=24):
        self.socket = where + "/tmux"
        self.call("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "-s", "t", "env", "PS1=shell> ", "ENV=", "sh")
        self.shows("shell>")

    def call(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True,
                              text=True, timeout=PATIENCE, check=False,
                              env=environment(TMUX=None))
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def screen(self):
        return self.call("capture-pane", "-p", "-t", "t")

    def shows(self, *texts, without=()):
        def found():
            page = self.screen()
            return all(t in page for t in texts) and not any(t in page for t in without) and page
        return until(found, lambda: f"{texts} without {without}, but:\n{self.screen()}")

    def press(self, *keys):
        self.call("send-keys", "-t", "t", *keys)

    def type(self, text):
        self.call("send-keys", "-t", "t", "-l", text)

    def start(self, *arguments):
        self.type(" ".join([COMMAND, "profile", "--follow", *arguments]))
        self.press("Enter")

    def ended(self, store):
        """What is on the screen when the process that wrote this store is gone."""
        process = f"/proc/{int(read(store + '/lock'))}"
        until(lambda: not os.path.exists(process), lambda: f"it runs:\n{self.screen()}")
        return self.shows("shell>", without=["q quit"])

    def resize(self, columns, rows):
        self.call("resize-window", "-t", "t", "-x", str(columns), "-y", str(rows))


@contextlib.contextmanager
def tmux(**size):
    with folder() as where:
        window = Tmux(where, **size)
        try:
            yield window, where
        finally:
            window.call("kill-server")


def in_tmux(function):
    if shutil.which("tmux"):
        return check(function)
    print(f"skipped: {function.__name__}: there is no tmux; scripts/setup test installs it")
    return function


WEB = ('192.0.2.{} - - [10/Oct/2000:13:55:{:02} -0700] "GET /{} HTTP/1.0" 200 23 "-" "x"\n')


def web_log(*paths):
    return "".join(WEB.format(n % 7, n % 60, path) for n, path in enumerate(paths)).encode()


@in_tmux
def live_screen_obeys_its_keys():
    with tmux() as (window, where):
        log = write(where + "/access.log", web_log(*["hot"] * 30, *["warm"] * 20, "cold", "cold"))
        modes = re.sub(r"speed.*", "", window_modes(window))
        window.start(log)
        page = window.shows("▸ /hot", "  /warm", "  192.0.2.", "q quit", "path 1 of 3")
        assert page.index("/hot") < page.index("/warm") < page.index("/cold"), page
        append(log, web_log(*["new"] * 40))
        window.shows("▸ /new")
        window.press("Down")
        window.shows("▸ /hot")
        append(log, web_log(*["hot"] * 90))  # the selection stays with its item
        window.shows("▸ /hot", "path 1 of 4")
        window.press("f")
        window.shows("host 1 of 7", "▸ 192.0.2.", "  /hot")
        window.press("f", "/")
        window.type("ARM")
        window.shows("/ARM", "▸ /warm", without=["/cold"])
        window.press("Enter")
        window.shows("find ARM", "path 1 of 1")
        window.press("Enter")
        window.shows("/warm   seen 2000-10-10 13:55:", "⏎ back", without=["f field"])
        window.press("Escape")
        window.shows("find ARM", "f field")
        window.press("Escape")
        window.shows("/cold", without=["find ARM"])
        window.press("p")
        window.shows("paused")
        append(log, web_log(*["later"] * 500))
        until(lambda: records_of(where + "/access.bloomtime") > 0, "no checkpoint")
        assert "/later" not in window.shows("paused")
        window.press("p")
        window.shows("▸ /later", without=["paused"])
        window.press("q")
        assert "Saved to" in window.ended(where + "/access.bloomtime")
        assert re.sub(r"speed.*", "", window_modes(window)) == modes
        assert window.call("display", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").split() \
            == ["0", "1"]
        assert records_of(where + "/access.bloomtime") == 52 + 40 + 90 + 500


def window_modes(window):
    window.press("clear; stty -a; echo do''ne", "Enter")
    page = window.shows("done")
    window.press("clear", "Enter")
    window.shows("shell>", without=["done"])
    return page


@in_tmux
def live_screen_fits_every_size():
    with tmux() as (window, where):
        log = write(where + "/access.log", web_log(*["index.html"] * 30, *["b"] * 20))
        window.start(log)
        window.shows("▸ /index.html", "q quit")
        for columns, rows in ((120, 40), (40, 10), (20, 5), (5, 2), (1, 1), (80, 24)):
            window.resize(columns, rows)
            if columns >= 20:
                window.shows("▸ /i", "q")
        window.shows("▸ /index.html", "f field  o order  / find")
        window.press("C-c")
        assert "Saved to" in window.ended(where + "/access.bloomtime")


@in_tmux
def live_screen_reads_its_log_from_a_pipe_and_its_keys_from_the_terminal():
    with tmux() as (window, where):
        log = write(where + "/access.log", web_log(*["a"] * 30, *["b"] * 20))
        window.type(f"cat {log} | {COMMAND} profile --follow --store {where}/s")
        window.press("Enter")
        window.shows("▸ /a", "the input has ended")
        window.press("Down")
        window.shows("▸ /b")
        window.press("q")
        assert "Saved to" in window.ended(where + "/s")
        assert records_of(where + "/s") == 50


@in_tmux
def live_screen_shows_no_controls_of_items():
    with tmux() as (window, where):
        log = write(where + "/e.tsv", b"".join(b"%d\t\x1b[2J\x1b]0;owned\x07%d\n" % (START, n % 3)
                                               for n in range(30)))
        window.start(log, *FIELDS)
        window.shows(r"▸ \x1b[2J\x1b]0;owned", "q quit")
        window.press("Enter")
        window.shows(r"\x1b[2J\x1b]0;owned\x07", "seen", "⏎ back")
        window.press("q")
        window.ended(where + "/e.bloomtime")


@in_tmux
def live_screen_is_suspended_and_continued():
    with tmux() as (window, where):
        log = write(where + "/access.log", web_log(*["a"] * 30))
        window.start(log)
        window.shows("▸ /a", "q quit")
        window.press("C-z")
        window.shows("shell>", without=["q quit"])
        window.type("fg")
        window.press("Enter")
        window.shows("▸ /a", "q quit", without=["shell>"])
        window.press("q")
        window.ended(where + "/access.bloomtime")


@in_tmux
def live_screen_without_colours_or_term():
    with tmux() as (window, where):
        log = write(where + "/access.log", web_log(*["a"] * 30))
        window.type("export NO_COLOR=1")
        window.press("Enter")
        window.start(log)
        window.shows("▸ /a", "q quit")
        assert "\x1b" not in window.call("capture-pane", "-p", "-e", "-t", "t")
        window.press("q")
        window.ended(where + "/access.bloomtime")
        window.type("clear; unset TERM")
        window.press("Enter")
        window.start(log, "--every", "1s", "--store", where + "/t")
        window.shows("/a", "heat (1 h)", without=["q quit"])
        assert window.call("display", "-p", "-t", "t", "#{alternate_on}").strip() == "0"
        window.press("C-c")
        window.ended(where + "/t")


@in_tmux
def live_screen_leaves_a_terminal_that_its_signals_found():
    for number in (signal.SIGTERM, signal.SIGHUP):
        with tmux() as (window, where):
            log, store = write(where + "/access.log", web_log(*["a"] * 30)), where + "/access.bloomtime"
            window.start(log)
            window.shows("▸ /a", "q quit")
            until(lambda: records_of(store) == 30, "no checkpoint")
            append(log, web_log(*["fresh"] * 10))
            window.shows("/fresh")
            os.kill(int(re.search(rb"\d+", read(store + "/lock"))[0]), number)
            window.ended(store)
            assert records_of(store) == 40, (number, records_of(store))
            ok("verify", store)
