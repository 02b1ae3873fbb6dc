"""Stores, the directories that `bloomtime profile` writes, and files of filters."""
import os
import sys
from functools import cached_property

from bloomtime import _bloomtime


class Store:
    """One checkpoint of a store. Queries are answered for its newest event unless `at` is given.

    store["host"] is a Field; store.field is the only one.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self._profile = _bloomtime.StoredProfile(self.path)
        self.about = self._profile.about
        self.fields = self.about["fields"]
        self.newest = self._profile.newest

    @property
    def records(self):
        """How many events were read."""
        return self.about["records"]

    @property
    def field(self):
        """The only field; a store with several needs a name, as in store["host"]."""
        if len(self.fields) == 1:
            return self[self.fields[0]]
        raise ValueError(f"the store has the fields {', '.join(self.fields)}; choose one, as in "
                         f"store[{self.fields[0]!r}]")

    def __getitem__(self, name):
        if name not in self.fields:
            raise KeyError(f"the store has no field {name!r}; it has {', '.join(self.fields)}")
        return Field(self, self.fields.index(name))

    def __contains__(self, name):
        return name in self.fields

    def __iter__(self):
        return (self[name] for name in self.fields)

    def __len__(self):
        return len(self.fields)

    def hot(self, n=20, *, by="heat", at=None):
        """The first items of the only field, see Field.hot()."""
        return self.field.hot(n, by=by, at=at)

    def __repr__(self):
        return f"<bloomtime.Store {self.path!r}, {self.records:,} records of " \
               f"{', '.join(self.fields)}>"

    def _repr_html_(self):
        from bloomtime import _show

        rows = [(name, ", ".join(value) if isinstance(value, list) else value)
                for name, value in self.about.items()]
        return _show.table(f"bloomtime.Store {self.path}", ("", ""), rows)


class Field:
    """One field of a store: its heat, totals and history.

    heat, totals and history are copies as Heat, Tally and History; the last two are None in stores
    of versions that kept none. In a store with pseudonyms ask through the methods of Field.
    """

    def __init__(self, store, number):
        self.store = store
        self.name = store.fields[number]
        self._number = number
        self._profile = store._profile

    @cached_property
    def heat(self):
        return self._profile.heat(self._number)

    @cached_property
    def totals(self):
        return self._profile.totals(self._number)

    @cached_property
    def history(self):
        return self._profile.history(self._number)

    def hot(self, n=20, *, by="heat", at=None):
        """The first n items, ordered by "heat", "total", "trend" (rising) or "new" (first seen)."""
        return self._profile.hot(self._number, n, by, at)

    def at(self, item, at=None):
        """The decayed count of an item, as an Estimate."""
        return self._profile.heat_at(self._number, item, at)

    __getitem__ = at
    __iter__ = None

    def total(self, item):
        """How often an item was seen in all, as a Count."""
        return self._kept("totals")[self._profile.name_of(item)]

    def seen(self, item, start=None, end=None):
        """Whether an item was seen from start to end, as History.seen()."""
        return self._kept("history").seen(self._profile.name_of(item), start, end)

    def seen_many(self, items, start=None, end=None):
        """The same for many items, as an array of bool."""
        if self.store._profile.pseudonymous:
            items = [self._profile.name_of(item) for item in items]
        return self._kept("history").query_many(items, start, end)

    def timeline(self, item, start=None, end=None, *, bins=50):
        """When an item was seen, as History.timeline()."""
        line = self._kept("history").timeline(self._profile.name_of(item), start, end, bins=bins)
        return line._replace(item=item)

    def __len__(self):
        """How many different items there are."""
        return self._profile.different(self._number)

    def _kept(self, part):
        kept = getattr(self, part)
        if kept is None:
            raise ValueError(f"the store was written by a version that kept no {part}")
        return kept

    def __repr__(self):
        return f"<bloomtime.Field {self.name!r} of {self.store.path!r}, {len(self):,} items>"

    def _repr_html_(self):
        return self.hot()._repr_html_()


def load(path):
    """The filter in a file, whatever its kind."""
    return _bloomtime.load_any(os.fspath(path))


def open(path):
    """The Store in a directory, or the filter in a file, read-only."""
    path = os.fspath(path)
    if os.path.isdir(path):
        return Store(path)
    return type(load(path)).open(path)


def profile(paths, *, store=None, progress=None, **options):
    """Reads logs into a store, as the command `bloomtime profile` does, and returns the Store.

    paths       a path or a list of paths; gz, xz, zst and bz2 are decompressed
    store       the directory to write; access.bloomtime for access.log. It is continued if it exists
    progress    True or False for a progress bar (default: on a terminal and in notebooks, if tqdm
                is installed), or a function of (bytes, total or None, lines)
    items       list of fields, each with a history of its own: ["host", "host,path"]
    time        the field with the time
    format, pattern, where, group, no_query, strict, half_life, resolution, memory, seed, again
                as the options of the command
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    paths = [os.fsdecode(path) for path in paths]
    if not paths:
        raise ValueError("profile() needs at least one path")
    store = os.fsdecode(store) if store is not None else _default_store(paths[0])
    for path in (*paths, store):
        if "\0" in path:
            raise ValueError(f"a path must have no null characters; got {path!r}")
    bar = _progress_bar(progress)
    try:
        _bloomtime.profile_logs(list(map(os.fsencode, paths)), os.fsencode(store), bar, **options)
    finally:
        if hasattr(bar, "close"):
            bar.close()
    return Store(store)


def _default_store(path):
    """access.log.gz becomes access.bloomtime beside it; access.log.1 keeps its number."""
    root, end = os.path.splitext(path)
    if end in (".gz", ".xz", ".zst"):
        path = root
    root, end = os.path.splitext(path)
    if end and not any(letter.isdigit() for letter in end):
        path = root
    return path + ".bloomtime"


class _Bar:
    def __init__(self, tqdm):
        self._bar = tqdm(unit="B", unit_scale=True)

    def __call__(self, done, total, lines):
        self._bar.total = total
        self._bar.update(done - self._bar.n)
        self._bar.set_postfix(lines=f"{lines:,}", refresh=False)

    def close(self):
        self._bar.close()


def _progress_bar(wanted):
    if callable(wanted) or wanted is False:
        return wanted or None
    interactive = sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules
    if not wanted and not interactive:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)
