from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

__version__: str

# An int has C++'s integer digest: use str to match the command and Redis.
Item = Union[str, bytes, bytearray, memoryview, int, np.integer[Any]]
Items = Union[Iterable[Item], npt.NDArray[Any], Any]  # also a Series or an Arrow array
Time = Union[float, datetime, np.datetime64]
Times = Union[Time, npt.NDArray[Any], Sequence[Time], Any, None]  # one for all, or one for each
Span = Union[timedelta, float, str]  # "10m"
Size = Union[int, str]  # "64MiB"
Path = Union[str, PathLike[str]]
Outcome = Literal["added", "late", "dropped_late", "future", "full", "saturated", "refused"]

Bools = npt.NDArray[np.bool_]
F = TypeVar("F", bound="_Filter")
M = TypeVar("M", bound="_Mergeable")

def digest(item: Item, seed: int = 0) -> int: ...
def load(path: Path) -> Any: ...
def open(path: Path) -> Any: ...
def profile(
    paths: Union[Path, Sequence[Path]],
    *,
    store: Path | None = None,
    progress: bool | Callable[[int, int | None, int], object] | None = None,
    format: str | None = None,
    pattern: str | None = None,
    items: Sequence[str] | None = None,
    time: str | None = None,
    where: Sequence[str] | None = None,
    group: Sequence[str] | None = None,
    no_query: bool | None = None,
    strict: bool | None = None,
    half_life: Span | None = None,
    resolution: Span | None = None,
    memory: Size | None = None,
    seed: int | None = None,
    again: bool | None = None,
) -> Store: ...

class Estimate(float):
    lower: float
    upper: float
    @property
    def value(self) -> float: ...
    def __new__(cls, value: float, lower: float, upper: float) -> Estimate: ...

class Count(int):
    lower: int
    upper: int
    saturated: bool
    @property
    def value(self) -> int: ...
    def __new__(cls, value: int, lower: int, upper: int, saturated: bool = False) -> Count: ...

class Interval(NamedTuple):
    start: datetime
    end: datetime

class HotItem(NamedTuple):
    item: str | bytes | int
    heat: Estimate
    guaranteed: bool
    trend: float | None
    recent: list[int]
    cut: bool
    total: Count | None = None
    first_seen: datetime | None = None

class HotItems(list[HotItem]):
    at: datetime | None
    def __init__(self, rows: Iterable[HotItem] = (), at: datetime | None = None) -> None: ...
    def to_frame(self) -> Any: ...
    def plot(self, ax: Any = None) -> Any: ...

class Timeline(NamedTuple):
    item: Item
    intervals: list[Interval]
    counts: npt.NDArray[np.uint64]
    edges: npt.NDArray[np.datetime64]
    resolution: timedelta
    def plot(self, ax: Any = None) -> Any: ...

class _Filter:
    @property
    def memory(self) -> int: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    def copy(self: F) -> F: ...
    def describe(self) -> dict[str, Any]: ...
    def digest(self, item: Item) -> int: ...
    @classmethod
    def from_bytes(cls: type[F], data: bytes) -> F: ...
    @classmethod
    def load(cls: type[F], path: Path) -> F: ...
    @classmethod
    def open(cls: type[F], path: Path) -> F: ...
    def save(self, path: Path) -> None: ...
    def to_bytes(self) -> bytes: ...
    def __len__(self) -> int: ...

class _Mergeable(_Filter):
    def merge(self: M, other: M) -> None: ...
    def __or__(self: M, other: M) -> M: ...
    def __ior__(self: M, other: M) -> M: ...

class _Timed(_Mergeable):
    @property
    def losses(self) -> dict[str, int]: ...
    @property
    def newest(self) -> datetime | None: ...
    def clear(self) -> None: ...

class _Heat(_Timed):
    __iter__: ClassVar[None]
    __contains__: ClassVar[None]
    def add(self, item: Item, at: Time | None = None, weight: int = 1) -> Outcome: ...
    def add_many(self, items: Items, at: Times = None) -> int: ...
    def at(self, item: Item, at: Time | None = None) -> Estimate: ...
    def mass(self, at: Time | None = None) -> float: ...
    def merge(self: M, other: M, weight: float = 1.0) -> None: ...
    def top(self, n: int = 20, at: Time | None = None) -> HotItems: ...
    def __getitem__(self, item: Item) -> Estimate: ...

