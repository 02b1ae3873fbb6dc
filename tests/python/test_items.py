import pathlib

import bloomtime
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sanity_bytes(length):
    """The input of xxHash's sanity check, as in tests/unit/digest_test.cpp."""
    prime32, prime64, mask = 2654435761, 11400714785074694797, 2**64 - 1
    out, generator = bytearray(), prime32
    for _ in range(length):
        out.append(generator >> 56)
        generator = generator * prime64 & mask
    return bytes(out)


def golden():
    for line in (ROOT / "tests/unit/golden_digests.txt").read_text().splitlines():
        if not line.startswith("#"):
            number, seed, length, low, high = (int(word, 0) for word in line.split())
            if number == 2:
                yield seed, length, high << 64 | low


def test_bytes_have_the_golden_digests_of_the_library():
    checked = 0
    for seed, length, digest in golden():
        item = sanity_bytes(length)
        assert bloomtime.digest(item, seed) == digest
        assert bloomtime.digest(bytearray(item), seed) == digest
        assert bloomtime.digest(memoryview(item), seed) == digest
        assert bloomtime.Bloom(items=10, error=0.1, seed=seed).digest(item) == digest
        checked += 1
    assert checked == 4 * 81


@given(st.text())
def test_a_str_is_its_utf8(text):
    try:
        data = text.encode()
    except UnicodeEncodeError:
        with pytest.raises(ValueError, match="lone surrogates"):
            bloomtime.digest(text)
    else:
        assert bloomtime.digest(text) == bloomtime.digest(data)


@given(st.integers(-2**63, 2**64 - 1))
def test_an_int_is_its_64_bits_and_not_its_digits(number):
    assert bloomtime.digest(number) == bloomtime.digest(number % 2**64)
    assert bloomtime.digest(number) != bloomtime.digest(str(number))


def test_numbers_of_numpy_are_ints():
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        assert bloomtime.digest(kind(7)) == bloomtime.digest(7)
    assert bloomtime.digest(np.str_("x")) == bloomtime.digest("x")
    assert bloomtime.digest(np.bytes_(b"x")) == bloomtime.digest(b"x")


@pytest.mark.parametrize("item", [None, 1.5, float("nan"), True, np.bool_(True), np.float32(1),
                                  np.float64(1), (1,), ["a"], {}, object(), 1j,
                                  np.datetime64("2020-01-01"), np.zeros((2, 2), np.uint8),
                                  np.array(["x"], object), np.zeros(1, "i4,O")])
def test_other_types_are_refused(item):
    with pytest.raises(TypeError, match="item must be a str, bytes or an int; got .*"):
        bloomtime.digest(item)


@pytest.mark.parametrize("item", [2**64, -2**63 - 1, 10**100])
def test_integers_beyond_64_bits_are_refused(item):
    with pytest.raises(ValueError, match="from -2\\*\\*63 to 2\\*\\*64 - 1; got"):
        bloomtime.digest(item)


def test_a_buffer_with_gaps_is_refused():
    with pytest.raises(ValueError, match="contiguous"):
        bloomtime.digest(memoryview(b"abcdef")[::2])


@pytest.mark.parametrize("make", [
    lambda: bloomtime.Bloom(items=10, error=0.1), lambda: bloomtime.Heat(half_life=60),
    lambda: bloomtime.HotList(half_life=60), lambda: bloomtime.History(),
    lambda: bloomtime.Recency(window=60), lambda: bloomtime.Tally()])
def test_a_refused_item_changes_nothing(make):
    one = make()
    one.add("x")
    before = one.to_bytes()
    for item in (None, 1.5, 2**64, "\ud800", object()):
        with pytest.raises((TypeError, ValueError)):
            one.add(item)
        with pytest.raises((TypeError, ValueError)):
            one.add_many(["fine", item])
    assert one.to_bytes() == before


class Evil:
    """An item that changes the list that it is in."""

    def __init__(self, items):
        self.items = items

    def __index__(self):
        self.items.clear()
        return 7


def test_an_item_may_change_its_list():
    items = []
    items += [Evil(items), "a" * 1000, "b" * 1000]
    tally = bloomtime.Tally()
    with pytest.raises(ValueError, match="items became shorter"):
        tally.add_many(items)
    assert tally.total == 0
