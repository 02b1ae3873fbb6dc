"""The structures of the papers, for comparison. Each function makes a filter of one family, whose
keyword arguments and methods it has. docs/experiments.md compares them with what the papers report.

    from bloomtime import published
    seen = published.timing_filter(last=10_000, error=0.01)
"""
from bloomtime._bloomtime import Heat, History, Recency, Tally

__all__ = ["decaying_filter", "pooled_decaying_filter", "single_history", "tree_history",
           "level_history", "timing_filter", "generalized_filter", "recent_buffer",
           "counting_filter", "spectral_filter", "rising_spectral_filter",
           "recurring_spectral_filter", "dynamic_count_filter"]


# -- Cheng et al. 2005: time-decaying Bloom filters ----------------------------------------------

def decaying_filter(**parameters) -> Heat:
    """Whole counters, all multiplied by lambda_ when a tick ends."""
    return Heat(engine="decaying_filter", top=0, **parameters)


def pooled_decaying_filter(**parameters) -> Heat:
    """The same with counters of one hexadecimal digit and a pool of further digits."""
    return Heat(engine="pooled_decaying_filter", top=0, **parameters)


# -- Peng et al. 2018: persistent Bloom filters --------------------------------------------------

def single_history(**parameters) -> History:
    """One Bloom filter of all pairs of item and tick: the paper's baseline."""
    return History(engine="single_history", **parameters)


def tree_history(**parameters) -> History:
    """A Bloom filter for every interval of a dyadic tree (section 4.1)."""
    return History(engine="tree_history", **parameters)


def level_history(**parameters) -> History:
    """A Bloom filter for every level of the tree (section 4.2)."""
    return History(engine="level_history", **parameters)


# -- Dautrich & Ravishankar 2019: inferential time-decaying Bloom filters ------------------------

def timing_filter(**parameters) -> Recency:
    """Timers with the block of insertions in which an item was last inserted."""
    return Recency(engine="timing_filter", **parameters)


def generalized_filter(**parameters) -> Recency:
    """A generalized Bloom filter: k0 bits are reset and k1 set by each insertion."""
    return Recency(engine="generalized_filter", **parameters)


def recent_buffer(**parameters) -> Recency:
    """The fingerprints of the last insertions: the paper's baseline."""
    return Recency(engine="recent_buffer", **parameters)


# -- Aguilar-Saborit et al. 2006: dynamic count filters ------------------------------------------

def counting_filter(**parameters) -> Tally:
    """Counters of a fixed width: the counting Bloom filter of Fan et al. 2000."""
    return Tally(engine="counting_filter", **parameters)


def spectral_filter(**parameters) -> Tally:
    """Counters of variable length behind an index: Cohen & Matias 2003."""
    return Tally(engine="spectral_filter", **parameters)


def rising_spectral_filter(**parameters) -> Tally:
    """The same with minimum increase; nothing can be removed."""
    return Tally(engine="rising_spectral_filter", **parameters)


def recurring_spectral_filter(**parameters) -> Tally:
    """The same with a recurring minimum; answers may be too low."""
    return Tally(engine="recurring_spectral_filter", **parameters)


def dynamic_count_filter(**parameters) -> Tally:
    """Counters in two vectors, of which the second is rebuilt when counters need more bits."""
    return Tally(engine="dynamic_count_filter", **parameters)
