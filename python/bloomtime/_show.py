"""What a notebook shows: small tables, sparklines and plots."""
from html import escape


def sparkline(counts, width=120, height=20):
    """Bars as an inline SVG."""
    counts = [float(count) for count in counts]
    most = max(counts, default=0)
    if not most:
        return ""
    step = width / len(counts)
    bars = "".join(f'<rect x="{i * step:.2f}" y="{height * (1 - count / most):.2f}" '
                   f'width="{max(step - 0.5, 0.5):.2f}" height="{height * count / most:.2f}"/>'
                   for i, count in enumerate(counts) if count)
    return (f'<svg width="{width}" height="{height}" fill="currentColor" role="img" '
            f'aria-label="{len(counts)} bars, at most {most:g}">{bars}</svg>')


def table(caption, heads, rows):
    """Cells are escaped, except those that are a tuple of one string."""
    def cell(tag, value):
        text = value[0] if isinstance(value, tuple) else escape(str(value))
        return f"<{tag}>{text}</{tag}>"

    head = "".join(cell("th", name) for name in heads)
    body = "".join("<tr>" + "".join(cell("td", value) for value in row) + "</tr>" for row in rows)
    return (f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>")


def number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def filter_html(one):
    """The parameters of a filter."""
    facts = one.describe()
    rows = [(name, number(value) if isinstance(value, (int, float)) else value)
            for name, value in facts.items()]
    return table(f"bloomtime.{type(one).__name__}", ("", ""), rows)


def between(estimate):
    return f"{estimate.lower:,.4g} \N{EN DASH} {estimate.upper:,.4g}"


def hot_html(items):
    at = f" at {items.at:%Y-%m-%d %H:%M:%S %Z}" if items.at else ""
    rows = [(row.item, number(row.heat.value), between(row.heat), (sparkline(row.recent),))
            for row in items]
    return table(f"{len(items)} hottest items{at}", ("item", "heat", "between", "recent"), rows)


def timeline_html(line):
    if not line.intervals:
        return table(f"{line.item} was not seen", (), ())
    first, last = line.intervals[0].start, line.intervals[-1].end
    caption = (f"{line.item}: {sum(map(int, line.counts)):,} ticks of {line.resolution}, "
               f"{first:%Y-%m-%d %H:%M:%S} to {last:%Y-%m-%d %H:%M:%S %Z}")
    return table(caption, (), [((sparkline(line.counts, 480, 40),),)])


def axes(ax):
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca()
    return ax


def plot_hot(items, ax=None):
    ax = axes(ax)
    values = [row.heat.value for row in items]
    spread = [[row.heat.value - row.heat.lower for row in items],
              [row.heat.upper - row.heat.value for row in items]]
    ax.barh(range(len(items)), values, xerr=spread, color="0.6", ecolor="0.2", capsize=2)
    ax.set_yticks(range(len(items)), [str(row.item) for row in items])
    ax.invert_yaxis()
    ax.set_xlabel("heat")
    return ax


def plot_timeline(line, ax=None):
    ax = axes(ax)
    ax.stairs(line.counts, line.edges, fill=True, color="0.4")
    ax.set_ylabel(f"ticks of {line.resolution} seen")
    ax.set_title(str(line.item))
    ax.set_xlabel("time (UTC)")
    return ax
