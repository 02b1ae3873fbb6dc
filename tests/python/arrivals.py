"""Streams that arrive as streams do not promise to: late, ahead of time, in bursts, repeated."""
from hypothesis import strategies as st

START = 1_400_000_000  # seconds since 1970

ITEMS = st.one_of(st.sampled_from(["a", "b", "", "\u00e9", "\U0001f600", b"\xff", b"a\0", 0, -1,
                                   2**63, 2**64 - 1]),
                  st.text(max_size=3).filter(str.isprintable), st.integers(-3, 3))

# Offsets from START in seconds: mostly near each other, some far behind or ahead.
OFFSETS = st.one_of(st.integers(0, 600), st.just(0), st.integers(-3600, 7200),
                    st.integers(0, 600_000).map(lambda n: n / 1000))

EVENTS = st.lists(st.tuples(ITEMS, OFFSETS), max_size=60)

GAPS = st.sampled_from([1, 59, 60, 61, 599, 600, 601, 3600, 3601, 86_399, 86_401, 30 * 86_400,
                        3 * 365 * 86_400])


@st.composite
def hostile(draw):
    """Bursts, silence for up to years, stamps far behind and far ahead, clocks that are set back."""
    clock, events = 0, []
    for _ in range(draw(st.integers(1, 12))):
        act, gap, item = draw(st.sampled_from("burst gap late ahead back".split())), draw(GAPS), draw(ITEMS)
        if act == "burst":
            events += [(item, clock)] * draw(st.integers(1, 40))
        elif act == "ahead":  # one event, and the clock does not follow
            events.append((item, clock + gap))
        elif act == "late":
            events.append((item, clock - gap))
        else:
            clock += gap if act == "gap" else -gap
            events.append((item, clock))
    return events


def identity(item):
    """Items that are one item have one identity: a str and its UTF-8, an int modulo 2^64."""
    if isinstance(item, int):
        return item % 2**64
    return item.encode() if isinstance(item, str) else bytes(item)
