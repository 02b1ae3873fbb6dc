"""Bulk calls do what single calls do, whatever holds the items."""
import array
import ctypes

import bloomtime
import numpy as np
import pytest
from arrivals import START
from hypothesis import given
from hypothesis import strategies as st

pandas = pytest.importorskip("pandas")

WORDS = ["", "a", "a", "\u00e9t\u00e9", "\U0001f600", "x" * 100, "b\0c", "7"]
NUMBERS = [0, 1, 1, -1, 127, -128]

FORMS = [
    *[(f"numbers {kind}", lambda kind=kind: (np.array([0, 1, 1, 5], kind), [0, 1, 1, 5]))
      for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i8", ">u2", "<i4")],
    ("negative", lambda: (np.array(NUMBERS, "i2"), NUMBERS)),
    ("every third", lambda: (np.arange(30)[::3], list(range(0, 30, 3)))),
    ("backwards", lambda: (np.arange(30)[::-1], list(range(29, -1, -1)))),
    ("a column", lambda: (np.arange(30).reshape(10, 3)[:, 1], list(range(1, 30, 3)))),
    ("unaligned", lambda: (np.zeros(10, "u1,i8")["f1"] + np.arange(10), list(range(10)))),
    ("really unaligned", lambda: (np.ones(4, np.dtype("u1,i8"))["f1"], [1] * 4)),
    ("wide text", lambda: (np.array(WORDS), WORDS)),
    ("wide text backwards", lambda: (np.array(WORDS)[::-1], WORDS[::-1])),
    ("other byte order", lambda: (np.array(WORDS).astype(">U100"), WORDS)),
    ("bytes", lambda: (np.array([w.encode() for w in WORDS]), [w.encode() for w in WORDS])),
    ("objects", lambda: (np.array([*WORDS, 5, b"z"], object), [*WORDS, 5, b"z"])),
    ("a list", lambda: ([*WORDS, 5, b"z"], [*WORDS, 5, b"z"])),
    ("a tuple", lambda: (tuple(WORDS), WORDS)),
    ("a generator", lambda: ((w for w in WORDS), WORDS)),
    ("a dict", lambda: (dict.fromkeys(WORDS), list(dict.fromkeys(WORDS)))),
    ("an array", lambda: (array.array("q", NUMBERS), NUMBERS)),
    ("a memoryview", lambda: (memoryview(array.array("i", NUMBERS)), NUMBERS)),
    ("a series of numbers", lambda: (pandas.Series(NUMBERS), NUMBERS)),
    ("a series of text", lambda: (pandas.Series(WORDS), WORDS)),
    ("a series of strings", lambda: (pandas.Series(WORDS, dtype="string"), WORDS)),
    ("categories", lambda: (pandas.Series(WORDS, dtype="category"), WORDS)),
    ("an index", lambda: (pandas.Index(WORDS), WORDS)),
    ("nothing", lambda: ([], [])),
    ("no numbers", lambda: (np.array([], "i8"), [])),
]


@pytest.mark.parametrize("form", [make for _, make in FORMS], ids=[name for name, _ in FORMS])
def test_every_form_gives_the_same_as_single_calls(form):
    many, bulk = bloomtime.Tally(), bloomtime.Tally()
    items, singles = form()
    for item in singles:
        many.add(item)
    assert bulk.add_many(items) == len(singles)
    assert bulk.to_bytes() == many.to_bytes()
    items, _ = form()
    counts = bulk.query_many(items)
    assert counts.dtype == np.uint64 and counts.tolist() == [int(many[i]) for i in singles]
    bloom, blooms = (bloomtime.Bloom(items=100, error=0.01) for _ in range(2))
    bloom.add_many(form()[0])
    for item in singles:
        blooms.add(item)
    assert bloom.to_bytes() == blooms.to_bytes()
    assert bloom.query_many(form()[0]).all()
    heat, heats = (bloomtime.Heat(half_life=60) for _ in range(2))
    assert heat.add_many(form()[0], at=START) == len(singles)
    for item in singles:
        heats.add(item, START)
    assert heat.top(50, START) == heats.top(50, START)
    assert heat.query_many(form()[0], START).tolist() == [heats.at(i, START) for i in singles]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 900)), max_size=60))
def test_bulk_with_times_is_in_order(events):
    items = np.array([item for item, _ in events], np.int64)
    times = np.array([START + at for _, at in events], np.float64)
    makes = {
        "recency": lambda: bloomtime.Recency(window=300),
        "filter": lambda: bloomtime.Recency(window=300, items=100, error=0.01,
                                            engine="recency_filter"),
        "slices": lambda: bloomtime.Recency(window=300, items=100, error=0.01,
                                            engine="age_partitioned_filter")}
    for make in makes.values():
        one, other = make(), make()
        expected = [one.add(int(item), float(at)) for item, at in zip(items, times)]
        assert other.fresh(items, at=times).tolist() == expected
        assert other.to_bytes() == one.to_bytes()
        assert other.query_many(items, at=times).tolist() == \
            [one.seen(int(item), float(at)) for item, at in zip(items, times)]
        assert other.query_many(items, at=START).tolist() == \
            [one.seen(int(item), START) for item in items]
    heats = [bloomtime.Heat(half_life=60) for _ in range(2)]
    for item, at in zip(items, times):
        heats[0].add(int(item), float(at))
    heats[1].add_many(items, at=times)
    assert heats[0].to_bytes() == heats[1].to_bytes()
    records = heats[1].query_many(items, START + 900, bounds=True)
    for item, record in zip(items, records):
        answer = heats[0].at(int(item), START + 900)
        assert (answer.value, answer.lower, answer.upper) == record.tolist()


