# Files that dedupe follows. Read by ./run, with what dedupe_checks.py has at hand.


@check
def dedupe_follows_a_file_across_rotation():
    with folder() as where:
        log = write(os.path.join(where, "log"), b"a\nb\n")
        with deduping("dedupe", "--follow", log, "--last", "100", stdin=None) as child:
            assert [child.stdout.readline() for _ in range(2)] == [b"a\n", b"b\n"]
            with open(log, "ab") as old:
                old.write(b"a\nc\n")
                old.flush()
                assert child.stdout.readline() == b"c\n"
                os.rename(log, log + ".1")
                old.write(b"late\n")
                old.flush()
                assert child.stdout.readline() == b"late\n"
            write(log, b"b\nd\n")
            assert child.stdout.readline() == b"d\n"
            write(log, b"e\n")  # cut off and begun again
            assert child.stdout.readline() == b"e\n"
            with open(log, "ab") as old:
                old.write(b"unended")
            write(log + ".2", b"e\nf\n")
            os.rename(log + ".2", log)  # its first line does not go on with that of another file
            assert [child.stdout.readline() for _ in range(2)] == [b"unended\n", b"f\n"]
            child.send_signal(signal.SIGINT)
            assert child.wait(timeout=60) == -signal.SIGINT


@check
def dedupe_follows_a_file_that_was_empty_but_for_its_mark():
    for first in (b"\xef\xbb\xbf", b""):
        with folder() as where:
            log = write(os.path.join(where, "log"), first)
            with deduping("dedupe", "--follow", log, "--last", "9", stdin=None) as child:
                time.sleep(0.5)  # it reads the first file before that is replaced
                write(log + ".2", b"a\na\nb\n")
                os.rename(log + ".2", log)
                assert [child.stdout.readline() for _ in range(2)] == [b"a\n", b"b\n"]
                child.send_signal(signal.SIGINT)
                assert child.wait(timeout=60) == -signal.SIGINT


@check
def dedupe_finds_the_header_of_every_file_it_follows():
    with folder() as where:
        log = write(os.path.join(where, "log.csv"), b"time,id\n%d,a\n" % START)
        with deduping("dedupe", "--follow", log, "--window", "1h", "--item", "id", "--json",
                      "--strict", stdin=None) as child:
            assert child.stdout.readline() == b"time,id\n"
            assert child.stdout.readline().endswith(b",a\n")
            write(log + ".1", b"time,id\n%d,a\n%d,b\n" % (START + 1, START + 2))
            os.rename(log + ".1", log)
            assert child.stdout.readline().endswith(b",b\n")  # the same header is left out
            # Other columns, named by another header: the key is still found by its name.
            for number, header in ((3, b"id,more,time"), (4, b"more,id,time")):
                row = {b"id": b"%d", b"more": b"x", b"time": b"%d" % (START + number)}
                line = b",".join(row[name] for name in header.split(b",")) + b"\n"
                write(log + ".1", header + b"\n" + line % number + line % number)
                os.rename(log + ".1", log)
                assert [child.stdout.readline() for _ in range(2)] == [header + b"\n", line % number]
            # And data may come without any.
            write(log + ".1", b"x,5,%d\n" % (START + 5))
            os.rename(log + ".1", log)
            assert child.stdout.readline() == b"x,5,%d\n" % (START + 5)
            child.send_signal(signal.SIGTERM)
            summary = told(child.communicate()[1].decode())
            assert (summary["unjudged"], summary["repeated_headers"]) == (3, 1), summary
            assert (summary["passed"], summary["dropped"]) == (8, 3), summary
