# What a new user meets first: hints, tables that fit, a bar that goes away. Read by ./run.


@check
def the_progress_bar_is_gone_before_the_table():
    line = 'h - - [01/Jan/2014:00:00:00 +0000] "GET / HTTP/1.1" 200 1\n'.encode()
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    child = subprocess.Popen([COMMAND, "profile", "-", "--memory", "40kB"], stdin=subprocess.PIPE,
                             stdout=slave, stderr=slave, env=environment())
    os.close(slave)
    with child.stdin as pipe:
        for _ in range(3):  # the bar is drawn every 4096 lines, from 0.4 s on
            pipe.write(line * 5000)
            pipe.flush()
            time.sleep(0.5)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(master, 65536):
            shown += piece
    os.close(master)
    assert child.wait(timeout=120) == 0
    before, bar, after = shown.partition(b"\x1b[?7l")
    assert bar, shown
    last = after.rpartition(b"\x1b[?7h\x1b[K")[2]
    assert last.startswith(b"\r\x1b[K"), last[:80]
    assert b"standard input: 15,000 requests" in last, last


@check
def hints_about_stores_of_another_kind():
    with folder() as where:
        adds = write(where + "/s.tsv", b"+\tapples\n+\tpears\n")
        stock = where + "/stock"
        done("tally", adds, "--format", "tsv", "--op", "1", "--item", "2", "--store", stock)
        for command in (["heat", stock, "x"], ["seen", stock, "x", "--from", "1", "--to", "2"],
                        ["timeline", stock, "x"], ["profile", adds, "--store", stock]):
            refused(*command, says=f"{stock} holds a tally and no profile; ask it with bloomtime count {stock} ITEM")
        for command in (["count", where + "/missing"], ["count", where + "/missing", "x"], ["hot", where + "/missing"]):
            told = refused(*command, says=f"there is no store {where}/missing; bloomtime profile LOG").err
            assert "bloomtime tally FILE" in told, told
        refused("count", stock, says=f"count needs an item, or --batch with a file of them. Try bloomtime count {stock}")


@check
def a_store_that_was_never_saved_says_so():
    with folder() as where:
        store = where + "/s"
        child = subprocess.Popen([COMMAND, "profile", "-", "--store", store], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        while not os.path.exists(store + "/lock"):
            time.sleep(0.01)
        for interrupted in (False, True):
            if interrupted:
                child.send_signal(signal.SIGKILL)
                child.stdin.close()
                child.wait()
            assert os.listdir(store) == ["lock"]
            for command in (["hot", store], ["info", store], ["seen", store, "x", "--from", "1", "--to", "2"]):
                result = run(*command)
                assert result.status == 2 and f"{store} is a store that was never saved" in result.err, result.err
        done(*contract(write(where + "/e.tsv", tsv(events(20))), store))
        ok("hot", store)
        os.mkdir(where + "/empty")
        refused("hot", where + "/empty", says="is not a store: there is no manifest.json")


@check
def columns_that_were_taken_for_plain_lines():
    with folder() as where:
        table = write(where + "/s.csv", b"name,color\nfoo,red\nbar,blue\n")
        fails("profile", table, "--item", "color",
              says=f"{table} looks like plain lines; with --format csv it has the field color")
        fails("profile", table, "--item", "shape", says="If its lines have columns, give --format csv or tsv")
        times = write(where + "/t.csv", b"name,color,time\nfoo,red,2014-01-01T00:00:00Z\n")
        done("profile", times, "--item", "color", "--format", "csv", "--store", where + "/s", *SMALL)


@check
def answers_before_a_bad_line_are_printed():
    with folder() as where:
        store, _ = profiled(where, events(50))
        result = run("seen", store, "--batch", write(where + "/q", f"item1\t{START}\t{START + 99}\nbad\n".encode()))
        assert result.status == 2 and "line 2 is not a query" in result.err, result.err
        assert result.out == f"item1\t{START}\t{START + 99}\tmaybe\n", result.out
        result = run("heat", store, "--batch", write(where + "/q", b"item1\nnobody\na\tb\n"))
        assert result.status == 2 and "line 3 has several columns" in result.err, result.err
        assert [line.split("\t")[0] for line in result.lines()] == ["item1", "nobody"], result.out
        with open("/dev/full", "wb") as full:
            assert run("seen", store, "--batch", where + "/q", stdout=full).status == 2


@check
def tables_about_a_store_fit_a_terminal():
    with folder() as where:
        log = write(where + "/a.log", ok("generate", "--records", "2000").out.encode())
        done("profile", log)
        for columns in (80, 100, 120):
            shown = re.sub(r"\x1b\[\d*m", "", on_terminal("info", where + "/a.bloomtime", columns=columns))
            wide = [line for line in shown.splitlines()
                    if len(line) > columns and where not in line]
            assert not wide, (columns, wide)
            for fact in ("heat.path", "hot.host", "history.path", "ledger", "pairs", "prints", "held back"):
                assert fact in shown, (columns, fact, shown)
        document = json.loads(ok("info", where + "/a.bloomtime", "--json").out)
        assert len(document["containers"]) == 12 and len({tuple(row) for row in document["containers"]}) == 1


@check
def choices_of_plan_heat_differ_at_80_columns():
    for columns in (60, 80, 120):
        shown = on_terminal("plan", "heat", "--items", "1M", "--color", "never", columns=columns)
        heading = next(line for line in shown.splitlines() if "bits/cell" in line)
        end = heading.index("bits/cell") + len("bits/cell")
        rows = [line for line in shown.splitlines() if "_filter " in line and line[:2] in ("▸ ", "  ")]
        bits = [line[:end].split()[-1] for line in rows[:4]]
        assert bits == ["16", "32", "16", "4"], shown


@check
def a_profile_that_cannot_be_printed_says_that_it_was_saved():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(50))), where + "/s"
        with open("/dev/full", "wb") as full:
            result = run(*contract(log, store), stdout=full)
        assert result.status == 2, result.err
        last = result.err.splitlines()[-1]
        assert "cannot write to standard output" in last and f"the store {store} was saved" in last, last
        assert "was saved: bloomtime hot" in last, last
        assert json.loads(read(store + "/manifest.json"))["records"] == 50