def test_rows_of_a_frame():
    frame = pandas.DataFrame({"user_id": [1, 2, 1, 3, 2, 1],
                              "time": pandas.to_datetime([0, 10, 20, 30, 400, 500], unit="s")})
    recency = bloomtime.Recency(window="1m")
    assert frame[recency.fresh(frame.user_id, at=frame.time)].index.tolist() == [0, 1, 3, 4, 5]


@pytest.mark.parametrize("items, problem", [
    ("text", "single item"), (b"bytes", "single item"), (bytearray(b"bytes"), "single item"), (5, "list or an array"),
    (None, "list or an array"), (np.zeros((2, 2), int), "one dimension; got 2"),
    (np.array(5), "one dimension; got 0"), (np.zeros(3), "float64"),
    (np.array([True, False]), "bool"), (np.array([1j]), "complex"),
    (np.array(["2020"], "M8[s]"), "datetime64"), (np.zeros(2, "i4,i4"), "array of"),
    (np.ma.masked_array([1, 2], [True, False]), "masked"),
    ([1, None], "items\\[1\\] must be a str, bytes or an int; got None"),
    (["a", 1.5], "items\\[1\\]"), ([2**64], "items\\[0\\]"), (["\ud800"], "surrogates"),
    (np.array(["a", "\ud800"]), "items\\[1\\] has the code point 0xd800"),
    (pandas.Series(["a", None]), "items\\[1\\]"), (pandas.Series([1.5]), "float64")])
def test_wrong_items_change_nothing(items, problem):
    for one in (bloomtime.Tally(), bloomtime.Bloom(items=10, error=0.1), bloomtime.History(),
                bloomtime.Recency(last=5), bloomtime.Heat(half_life=1)):
        before = one.to_bytes()
        with pytest.raises((TypeError, ValueError), match=problem):
            one.add_many(items)
        with pytest.raises((TypeError, ValueError), match=problem):
            one.query_many(items)
        assert one.to_bytes() == before


# -- Arrow ---------------------------------------------------------------------------------------

class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p),
                ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p),
                ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
                ("private_data", ctypes.c_void_p)]


class Array(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("null_count", ctypes.c_int64),
                ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
                ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
                ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p),
                ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]


class Arrow:
    """What pyarrow.Array exports, made by hand: pyarrow is not in Debian."""

    def __init__(self, kind, length, *buffers, offset=0, nulls=0, dictionary=None):
        self.kept = [np.ascontiguousarray(b) if b is not None else None for b in buffers]
        pointers = (ctypes.c_void_p * len(buffers))(
            *[b.ctypes.data if b is not None else None for b in self.kept])
        words = ctypes.addressof(dictionary.schema) if dictionary else None
        self.schema = Schema(format=kind, dictionary=words)
        self.array = Array(length=length, null_count=nulls, offset=offset,
                           n_buffers=len(buffers), buffers=pointers)

    def __arrow_c_array__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                       ctypes.c_void_p]
        return (new(ctypes.addressof(self.schema), b"arrow_schema", None),
                new(ctypes.addressof(self.array), b"arrow_array", None))


def strings(kind, words, offset=0):
    data = [w if isinstance(w, bytes) else w.encode() for w in words]
    wide = kind in (b"U", b"Z")
    ends = np.cumsum([0] + [len(d) for d in data], dtype=np.int64 if wide else np.int32)
    text = np.frombuffer(b"".join(data) or b"\0", np.uint8)
    return Arrow(kind, len(words) - offset, None, ends, text, offset=offset)


@pytest.mark.parametrize("make, singles", [
    (lambda: Arrow(b"l", 3, None, np.array([5, -1, 5])), [5, -1, 5]),
    (lambda: Arrow(b"C", 2, None, np.array([1, 255, 7], "u1"), offset=1), [255, 7]),
    (lambda: Arrow(b"s", 2, None, np.array([1, -2], "i2")), [1, -2]),
    (lambda: Arrow(b"I", 2, None, np.array([1, 2**32 - 1], "u4")), [1, 2**32 - 1]),
    (lambda: strings(b"u", WORDS), WORDS), (lambda: strings(b"U", WORDS, 2), WORDS[2:]),
    (lambda: strings(b"z", [b"\xff", b""]), [b"\xff", b""]),
    (lambda: Arrow(b"l", 2, np.array([3], "u1"), np.array([8, 9]), nulls=-1), [8, 9])])
def test_arrow_arrays(make, singles):
    bulk, one = bloomtime.Tally(), bloomtime.Tally()
    assert bulk.add_many(make()) == len(singles)
    for item in singles:
        one.add(item)
    assert bulk.to_bytes() == one.to_bytes()


@pytest.mark.parametrize("make, problem", [
    (lambda: Arrow(b"g", 1, None, np.array([1.5])), "Arrow array of the format"),
    (lambda: Arrow(b"i", 2, None, np.array([0, 1], "i4"), dictionary=Arrow(b"u", 0)),
     "dictionary-encoded"),
    (lambda: Arrow(b"l", 2, np.array([1], "u1"), np.array([8, 9]), nulls=1), "items\\[1\\] is null")])
def test_wrong_arrow_arrays(make, problem):
    with pytest.raises((TypeError, ValueError), match=problem):
        bloomtime.Tally().add_many(make())
