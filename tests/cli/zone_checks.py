# Questions in the local time of the log. Read by ./run, with what profile_checks.py has at hand.
import datetime


def stamped(offset, *when):
    """A time that was written with this offset, in minutes east of UTC."""
    zone = datetime.timezone(datetime.timedelta(minutes=offset))
    return datetime.datetime(*when, tzinfo=zone)


def logged(some):
    """Lines of a common log."""
    return "".join(f'h - - [{t.strftime("%d/%b/%Y:%H:%M:%S %z")}] "GET {path} HTTP/1.1" 200 1\n'
                   for t, path in some).encode()


def log_store(where, data, *more):
    store = where + "/s"
    shutil.rmtree(store, ignore_errors=True)
    done("profile", write(where + "/a.log", data), "--item", "path", "--store", store, *SMALL, *more)
    return store


def a_year_in_berlin():
    """Every six hours, and every minute around both changes: +0100, +0200, +0100."""
    spring = stamped(0, 2018, 3, 25, 1)
    autumn = stamped(0, 2018, 10, 28, 1)
    times = {stamped(0, 2018, 1, 1) + datetime.timedelta(hours=6 * i) for i in range(4 * 365)}
    times |= {t + datetime.timedelta(minutes=i) for t in (spring, autumn) for i in range(-180, 180)}
    times.add(stamped(120, 2018, 8, 6, 0, 18, 11))
    local = lambda t: t.astimezone(datetime.timezone(datetime.timedelta(hours=1 + (spring <= t < autumn))))
    return [(local(t), f"/{i}") for i, t in enumerate(sorted(times))]


def local_text(t, form="%Y-%m-%dT%H:%M:%S"):
    return t.strftime(form)


def once(store, item, begin, end):
    result = run("seen", store, item, "--from", begin, "--to", end)
    assert result.status in (0, 1), result.err
    return {0: "maybe", 1: "no"}[result.status], result.err


@check
def the_local_time_of_the_log_is_never_answered_no():
    year = a_year_in_berlin()
    with folder() as where:
        store = log_store(where, logged(year))
        for form in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d/%b/%Y:%H:%M:%S", "%d/%b/%Y:%H:%M",
                     "%Y-%m-%d", "%d/%b/%Y", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M%z"):
            questions = [(path, local_text(t, form), local_text(t, form)) for t, path in year]
            path = write(where + "/q", "".join("\t".join(q) + "\n" for q in questions).encode())
            answers = done("seen", store, "--batch", path)
            missed = [line for line in answers.lines() if not line.endswith("\tmaybe")]
            assert not missed, (form, missed[:3])
            # Only the hour that comes twice, and the days around it, can mean two moments.
            widened = int((re.match(r"(\d+) queries have", answers.err) or [0, "0"])[1])
            assert widened == (0 if "%z" in form else 120 if "%H" in form else 0), (form, answers.err)


@check
def other_local_times_are_answered_no():
    year = a_year_in_berlin()
    with folder() as where:
        store = log_store(where, logged(year))
        questions = []
        for t, path in year:
            for hours in (-3, -2, -1, 1, 2, 3):
                other = t.replace(tzinfo=None) + datetime.timedelta(hours=hours)
                questions.append((path, local_text(other), local_text(other)))
        answers = done("seen", store, "--batch",
                       write(where + "/q", "".join("\t".join(q) + "\n" for q in questions).encode()))
        wrong = [line for line in answers.lines() if not line.endswith("\tno")]
        # The hour that comes twice means both of them, the hour that does not exist one of two.
        assert all(re.search("\t2018-(10-28|03-25)T02", line) for line in wrong), wrong[:3]
        assert len(wrong) <= 360, len(wrong)