class Bloom(_Mergeable):
    def __init__(
        self,
        *,
        items: int | None = None,
        error: float | None = None,
        memory: Size | None = None,
        layout: Literal["flat", "line"] | None = None,
        seed: int | None = None,
    ) -> None: ...
    @property
    def insertions(self) -> int: ...
    def add(self, item: Item) -> bool: ...
    def add_many(self, items: Items) -> None: ...
    def current_error(self) -> float: ...
    def posterior(
        self, item: Item, *, membership: float | None = None, share: float | None = None
    ) -> float: ...
    def predicted_error(self, items: int) -> float: ...
    def query_many(self, items: Items) -> Bools: ...
    def __contains__(self, item: Item) -> bool: ...

class Heat(_Heat):
    def __init__(
        self,
        *,
        items: int | None = None,
        error: float | None = None,
        memory: Size | None = None,
        half_life: Span | None = None,
        lambda_: float | None = None,
        window: Span | None = None,
        slots: int | None = None,
        tick: Span | None = None,
        ahead: Span | None = None,
        reserve: bool | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        polynomial: float | None = None,
        weights: Sequence[float] | None = None,
        per_octave: int | None = None,
        reach: Span | None = None,
        cell_bits: int | None = None,
        rounding: Literal["up", "down", "random"] | None = None,
        increase: Literal["plain", "minimum"] | None = None,
        pool_memory: Size | None = None,
        seed: int | None = None,
        engine: str | None = None,
        top: int | None = None,
    ) -> None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def engine(self) -> str: ...
    def advance(self, at: Time | None = None) -> None: ...
    def query_many(
        self, items: Items, at: Times = None, *, bounds: bool = False
    ) -> npt.NDArray[Any]: ...
    def rate(self, item: Item, at: Time | None = None) -> Estimate: ...
    def within(self, item: Item, span: Span, at: Time | None = None) -> Estimate: ...

class HotList(_Heat):
    def __init__(
        self,
        *,
        entries: int | None = None,
        half_life: Span | None = None,
        lambda_: float | None = None,
        tick: Span | None = None,
        ahead: Span | None = None,
        fast_half_life: Span | None = None,
        bucket: Span | None = None,
        buckets: int | None = None,
        seed: int | None = None,
    ) -> None: ...
    def unlisted(self, at: Time | None = None) -> float: ...

class History(_Timed):
    __contains__: ClassVar[None]
    def __init__(
        self,
        *,
        resolution: Span | None = None,
        origin: Time | None = None,
        error: float | None = None,
        length: int | None = None,
        memory: Size | None = None,
        engine: str | None = None,
        partition: Span | None = None,
        ahead: Span | None = None,
        retention: int | None = None,
        late: int | None = None,
        live_memory: Size | None = None,
        first: int | None = None,
        ticks: int | None = None,
        pairs: int | None = None,
        items: int | None = None,
        granularity: int | None = None,
        seed: int | None = None,
    ) -> None: ...
    @property
    def engine(self) -> str: ...
    @property
    def kept_from(self) -> datetime | None: ...
    @property
    def records(self) -> int: ...
    @property
    def resolution(self) -> timedelta: ...
    def add(self, item: Item, at: Time | None = None) -> Outcome: ...
    def add_many(self, items: Items, at: Times = None) -> int: ...
    def advance(self, at: Time | None = None) -> None: ...
    def first(self, item: Item) -> datetime | None: ...
    def histogram(
        self, item: Item, start: Time | None = None, end: Time | None = None, *, bins: int = 50
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.datetime64]]: ...
    def intervals(
        self, item: Item, start: Time | None = None, end: Time | None = None
    ) -> list[Interval]: ...
    def last(self, item: Item) -> datetime | None: ...
    def query_many(
        self, items: Items, start: Time | None = None, end: Time | None = None
    ) -> Bools: ...
    def seen(
        self, item: Item, start: Time | None = None, end: Time | None = None
    ) -> bool | None: ...
    def timeline(
        self, item: Item, start: Time | None = None, end: Time | None = None, *, bins: int = 50
    ) -> Timeline: ...
    def trim(self, before: Time) -> None: ...

