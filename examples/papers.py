"""One figure of each paper, from Python.

    python3 examples/papers.py [PICTURE]     docs/python-papers.svg unless given

Each part stands alone, as a cell of a notebook does. The streams are smaller than those of
docs/experiments.md, which has the same figures at full size.
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import bloomtime
from bloomtime import published

random = np.random.default_rng(1)


def zipf(items, exponent, size):
    """A stream of numbers below `items` by Zipf's law."""
    weights = np.arange(1, items + 1) ** -float(exponent)
    return random.choice(items, size, p=weights / weights.sum())


# %% Time-decaying Bloom filters (Cheng et al. 2005): the error over the decay

def over_estimates(items=2000, hits=5000, epochs=30):
    """The mean error of decayed counts at equal memory, for each lambda."""
    stream = zipf(items, 1.0, hits * epochs)
    at = np.repeat(np.arange(epochs), hits)
    factors = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95])
    errors = {"published counters": [], "heat_filter": []}
    for factor in factors:
        truth = np.zeros(items)
        for epoch in range(epochs):
            truth = truth * factor + np.bincount(stream[at == epoch], minlength=items)
        memory = items * 6 * 2  # 6 cells of 16 bits per item
        pair = {"published counters": published.decaying_filter(
                    items=items, memory=memory, lambda_=factor),
                "heat_filter": bloomtime.Heat(
                    items=items, memory=memory, lambda_=factor, engine="heat_filter", top=0)}
        for name, heat in pair.items():
            heat.add_many(stream, at=at)
            answers = heat.query_many(np.arange(items), at=epochs - 1, bounds=True)
            assert (answers["upper"] >= truth - 1e-6).all()
            errors[name].append(np.mean(answers["value"] - truth))
    return factors, errors


# %% Persistent Bloom filters (Peng et al. 2018): the error over the length of a query

def errors_by_length(items=400, ticks=4096, sightings=40_000, queries=200):
    """The share of "maybe" about periods in which an item was not seen, at equal memory. Every item
    is seen during 128 ticks only, which is what the paper's structures are for."""
    who = random.integers(0, items, sightings)
    when = random.integers(0, ticks - 128, items)[who] + random.integers(0, 128, sightings)
    pairs = len(set(zip(who.tolist(), when.tolist())))
    sizes = {"ticks": ticks, "pairs": pairs, "memory": sightings * 2}
    histories = {"single": published.single_history(**sizes),
                 "tree": published.tree_history(items=items, **sizes),
                 "levels": published.level_history(items=items, **sizes)}
    for history in histories.values():
        history.add_many(who, at=when)
    lengths = 2 ** np.arange(2, 12)
    strangers = np.arange(10**6, 10**6 + queries)
    errors = {name: [] for name in histories}
    for length in lengths.tolist():
        starts = random.integers(0, ticks - length + 1, 10).tolist()
        for name, history in histories.items():
            errors[name].append(np.mean([history.query_many(strangers, start, start + length - 1)
                                         for start in starts]))
    return lengths, errors


# %% Inferential time-decaying Bloom filters (Dautrich & Ravishankar 2019): the penalty

def penalties(window=1024, universe=4096, queries=20_000):
    """Wrong answers per query to "among the last insertions?", standard and inferential."""
    stream = random.integers(0, universe, 20 * window)
    recent = set(stream[-window:].tolist())
    asked = random.integers(0, universe, queries)
    truth = np.array([item in recent for item in asked.tolist()])
    bits = np.array([3, 5, 7, 10, 14, 20])
    wrong = {"standard answer": [], "posterior": []}
    for per_item in bits:
        timing = published.timing_filter(last=window, memory=window * int(per_item) // 8)
        timing.add_many(stream)
        wrong["standard answer"].append(np.mean(timing.query_many(asked) != truth))
        decided = [timing.decide(item, share=1 / universe) for item in asked.tolist()]
        wrong["posterior"].append(np.mean(decided != truth))
    return bits, wrong


# %% Dynamic count filters (Aguilar-Saborit et al. 2006): memory over the skew

def memory_by_skew(items=1000, each=100):
    """Bytes per item after 100 arrivals per item."""
    skews = np.array([0, 0.2, 0.4, 0.6, 1.0, 1.4, 2.0])
    kinds = {"spectral": published.spectral_filter, "dynamic count": published.dynamic_count_filter,
             "tally_table": bloomtime.Tally}
    memory = {name: [] for name in kinds}
    for skew in skews:
        stream = zipf(items, skew, items * each)
        for name, make in kinds.items():
            tally = make(items=items, error=0.01)
            tally.add_many(stream)
            assert (tally.query_many(np.arange(items), bounds=True)["upper"]
                    >= np.bincount(stream, minlength=items)).all()
            memory[name].append(tally.memory / items)
    return skews, memory


# %% The picture

def draw(ax, figure, title, x, y, **scale):
    for (name, values), line in zip(figure[1].items(), ["-o", "--s", ":^"]):
        ax.plot(figure[0], values, line, color="black", markersize=4, label=name)
    ax.set(title=title, xlabel=x, ylabel=y, **scale)
    ax.legend(frameon=False)


def main(picture):
    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "bloomtime", "axes.spines.top": False,
                         "axes.spines.right": False})
    page, ((heat, history), (recency, tally)) = plt.subplots(2, 2, figsize=(8, 6))
    draw(heat, over_estimates(), "Decayed counts, 6 cells per item", "lambda",
         "mean error, hits", yscale="log")
    draw(history, errors_by_length(), "Histories, 2 bytes per sighting", "length of the query, ticks",
         "share of wrong answers", xscale="log")
    draw(recency, penalties(), "Windows of 1024 insertions", "bits per item of the window",
         "wrong answers per query", yscale="log")
    draw(tally, memory_by_skew(), "Counts, 100 arrivals per item", "skew (Zipf)", "bytes per item",
         ylim=(0, None))
    page.tight_layout()
    page.savefig(picture, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "docs/python-papers.svg")