@check
def the_question_of_a_summer_night():
    with folder() as where:
        store = log_store(where, logged(a_year_in_berlin()))
        item = next(path for t, path in a_year_in_berlin() if t.second == 11)
        exact = str(int(stamped(120, 2018, 8, 6, 0, 18, 11).timestamp()))
        for begin, end in (("2018-08-06T00:18", "2018-08-06T00:19"), ("2018-08-06T00:18", "2018-08-06T00:18"),
                           ("2018-08-06", "2018-08-06"), ("06/Aug/2018", "06/Aug/2018"),
                           ("2018-08-06T00:18+02:00", "2018-08-06T00:19+02:00"),
                           ("2018-08-05T22:18Z", "2018-08-05T22:19Z"), ("2018-08-05Z", "2018-08-05Z"),
                           ("2018-08-06T00:18", exact), (exact, "2018-08-06 00:18:11"),
                           ("06/Aug/2018:00:18:11 +0200", "06/Aug/2018:00:18:11"), (exact, exact)):
            assert once(store, item, begin, end) == ("maybe", ""), (begin, end)
        for begin, end in (("2018-08-06T00:19", "2018-08-07"), ("2018-08-05", "2018-08-05"),
                           ("2018-08-06T00:18+01:00", "2018-08-06T00:19+01:00"), ("2018-08-06Z", "2018-08-09Z"),
                           ("2018-08-06T00:18Z", "2018-08-06T00:18Z"), ("2018-08-06T00:17", "2018-08-06T00:17")):
            assert once(store, item, begin, end) == ("no", ""), (begin, end)
        refused("seen", store, item, "--from", "2018-08-06T00:19", "--to", "2018-08-06T00:17",
                says="must not be after --to")
        refused("seen", store, item, "--from", "2018-08-06T00:19+25:00", "--to", "2018-08-07",
                says="--from must be a time such as")


