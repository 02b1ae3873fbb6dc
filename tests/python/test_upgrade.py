"""Pickles that an earlier version wrote load, answer as they did, and go on.

golden.pickle was written by the package of 0.1.0. To make one for a new encoding, beside the old one:
    PYTHONPATH=... python3 tests/python/test_upgrade.py FILE
"""
import pathlib
import pickle
import sys

import bloomtime

GOLDEN = pathlib.Path(__file__).resolve().with_name("golden.pickle")
NOON = 1_400_068_800


def made():
    filters = {"bloom": bloomtime.Bloom(items=100, error=0.01), "heat": bloomtime.Heat(half_life="10m"),
               "hits": bloomtime.Heat(window="10m"), "list": bloomtime.HotList(half_life="10m"),
               "history": bloomtime.History(), "recency": bloomtime.Recency(window="10m"),
               "tally": bloomtime.Tally()}
    for name, one in filters.items():
        timed = {} if name in ("bloom", "tally") else {"at": [NOON + n for n in range(50)]}
        one.add_many([f"item {n % 9}" for n in range(50)], **timed)
    return filters


def answers(filters):
    now = NOON + 50
    return {"bloom": ["item 3" in filters["bloom"], "other" in filters["bloom"]],
            "heat": [filters["heat"].at("item 3", at=now).upper, filters["heat"].top(1, at=now)[0].item],
            "hits": filters["hits"].at("item 3", at=now).upper,
            "list": filters["list"].top(1, at=now)[0].item,
            "history": [filters["history"].seen("item 3", NOON + n, NOON + n) for n in range(20)],
            "recency": [filters["recency"].seen(f"item {n}", at=now) for n in range(12)],
            "tally": [int(filters["tally"][f"item {n}"]) for n in range(12)]}


def test_a_pickle_of_an_earlier_version_loads_and_goes_on():
    told = pickle.loads(GOLDEN.read_bytes())
    filters = told["filters"]
    assert answers(filters) == told["answers"] and len(filters) == 7
    assert told["answers"]["tally"][3] == 6 and told["answers"]["history"][3:5] == [True, False]
    for name, one in filters.items():
        assert one.to_bytes() == told["bytes"][name], name
        timed = {} if name in ("bloom", "tally") else {"at": NOON + 60}
        one.add_many(["item 3", "another"], **timed)
        assert pickle.loads(pickle.dumps(one)).to_bytes() == one.to_bytes()
    assert filters["tally"]["item 3"] == 7 and "another" in filters["bloom"]
    assert filters["recency"].seen("another", at=NOON + 60)
    assert filters["hits"].at("item 3", at=NOON + 60).upper >= 7


if __name__ == "__main__":
    all_made = made()
    pathlib.Path(sys.argv[1]).write_bytes(pickle.dumps(
        {"filters": all_made, "answers": answers(all_made),
         "bytes": {name: one.to_bytes() for name, one in all_made.items()}}, protocol=4))
