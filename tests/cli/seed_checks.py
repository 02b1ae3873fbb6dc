# --seed of stores. Read by ./run, with what profile_checks.py has at hand.


def seeds_in(store):
    """Of all filters of a store."""
    parts = [os.path.join(store, name) for name in os.listdir(store) if name.startswith("part-")]
    rows = [rows_of(ok("info", part).out)[0] for part in parts if run("info", part).status == 0]
    return {row["seed"] for row in rows if row.get("seed")}


@check
def stores_have_the_same_seed_unless_another_is_asked_for():
    lines = b"".join(b"%d\titem%d\n" % (START + i, i % 50) for i in range(2000))
    with folder() as where:
        log = write(os.path.join(where, "log.tsv"), lines)
        profile = ["profile", log, "--format", "tsv", "--time", "1", "--item", "2", "--store"]
        tally = ["tally", log, "--format", "tsv", "--item", "2", "--store"]
        for command, question in ((profile, "heat"), (tally, "count")):
            stores = [os.path.join(where, question + name) for name in "abcde"]
            chosen = ([], [], ["--seed", "5"], ["--seed", "random"], ["--seed", "random"])
            for store, seed in zip(stores, chosen):
                assert run(*command, store, *seed, "--memory", "20KB").status == 0
            seeds = [seeds_in(store) for store in stores]
            assert seeds[:3] == [{"0"}, {"0"}, {"5"}], seeds
            assert all(len(s) == 1 for s in seeds) and len(set.union(*seeds[2:])) == 3, seeds
            answers = [rows_of(ok(question, store, "item7", "none").out) for store in stores]
            assert all([row["item"] for row in a] == ["item7", "none"] for a in answers)
            # Continued, they keep their own.
            for store, seed in ((stores[2], []), (stores[2], ["--seed", "5"]),
                                (stores[2], ["--seed", "random"]), (stores[3], [])):
                before = seeds_in(store)
                assert run(*command, store, *seed).status == 0
                assert seeds_in(store) == before
            for store, kept in ((stores[0], 0), (stores[2], 5)):
                result = run(*command, store, "--seed", "6")
                assert result.status == 2 and f"the seed {kept}; got 6" in result.err, result.err
            refused(*command, os.path.join(where, "new"), "--seed", "1.5", says="--seed")
            assert not os.path.exists(os.path.join(where, "new"))


@check
def saving_to_a_descriptor_writes_to_it():
    """/dev/stdout is a link to a descriptor: as root, to replace it would break every program."""
    with folder() as where:
        link = os.path.join(where, "stdout")
        os.symlink("/proc/self/fd/1", link)
        done = subprocess.run([COMMAND, *PLAN, "--measure", "--save", link], env=environment(),
                              capture_output=True, check=False)
        assert done.returncode == 0 and b"\x89BLMT\r\n\x1a" in done.stdout, done
        assert os.readlink(link) == "/proc/self/fd/1"
        out = os.path.join(where, "out")
        with open(out, "wb") as file:
            file.write(b"before\n")
            file.flush()
            assert run(*PLAN, "--measure", "--save", link, stdout=file).status == 0
        assert read(out).startswith(b"before\n") and b"\x89BLMT\r\n\x1a" in read(out)
        assert sorted(os.listdir(where)) == ["out", "stdout"]
