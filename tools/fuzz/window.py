"""Random queries with window functions, and recursive common tables."""
from expr import Scope, expression, operand
from schema import value

RANKING = ["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()"]
AGGREGATES = ["sum", "total", "avg", "count", "min", "max", "group_concat"]
OFFSETS = ["0", "1", "1", "2", "3", "1+1", "100"]
DISTANCES = OFFSETS + ["0.5", "1.5", "'2'", "1e18"]
BOUNDS = ["UNBOUNDED PRECEDING", "%s PRECEDING", "CURRENT ROW", "%s FOLLOWING",
          "UNBOUNDED FOLLOWING"]
EXCLUDES = [" EXCLUDE NO OTHERS", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"]


def order_by(rng, columns, count):
    terms = []
    for column in rng.sample(columns, min(count, len(columns))):
        terms.append(column + rng.choice(["", "", "", " DESC", " COLLATE NOCASE"]) +
                     rng.choice(["", "", "", " NULLS LAST", " NULLS FIRST"]))
    return " ORDER BY " + ", ".join(terms) if terms else ""


def frame(rng, one_term):
    unit = rng.choice(["ROWS", "ROWS", "GROUPS", "RANGE"])
    # RANGE with offsets wants one ORDER BY term; now and then without, for the error.
    offsets = unit != "RANGE" or one_term or rng.random() < 0.03
    kinds = [0, 1, 2, 3, 4] if offsets else [0, 2, 4]
    start, end = sorted(rng.choice(kinds) for _ in range(2))
    if start == 4:
        start = 2
    if end == 0:
        end = 2
    if rng.random() < 0.02:
        start, end = 3, 2
    pool = DISTANCES if unit == "RANGE" else OFFSETS
    if rng.random() < 0.03:
        pool = ["-1", "NULL", "'x'", "1.5", "abs(1)"]
    texts = [BOUNDS[kind] % rng.choice(pool) if "%" in BOUNDS[kind] else BOUNDS[kind]
             for kind in (start, end)]
    if start < 3 and rng.random() < 0.15:
        return " %s %s%s" % (unit, texts[0], rng.choice([""] * 4 + EXCLUDES))
    return " %s BETWEEN %s AND %s%s" % (unit, texts[0], texts[1], rng.choice([""] * 4 + EXCLUDES))


def window(rng, columns, base=""):
    text = base
    if not base and rng.random() < 0.4:
        text += " PARTITION BY " + ", ".join(rng.sample(columns, rng.randint(1, min(2, len(columns)))))
    terms = rng.choice([0, 1, 1, 1, 2])
    order = order_by(rng, columns, terms)
    if "NULLS" in order:
        # SQLite walks an index for it, so that ties come in another order: no ties.
        order += ", " + ", ".join(columns)
        terms = 1 + len(columns)
    text += order
    if rng.random() < 0.65:
        text += frame(rng, terms == 1)
    return "(" + text.strip() + ")"


def call(rng, scope, name_of_window):
    kind = rng.random()
    argument = operand(rng, scope, 1) if rng.random() < 0.3 else scope.column(rng)
    if kind < 0.55:
        name = rng.choice(AGGREGATES)
        if name == "count" and rng.random() < 0.5:
            argument = "*"
        if name == "group_concat" and rng.random() < 0.4:
            argument += ", " + rng.choice(["'-'", "''", "NULL", scope.column(rng)])
        text = "%s(%s)" % (name, argument)
        if rng.random() < 0.15:
            text += " FILTER (WHERE %s)" % expression(rng, scope, 1)
    elif kind < 0.7:
        text = rng.choice(RANKING)
    elif kind < 0.75:
        text = "ntile(%s)" % rng.choice(["1", "2", "3", "5", "'4'", "0"] + [scope.column(rng)])
    elif kind < 0.87:
        text = "%s(%s" % (rng.choice(["lag", "lead"]), argument)
        if rng.random() < 0.5:
            text += ", " + rng.choice(["0", "1", "2", "-1", "1.0", "0.5", "NULL", scope.column(rng)])
            if rng.random() < 0.5:
                text += ", " + operand(rng, scope, 1)
        text += ")"
    elif kind < 0.96:
        text = "%s(%s)" % (rng.choice(["first_value", "last_value"]), argument)
    else:
        text = "nth_value(%s, %s)" % (argument, rng.choice(["1", "2", "3", "'2'", "1.0", "0"]))
    return "%s OVER %s" % (text, name_of_window)


def window_query(rng, tables, named=False, count=None):
    """Over one table, so that the order of the rows is known."""
    table = rng.choice(tables)
    columns = table.names()
    scope = Scope(columns)
    count = count or rng.randint(1, 3)
    names = ["w%d" % i for i in range(rng.choice([0, 0, 1, 2]))]
    windows = []
    for name in names:
        if windows and rng.random() < 0.4:
            windows.append((name, "(" + windows[0][0] + (frame(rng, False) if rng.random() < 0.5
                                                         else "") + ")"))
        else:
            text = window(rng, columns)
            windows.append((name, text))
    results = []
    for _ in range(count):
        if rng.random() < 0.25:
            results.append(rng.choice(columns))
            continue
        over = rng.choice(names) if names and rng.random() < 0.6 else window(rng, columns)
        if names and rng.random() < 0.1:
            over = "(%s%s)" % (rng.choice(names), order_by(rng, columns, 1))
        result = call(rng, scope, over)
        results.append(result if rng.random() < 0.9 else "(%s) || '' " % result)
    if named:
        results = ["%s AS k%d" % (r, i) for i, r in enumerate(results)]
    text = "SELECT %s%s FROM %s" % ("DISTINCT " if rng.random() < 0.05 else "",
                                    ", ".join(results), table.name)
    if rng.random() < 0.3:
        text += " WHERE " + expression(rng, scope, 1)
    if windows:
        text += " WINDOW " + ", ".join("%s AS %s" % w for w in windows)
    if named:
        return text
    kind = rng.random()
    if kind < 0.15:
        text += " ORDER BY " + call(rng, scope, window(rng, columns))
    elif kind < 0.3:
        text += order_by(rng, columns, 2)
    if rng.random() < 0.15:
        text += " LIMIT %d" % rng.randint(0, 5)
    return text


def grouped_query(rng, tables):
    table = rng.choice(tables)
    columns = table.names()
    key = rng.choice(columns)
    measures = [key] + ["%s(%s)" % (rng.choice(["sum", "count", "max", "min", "total"]),
                                    rng.choice(columns)) for _ in range(2)]
    scope = Scope(measures)
    results = measures + [call(rng, scope, window(rng, measures))
                          for _ in range(rng.randint(1, 2))]
    return "SELECT %s FROM %s GROUP BY %s" % (", ".join(results), table.name, key)


def nested_query(rng, tables):
    count = rng.randint(1, 3)
    inner = window_query(rng, tables, True, count)
    columns = ["k%d" % i for i in range(count)]
    scope = Scope(columns)
    if rng.random() < 0.3:
        result = call(rng, scope, window(rng, columns))
    else:
        result = "*"
    text = "SELECT %s FROM (%s)" % (result, inner)
    if rng.random() < 0.4:
        text = "WITH c AS (%s) SELECT %s FROM c" % (inner, result)
    if rng.random() < 0.4:
        text += " WHERE " + expression(rng, scope, 1)
    return text


def recursive_query(rng, tables):
    """Rows of a table, and numbers that count up from them."""
    table = rng.choice(tables)
    union = rng.choice(["UNION", "UNION ALL"])
    initial = rng.choice(["SELECT 1, %s" % value(rng),
                          "SELECT 1, %s FROM %s" % (rng.choice(table.names()), table.name),
                          "VALUES (1, %s), (2, %s)" % (value(rng), value(rng))])
    if rng.random() < 0.2:
        initial += " UNION%s SELECT 2, %s" % (" ALL" if rng.random() < 0.5 else "", value(rng))
    terms = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        second = rng.choice(["x", "n", "x || n", "n % 2", "coalesce(x, n)", "lower(x)"])
        step = rng.choice(["1", "1", "2"])
        body = "SELECT n + %s, %s FROM r" % (step, second)
        if rng.random() < 0.3:
            join = rng.choice(["JOIN", "LEFT JOIN"])
            body += " %s %s ON %s = %s" % (join, table.name, rng.choice(["n", "x"]),
                                           rng.choice(table.names()))
        terms.append("%s WHERE n < %d" % (body, rng.randint(2, 5)))
    order = ""
    if rng.random() < 0.3:
        order = " ORDER BY " + ", ".join(t + rng.choice(["", " DESC"]) for t in
                                         rng.choice([["1"], ["2", "1"], ["1", "2"]]))
    if rng.random() < 0.4:
        # Which rows of a table come first is the planner's choice.
        if table.name in initial or any(table.name in term for term in terms):
            order = " ORDER BY 1, 2"
        order += " LIMIT %d" % rng.randint(0, 12)
        if rng.random() < 0.3:
            order += " OFFSET %d" % rng.randint(0, 3)
    hint = rng.choice(["", "", "", " MATERIALIZED", " NOT MATERIALIZED"])
    result = rng.choice(["*", "*", "n, x", "count(*), max(n)", "DISTINCT x"])
    tail = rng.choice(["", "", " WHERE n > 1", " ORDER BY 1 LIMIT 20"])
    return "WITH RECURSIVE r(n, x) AS%s (%s %s %s%s) SELECT %s FROM r%s" % (
        hint, initial, union, (" %s " % union).join(terms), order, result, tail)


def query(rng, tables):
    kind = rng.random()
    if kind < 0.6:
        return window_query(rng, tables)
    if kind < 0.7:
        return grouped_query(rng, tables)
    if kind < 0.8:
        return nested_query(rng, tables)
    return recursive_query(rng, tables)
