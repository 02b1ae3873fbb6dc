"""Objects are safe to share, long calls release the GIL, and an interrupt ends them."""
import os
import signal
import sys
import threading
import time

import bloomtime
import numpy as np
import pytest
from arrivals import START

THREADS, ROUNDS, SIZE = 4, 12, 5000


def hammer(*works):
    failures = []

    def run(work):
        try:
            for n in range(ROUNDS):
                work(n)
        except BaseException as trouble:
            failures.append(trouble)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "two threads wait for each other"
    assert not failures, failures


def test_no_count_is_lost():
    tally, other = bloomtime.Tally(), bloomtime.Tally()
    numbers = np.arange(SIZE)
    words = [str(n) for n in range(SIZE)]
    hammer(lambda n: tally.add_many(numbers), lambda n: tally.add_many(words),
           lambda n: [tally.add(n) for n in range(500)], lambda n: tally.query_many(numbers),
           lambda n: (tally | other, other.merge(tally), tally.to_bytes(), len(tally)))
    assert tally.query_many(words).tolist() == [ROUNDS] * SIZE
    assert tally.query_many(numbers).tolist() == [2 * ROUNDS] * 500 + [ROUNDS] * (SIZE - 500)
    assert tally.total == 2 * ROUNDS * SIZE + 500 * ROUNDS


def test_each_item_is_new_once():
    recency = bloomtime.Recency(window="1h")
    numbers = np.arange(SIZE)
    new = []
    hammer(*[lambda n: new.append(int(recency.fresh(numbers, at=START).sum()))] * THREADS)
    assert sum(new) == SIZE


def test_the_others_may_be_shared_too():
    bloom = bloomtime.Bloom(items=10**5, error=0.01)
    heat = bloomtime.Heat(half_life=60)
    history = bloomtime.History()
    hot = bloomtime.HotList(half_life=60)
    numbers = np.arange(SIZE)
    hammer(lambda n: bloom.add_many(numbers + n * SIZE), lambda n: bloom.query_many(numbers),
           lambda n: heat.add_many(numbers, at=START), lambda n: heat.top(10, START),
           lambda n: history.add_many(numbers, at=START + n), lambda n: history.intervals(5),
           lambda n: hot.add_many(numbers[:500], at=START), lambda n: hot.top(5, START))
    assert bloom.query_many(np.arange(ROUNDS * SIZE)).all()
    assert heat.mass(START) == pytest.approx(ROUNDS * SIZE, rel=0.01)
    assert all(len(history.intervals(int(n))) == 1 for n in numbers[:50])


def test_two_merges_into_each_other_do_not_wait_for_ever():
    a, b = bloomtime.Tally(), bloomtime.Tally()
    a.add("x"), b.add("x")
    hammer(lambda n: n < 4 and a.merge(b), lambda n: n < 4 and b.merge(a))
    assert a["x"] > 4


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("call", ["add_many", "query_many", "list"])
def test_an_interrupt_ends_a_long_call(call):
    tally = bloomtime.Tally(items=10**6)
    numbers = np.arange(2**24)
    items = list(range(2**22)) if call == "list" else numbers
    started = threading.Event()

    def handler(signum, frame):
        len(tally)  # a handler may use the filter
        raise Interrupted

    def interrupt():
        started.wait()
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Interrupted):
            started.set()
            for _ in range(1000):  # whatever the speed of the machine
                getattr(tally, "query_many" if call == "query_many" else "add_many")(items)
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    # What was done stays, and the filter is as good as before.
    total = tally.total
    counts = tally.query_many(numbers[:10**6])
    assert total % 2048 == 0 and counts.sum() >= min(total, 10**6)
    tally.add("afterwards")
    assert tally["afterwards"] == 1 and tally.total == total + 1
    assert bloomtime.Tally.from_bytes(tally.to_bytes()).total == total + 1


def test_other_threads_run_during_a_long_call():
    """While a bulk call works, a thread of Python gets on."""
    tally = bloomtime.Tally(items=10**6)
    numbers = np.arange(2**22)
    ended, ticks = threading.Event(), []

    def count():
        while not ended.is_set():
            ticks.append(1)
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    while not ticks:
        time.sleep(0.001)
    ticks.clear()
    tally.add_many(numbers)
    done = len(ticks)
    ended.set()
    thread.join()
    assert done > 10


def test_other_threads_run_while_a_filter_is_made():
    """Without a forced switch they run only if the GIL is released."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        for _ in range(20):  # the other thread may be late
            started, ended = threading.Event(), threading.Event()

            def make(started=started, ended=ended):
                started.set()
                bloomtime.History(engine="tree_history", ticks=2**17, pairs=1000, items=100,
                                  error=0.01)
                ended.set()

            thread = threading.Thread(target=make)
            thread.start()
            started.wait()
            meanwhile = not ended.is_set()
            thread.join()
            if meanwhile:
                break
    finally:
        sys.setswitchinterval(before)
    assert meanwhile


def test_an_interrupt_ends_a_question_about_many_ticks():
    """single_history reads each of them."""
    history = bloomtime.History(engine="single_history", ticks=2**40, pairs=1, memory=10**6)
    history.add("a", at=START)
    started = threading.Event()

    def handler(signum, frame):
        raise Interrupted

    def interrupt():
        started.wait()
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(Interrupted):
            started.set()
            history.seen("b", START + 1)
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    assert history.seen("a", START - 2**22, START) is True
    assert history.seen("b", START - 100, START + 100) is False