@check
def what_cannot_be_seen_is_escaped_everywhere():
    hidden = {"csi\u009b31m": "csi\\xc2\\x9b31m", "abc\u202egpj": "abc\\xe2\\x80\\xaegpj",
              "zero\u200bwidth": "zero\\xe2\\x80\\x8bwidth", "soft\u00adhyphen": "soft\\xc2\\xadhyphen",
              "\u2066iso": "\\xe2\\x81\\xa6iso", "mark\ufeff": "mark\\xef\\xbb\\xbf", "line\u2028": "line\\xe2\\x80\\xa8",
              "tag\U000e0041": "tag\\xf3\\xa0\\x81\\x81"}
    seen_as_is = ["é", "日本", "e\u0301"]
    with folder() as where:
        rows = [*hidden, *seen_as_is]
        lines = "".join(json.dumps({"time": START + i, "id": item}) + "\n" for i, item in enumerate(rows))
        store = where + "/s"
        done("profile", write(where + "/e.ndjson", lines.encode()), "--item", "id", "--store", store, *SMALL)
        in_tsv = [row["item"] for row in rows_of(ok("hot", store, "-n", "20").out)]
        assert sorted(in_tsv) == sorted([*hidden.values(), *seen_as_is]), in_tsv
        table = ok("hot", store, "-n", "20", "--table").out
        for item, shown in hidden.items():
            assert shown in table and item not in table, (shown, table)
        document = json.loads(ok("hot", store, "-n", "20", "--json").out)
        assert sorted(row["item"] for row in document["items"]) == sorted(rows)
        # What is printed can be asked.
        answers = ok("heat", store, "--batch", write(where + "/q", "".join(f"{i}\n" for i in in_tsv).encode()))
        assert all(float(line.split("\t")[1]) > 0.9 for line in answers.lines()), answers.out


@check
def compressed_input_gets_128_mib_unless_more_is_allowed():
    if not shutil.which("zstd"):
        return
    with folder() as where:
        log = write(where + "/e.tsv", tsv(events(2000)))
        for bits, allowed in ((27, True), (28, False)):
            packed = f"{where}/{bits}.zst"
            with open(log, "rb") as lines:  # from a pipe, so that the window is not cut to the file
                subprocess.run(["zstd", "-q", f"--long={bits}", "-c"], stdin=lines, check=True,
                               stdout=open(packed, "wb"))
            command = ["profile", packed, "--format", "tsv", "--time", "1", "--item", "2", "--store"]
            if allowed:
                done(*command, where + "/a", *SMALL)
                continue
            fails(*command, where + "/b", *SMALL, says="needs more than 128 MiB of memory")
            done(*command, where + "/c", *SMALL, "--unpack-memory", "256MiB")
            done("dedupe", packed, "--format", "tsv", "--item", "2", "--last", "10", "--unpack-memory", "1GiB")



@check
def hints_about_files_in_place_of_stores():
    with folder() as where:
        log = write(where + "/access.log", b'h - - [01/Jan/2014:00:00:00 +0000] "GET / HTTP/1.1" 200 1\n' * 3)
        bloom = where + "/seen.bloom"
        done(*PLAN, "--measure", "--save", bloom)
        refused("serve", log, says=f"bloomtime serve --follow {log} reads a log")
        for file in (log, bloom):
            refused("report", file, says=f"{file}: ")
            refused("report", file, says="report needs a store of bloomtime profile or a state of")