@check
def times_are_printed_with_the_offset_they_had():
    year = a_year_in_berlin()
    item, t = next((path, t) for t, path in year if t.second == 11)
    with folder() as where:
        store = log_store(where, logged(year))
        shown = ok("timeline", store, item, "--table").out
        assert f"{item}   seen 2018-08-06 00:18:11 .. 00:18:11 +0200" in shown, shown
        assert "2018-01-01 01:00:00 +0100 .. 2018-12-31 19:00:00 +0100" in shown or "+0100" in shown, shown
        assert shown.count("2018-08-06 00:18:11 +0200") == 2, shown
        sentence = run("seen", store, item, "--table", "--from", "2018-01-01", "--to", "2018-07-01").out
        assert "in 2018-01-01 00:00:00 +0100 .. 2018-07-01 23:59:59 +0200" in sentence, sentence
        ambiguous = run("seen", store, item, "--from", "2018-10-28T02:10", "--to", "2018-10-28T02:20")
        assert ambiguous.status == 1 and "several UTC offsets" in ambiguous.err, ambiguous.err
        row, = rows_of(ambiguous.out)
        span = [int(row[end]) // 10**6 for end in ("from", "to")]
        assert span == [int(stamped(120, 2018, 10, 28, 2, 10).timestamp()),
                        int(stamped(60, 2018, 10, 28, 2, 20, 59).timestamp())], row
        lines = "2018-10-28T02:10", "2018-10-28T02:20"
        assert "several UTC offsets" in run("timeline", store, item, "--from", lines[0], "--to", lines[1]).err


@check
def logs_of_several_places_are_asked_in_the_time_of_each():
    draw = random.Random(8)
    now, made = stamped(0, 2020, 1, 1), []
    for i in range(2000):
        now += datetime.timedelta(seconds=draw.randrange(300))
        zone = datetime.timezone(datetime.timedelta(minutes=draw.choice((-480, 0, 330, 840))))
        made.append((now.astimezone(zone), f"/{i}"))
    with folder() as where:
        store = log_store(where, logged(made))
        local = write(where + "/q", "".join(f"{path}\t{local_text(t)}\t{local_text(t)}\n"
                                            for t, path in made).encode())
        answers = done("seen", store, "--batch", local)
        assert all(line.endswith("\tmaybe") for line in answers.lines())
        assert "queries have a local time that fits several UTC offsets" in answers.err, answers.err
        zoned = write(where + "/z", "".join(f"{path}\t{t.isoformat()}\t{t.isoformat()}\n"
                                            for t, path in made).encode())
        assert all(line.endswith("\tmaybe") for line in ok("seen", store, "--batch", zoned).lines())
        later = write(where + "/l", "".join(
            f"{path}\t{(t + datetime.timedelta(seconds=1)).isoformat()}\t2031-01-01Z\n"
            for t, path in made).encode())
        assert all(line.endswith("\tno") for line in ok("seen", store, "--batch", later).lines())


@check
def logs_without_offsets_are_asked_in_utc():
    times = [f"2019-03-31T0{i}:30:00" for i in range(1, 9)]
    with folder() as where:
        for written in ("{}", "{}Z", "{}+00:00"):
            lines = "".join(f'{{"id":"{i}","time":"{written.format(t)}"}}\n' for i, t in enumerate(times))
            store = where + "/s"
            shutil.rmtree(store, ignore_errors=True)
            done("profile", write(where + "/e.ndjson", lines.encode()), "--item", "id", "--store", store,
                 *SMALL)
            for i, t in enumerate(times):
                for asked_as in (t, t + "Z", t[:-3], t[:-3] + "Z", "2019-03-31"):
                    assert once(store, str(i), asked_as, asked_as) == ("maybe", ""), (written, asked_as)
                assert once(store, str(i), t[:-3] + "+01:00", t[:-3] + "+01:00") == ("no", "")
        mixed = '{"id":"a","time":"2019-03-31T00:30:00Z"}\n{"id":"b","time":"2019-03-31T03:30:00+02:00"}\n'
        shutil.rmtree(store)
        done("profile", write(where + "/e.ndjson", mixed.encode()), "--item", "id", "--store", store, *SMALL)
        assert once(store, "a", "2019-03-31T00:30", "2019-03-31T00:30") == ("maybe", "")
        assert once(store, "b", "2019-03-31T03:30", "2019-03-31T03:30") == ("maybe", "")


@check
def stores_of_older_versions_are_ambiguous_and_never_wrong():
    old = os.path.join(os.path.dirname(os.path.abspath(__file__)), "old_store")
    with folder() as where:
        store = where + "/s"
        shutil.copytree(old, store)
        assert "offsets" not in json.loads(read(store + "/manifest.json"))
        answer, told = once(store, "/summer", "2018-08-06T00:18", "2018-08-06T00:18")
        assert answer == "maybe" and "an unknown one" in told, told
        assert once(store, "/summer", "2018-08-06T00:18+02:00", "2018-08-06T00:18+02:00") == ("maybe", "")
        assert once(store, "/summer", "2018-08-06T00:18+01:00", "2018-08-06T00:18+01:00") == ("no", "")
        assert once(store, "/summer", "2018-08-12", "2018-08-13")[0] == "no"
        # Continued, what is new is known exactly and what is old stays ambiguous.
        more = [(stamped(60, 2019, 1, 1, 0, i), "/winter") for i in range(5)]
        done("profile", write(where + "/b.log", logged(more)), "--store", store)
        assert once(store, "/winter", "2019-01-01T00:04", "2019-01-01T00:04") == ("maybe", "")
        assert once(store, "/winter", "2019-01-01T01:00", "2019-01-01T01:04") == ("no", "")
        assert once(store, "/summer", "2018-08-06T00:18", "2018-08-06T00:18")[0] == "maybe"


@check
def two_halves_know_the_offsets_of_the_whole():
    year = a_year_in_berlin()
    with folder() as where:
        whole = json.loads(read(log_store(where, logged(year)) + "/manifest.json"))["offsets"]["spans"]
        assert len(whole) == 3 and [s["west"] for s in whole] == [3600, 3600, 7200], whole
        for cut in (1, 700, 1500):
            store = log_store(where, logged(year[:cut]))
            done("profile", write(where + "/b.log", logged(year[cut:])), "--store", store)
            assert json.loads(read(store + "/manifest.json"))["offsets"]["spans"] == whole, cut
