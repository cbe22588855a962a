"""Calls of the date and time functions: time values of every form, modifiers, format letters. Nothing
reads the clock, so that both sides have the same time."""

FIXED = ["'2024-02-29'", "'2023-12-31 23:59:59.5'", "'12:34'", "'1969-07-20T20:17:40Z'", "2460000.5", "1700000000",
         "'2000-01-31'", "'9999-12-31'", "'2024-13-01'", "'-0001-01-01'", "0", "1e10", "'2024-02-30 24:00'",
         "'2024-01-01 24:00:01'", "' 2024-01-01'", "'2024-01-01 '", "'2024-1-1'", "'20240101'", "'0000-01-01'",
         "5373484.4999999", "5373484.5", "-1", "253402300799", "-210866760000", "'2460000'", "'1700000000.25'",
         "'-4713-11-24 12:00'", "NULL", "''", "x'323032342d30312d3031'", "1721059.5", "9223372036854775807"]
UNITS = ["second", "minute", "hour", "day", "month", "year"]
WORDS = ["start of day", "start of month", "start of year", "unixepoch", "julianday", "auto", "subsec", "subsecond",
         "floor", "ceiling", "utc", "localtime", "Start Of Month", "weekday 7", "weekday -1", "weekday 1.5", "weekday",
         "start of", "+", "+1", "1 dayz", "", "+1 week"]
LETTERS = "defFGgHIjJklmMpPRsSTuUVwWY%"


_fixed = FIXED


def use_blobs(on):
    global _fixed
    _fixed = FIXED if on else [f for f in FIXED if not f.startswith("x'")]


def time_of_day(rng):
    text = "%02d:%02d" % (rng.choice([0, 12, 23, rng.randint(0, 24)]), rng.randint(0, 59))
    if rng.random() < 0.7:
        text += ":%02d" % rng.randint(0, 59)
        if rng.random() < 0.5:
            text += "." + rng.choice(["5", "0", "999", "9996", "123456789", "0005", "4999999"])
    return text


def zone(rng):
    return rng.choice(["", "", "", "Z", "z", " Z", "+05:30", "-12:00", " +01:15", "+14:01", "+15:00", "+1:00"])


def day(rng):
    year = rng.choice([2024, 2023, 2000, 1900, 1969, 1970, 0, 9999, 4, rng.randint(0, 9999)])
    return "%04d-%02d-%02d" % (year, rng.randint(1, 12), rng.choice([1, 28, 29, 30, 31, rng.randint(1, 31)]))


def time_value(rng, operand):
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(_fixed)
    if kind < 0.75:
        text = day(rng)
        if rng.random() < 0.7:
            text += rng.choice([" ", "T", "  "]) + time_of_day(rng) + zone(rng)
        return "'%s'" % text
    if kind < 0.8:
        return "'%s'" % (time_of_day(rng) + zone(rng))
    if kind < 0.92:
        return rng.choice([str(rng.randint(-10**10, 10**10)), "%.4f" % rng.uniform(0, 5400000),
                           "%.3f" % rng.uniform(-2e9, 4e9), str(rng.randint(0, 6000000))])
    # 'now' and times of day relative to it have no fixed value.
    return "nullif(%s, 'now')" % operand()


def modifier(rng):
    kind = rng.random()
    sign = rng.choice(["+", "-", "-", "+", "", " "])
    if kind < 0.4:
        number = rng.choice(["1", "3", "12", "31", "1.5", "0.001", "0", "400", "1e3", "86399.9995", "11999", "1000000",
                             "5373485", ".5", "2147483648", "00012"])
        return "'%s%s %s%s'" % (sign, number, rng.choice(UNITS), rng.choice(["", "s"]))
    if kind < 0.5:
        return "'%s%s'" % (rng.choice("+-"), time_of_day(rng))
    if kind < 0.62:
        shift = "%04d-%02d-%02d" % (rng.choice([0, 1, 10, 9999]), rng.choice([0, 1, 11, 12]), rng.choice([0, 1, 30, 31]))
        if rng.random() < 0.4:
            shift += rng.choice([" ", "T"]) + time_of_day(rng)
        return "'%s%s'" % (rng.choice("+-"), shift)
    if kind < 0.7:
        return "'weekday %d'" % rng.randint(0, 6)
    return "'%s'" % rng.choice(WORDS) if kind < 0.98 else "NULL"


def modifiers(rng):
    return "".join(", " + modifier(rng) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 3])))


def time_format(rng):
    pieces = []
    for _ in range(rng.randint(0, 5)):
        letter = rng.choice(LETTERS) if rng.random() < 0.97 else rng.choice("aBxyZ ")
        pieces.append("%" + letter + rng.choice(["", " ", "-", "é", "x"]))
    return "'%s'" % "".join(pieces)


def date_call(rng, operand):
    """`operand()` makes an expression."""
    name = rng.choice(["date", "time", "datetime", "julianday", "unixepoch", "strftime", "strftime", "timediff"])
    if name == "timediff":
        return "timediff(%s, %s)" % (time_value(rng, operand), time_value(rng, operand))
    first = "" if name != "strftime" else (time_format(rng) if rng.random() < 0.97 else operand()) + ", "
    return "%s(%s%s%s)" % (name, first, time_value(rng, operand), modifiers(rng))
