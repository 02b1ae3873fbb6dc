# Bad command lines. Read by ./run.


@check
def slips_of_the_finger_are_answered_with_the_nearest():
    refused("pln", says="there is no command pln. Did you mean bloomtime plan?")
    refused("plan", "blom", says="plan has no command blom. Did you mean bloomtime plan bloom?")
    refused("plan", "bloom", "--itmes", "1M", says="no option --itmes. Did you mean --items?")
    refused("plan", "bloom", "-items", "1M", says="Did you mean --items?")
    refused("plan", "bloom", "--itmes=1M", says="Did you mean --items?")
    refused("info", "--jsn", "x", says="Did you mean --json?")
    refused("--verison", says="Did you mean --version?")
    refused("frobnicate", says="See bloomtime --help.")
    refused("-x", says="See bloomtime --help.")
    refused("plan", "bloom", "1M", says="See bloomtime plan bloom --help.")
    refused("x" * 100_000, says="...")
    refused("\x1b[31mred", says="\\x1b[31mred")


@check
def what_is_missing_or_too_much_is_said():
    refused("plan", says="needs a family")
    refused("plan", "bloom", says="needs --items")
    refused("plan", "bloom", "--items", "1M", says="needs --error or --memory")
    refused(*PLAN, "--memory", "1MB", says="give either --error (1%) or --memory (1MB)")
    refused("plan", "bloom", "--items", says="--items needs a value")
    refused("plan", "bloom", "--items=", "--error", "1%", says="--items needs a value")
    refused(*PLAN, "--measure", "--save", "", says="--save needs a value")
    refused(*PLAN, "--items", "5", says="--items was given more than once")
    refused(*PLAN, "--save", "x", says="give both")
    refused(*PLAN, "--json=3", says="--json takes no value")
    refused(*PLAN, "--color", "red", says="auto, always or never, got red")
    refused("info", says="needs a file")
    refused("verify", says="needs a file")


@check
def bad_quantities():
    for items in ("0", "-5", "0.0", "-1e6"):
        refused("plan", "bloom", "--items", items, "--error", "1%", says="--items must be at least 1")
    for items in ("abc", "nan", "inf", "1Mx", "0x10", "1M 2M"):
        refused("plan", "bloom", f"--items={items}", "--error", "1%", says="--items")
    for items in ("1e30", "18446744073709551616", "99999999T"):
        refused("plan", "bloom", "--items", items, "--error", "1%", says="--items can be at most")
    for error in ("0", "1", "2", "-0.1", "nan", "inf", "100%", "1%%", "abc", "1e-999"):
        refused("plan", "bloom", "--items", "1M", "--error", error,
                says="--error must lie between 0 and 1 (for example 1% or 0.01), got " + error[:1])
    for memory in ("0", "-1MB", "0MB"):
        refused("plan", "bloom", "--items", "1M", "--memory", memory, says="at least one byte")
    for memory in ("1", "7B"):
        refused("plan", "bloom", "--items", "1M", "--memory", memory, says="at least 8 bytes")
    refused("plan", "bloom", "--items", "1M", "--memory", "lots", says="such as 16MiB")
    refused("plan", "bloom", "--items", "1M", "--memory", "1e30", says="below 2^64 bytes")
    refused("plan", "bloom", "--items", "1M", "--memory", "1025GiB", says="at most 1TiB")


@check
def plans_beyond_the_limit():
    refused("plan", "bloom", "--items", "1T", "--error", "1%", says="Try fewer items")
    refused("plan", "bloom", "--items", "18446744073709551615", "--error", "1e-9", says="at most")