class Recency(_Timed):
    def __init__(
        self,
        *,
        window: Span | None = None,
        last: int | None = None,
        items: int | None = None,
        error: float | None = None,
        memory: Size | None = None,
        engine: str | None = None,
        reserve: bool | None = None,
        forget_oldest: bool | None = None,
        tick: Span | None = None,
        ticks: int | None = None,
        refresh: bool | None = None,
        ahead: Span | None = None,
        evenly: bool | None = None,
        layout: Literal["flat", "line"] | None = None,
        k: int | None = None,
        k0: int | None = None,
        k1: int | None = None,
        bits: int | None = None,
        sweep: int | None = None,
        seed: int | None = None,
    ) -> None: ...
    @property
    def engine(self) -> str: ...
    @property
    def insertions(self) -> int: ...
    @property
    def window(self) -> timedelta | int: ...
    def add(self, item: Item, at: Time | None = None) -> bool: ...
    def add_many(self, items: Items, at: Times = None) -> Bools: ...
    def advance(self, at: Time | None = None) -> None: ...
    def age(
        self, item: Item, at: Time | None = None
    ) -> tuple[timedelta, timedelta] | tuple[int, int] | None: ...
    def decide(
        self,
        item: Item,
        at: Time | None = None,
        *,
        share: float | None = None,
        rate: float | None = None,
        within: Span | None = None,
        false_positive: float = 1.0,
        false_negative: float = 1.0,
    ) -> bool: ...
    def fresh(self, items: Items, at: Times = None) -> Bools: ...
    def posterior(
        self,
        item: Item,
        at: Time | None = None,
        *,
        share: float | None = None,
        rate: float | None = None,
        within: Span | None = None,
    ) -> float: ...
    def query_many(self, items: Items, at: Times = None) -> Bools: ...
    def seen(self, item: Item, at: Time | None = None) -> bool: ...
    def __contains__(self, item: Item) -> bool: ...

class Tally(_Mergeable):
    __iter__: ClassVar[None]
    def __init__(
        self,
        *,
        items: int | None = None,
        error: float | None = None,
        memory: Size | None = None,
        engine: str | None = None,
        reserve: bool | None = None,
        total: int | None = None,
        cell_bits: int | None = None,
        large_memory: Size | None = None,
        k: int | None = None,
        counters_per_slack: int | None = None,
        base_bits: int | None = None,
        threshold: float | None = None,
        shrinking: Literal["with_gap", "published"] | None = None,
        seed: int | None = None,
    ) -> None: ...
    @property
    def confidence(self) -> float: ...
    @property
    def engine(self) -> str: ...
    @property
    def losses(self) -> dict[str, int]: ...
    @property
    def total(self) -> int: ...
    def add(self, item: Item, count: int = 1) -> Outcome: ...
    def add_many(self, items: Items) -> int: ...
    def clear(self) -> None: ...
    def query_many(self, items: Items, *, bounds: bool = False) -> npt.NDArray[Any]: ...
    def remove(self, item: Item, count: int = 1) -> str: ...
    def remove_many(self, items: Items) -> int: ...
    def __contains__(self, item: Item) -> bool: ...
    def __getitem__(self, item: Item) -> Count: ...

class Store:
    about: dict[str, Any]
    fields: list[str]
    newest: datetime | None
    path: str
    def __init__(self, path: Path) -> None: ...
    @property
    def field(self) -> Field: ...
    @property
    def records(self) -> int: ...
    def hot(self, n: int = 20, *, by: str = "heat", at: Time | None = None) -> HotItems: ...
    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> Field: ...
    def __iter__(self) -> Iterator[Field]: ...
    def __len__(self) -> int: ...

class Field:
    __iter__: ClassVar[None]
    name: str
    store: Store
    @property
    def heat(self) -> Heat: ...
    @property
    def history(self) -> History | None: ...
    @property
    def totals(self) -> Tally | None: ...
    def at(self, item: str, at: Time | None = None) -> Estimate: ...
    def hot(self, n: int = 20, *, by: str = "heat", at: Time | None = None) -> HotItems: ...
    def seen(
        self, item: str, start: Time | None = None, end: Time | None = None
    ) -> bool | None: ...
    def seen_many(
        self, items: Items, start: Time | None = None, end: Time | None = None
    ) -> Bools: ...
    def timeline(
        self, item: str, start: Time | None = None, end: Time | None = None, *, bins: int = 50
    ) -> Timeline: ...
    def total(self, item: str) -> Count: ...
    def __getitem__(self, item: str) -> Estimate: ...
    def __len__(self) -> int: ...
