"""Random expressions over the columns in scope."""
import date_calls
import text_calls
from date_calls import date_call
from json_calls import json_call
from schema import value
from text_calls import text_call

COMPARE = ["=", "==", "<>", "!=", "<", "<=", ">", ">=", "IS", "IS NOT"]
ARITHMETIC = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>"]
FUNCTIONS = [("abs", 1), ("length", 1), ("lower", 1), ("upper", 1), ("typeof", 1), ("coalesce", 2),
             ("ifnull", 2), ("nullif", 2), ("max", 2), ("min", 2), ("substr", 3), ("substr", 2),
             ("trim", 1), ("ltrim", 1), ("rtrim", 1), ("replace", 3), ("instr", 2), ("round", 1),
             ("hex", 1), ("quote", 1), ("unicode", 1), ("sign", 1), ("iif", 3), ("likely", 1),
             ("char", 1), ("concat", 2), ("octet_length", 1), ("zeroblob", 0),
             ("concat_ws", 3), ("trim", 2), ("ltrim", 2), ("round", 2), ("nullif", 2), ("unhex", 1),
             ("floor", 1), ("ceil", 1), ("mod", 2), ("sqrt", 1), ("like", 2), ("glob", 2),
             ("date", 1), ("time", 1), ("datetime", 1), ("julianday", 1), ("date", 2),
             ("unixepoch", 1), ("strftime", 2), ("printf", 2), ("format", 3), ("unlikely", 1)]
FORMATS = ["'%d|%s'", "'%5.2f'", "'%x %o'", "'%q'", "'%Q'", "'%-8s|'", "'%08d'", "'%e'", "'%g'",
           "'%c%c'", "'%+d'", "'%,d'", "'%.3s'", "'%!.20g'", "'%w'", "'%i%%'", "'%*d'"]
TIME_FORMATS = ["'%Y-%m-%d'", "'%H:%M:%f'", "'%j %w %W'", "'%s'", "'%J'", "'%G-%V %u'", "'%I %p'",
                "'%F %T %R'", "'%e %k %l'", "'%U'", "'%d%m%M%S'"]
MODIFIERS = ["'+1 day'", "'-3 months'", "'start of month'", "'start of year'", "'weekday 2'",
             "'unixepoch'", "'auto'", "'julianday'", "'+1.5 hours'", "'subsec'", "'+0010-01-02'",
             "'+12:30'", "'floor'", "'ceiling'", "'-1 year'"]
TIMES = ["'2024-02-29'", "'2023-12-31 23:59:59.5'", "'12:34'", "'1969-07-20T20:17:40Z'", "2460000.5",
         "1700000000", "'2000-01-31'", "'9999-12-31'", "'2024-13-01'", "'-0001-01-01'", "0", "1e10"]
AGGREGATES = ["count", "sum", "avg", "min", "max", "total", "group_concat", "string_agg"]
ORDER_SHOWS = ["group_concat", "string_agg", "json_group_array", "json_group_object"]
CAST_TYPES = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]


_functions, _cast_types = FUNCTIONS, CAST_TYPES


def use_blobs(on):
    global _functions, _cast_types
    text_calls.use_blobs(on)
    date_calls.use_blobs(on)
    _functions = FUNCTIONS if on else [f for f in FUNCTIONS if f[0] not in ("hex", "zeroblob", "unhex")]
    _cast_types = CAST_TYPES if on else [t for t in CAST_TYPES if t != "BLOB"]


# How often a function call is one of each kind.
TOPICS = {"json": json_call, "dates": date_call, "text": text_call}
_weights = {}


def use_topics(weights):
    """Weights of the keys of TOPICS; what they lack to 1 is for FUNCTIONS."""
    global _weights
    _weights = weights


class Scope:
    """Columns that an expression may name; `make_query` gives subqueries."""

    def __init__(self, columns, make_query=None, outer=None):
        self.columns = columns
        self.make_query = make_query
        self.outer = outer or []
        self.ordered = True

    def column(self, rng):
        pool = self.outer if self.outer and rng.random() < 0.2 else self.columns
        return rng.choice(pool) if pool else value(rng)


def operand(rng, scope, depth):
    if depth <= 0 or rng.random() < 0.35:
        return scope.column(rng) if rng.random() < 0.65 else value(rng)
    return expression(rng, scope, depth - 1)


def function_call(rng, scope, depth):
    kind = rng.random()
    for topic, weight in _weights.items():
        kind -= weight
        if kind < 0:
            return TOPICS[topic](rng, lambda: operand(rng, scope, depth))
    name, count = rng.choice(_functions)
    if name == "zeroblob":
        return "zeroblob(%d)" % rng.randint(0, 4)
    args = [operand(rng, scope, depth) for _ in range(count)]
    if name in ("printf", "format"):
        args[0] = rng.choice(FORMATS)
    elif name in ("date", "time", "datetime", "julianday", "unixepoch", "strftime"):
        first = 1 if name == "strftime" else 0
        if first:
            args[0] = rng.choice(TIME_FORMATS)
        if rng.random() < 0.6:
            args[first] = rng.choice(TIMES)
        if count == 2 and not first:
            args[1] = rng.choice(MODIFIERS)
        elif rng.random() < 0.4:
            args.append(rng.choice(MODIFIERS))
        # 'now' and times of day relative to it have no fixed value.
        args = ["nullif(%s, 'now')" % a if not a.startswith("'") else a for a in args]
    return "%s(%s)" % (name, ", ".join(args))


def row_comparison(rng, scope, depth):
    size = rng.randint(2, 3)
    row = lambda: "(%s)" % ", ".join(operand(rng, scope, depth - 1) for _ in range(size))  # noqa: E731
    kind = rng.random()
    if kind < 0.6 or scope.make_query is None:
        return "(%s %s %s)" % (row(), rng.choice(COMPARE), row())
    if kind < 0.8:
        return "(%s BETWEEN %s AND %s)" % (row(), row(), row())
    return "(%s %sIN (%s))" % (row(), rng.choice(["", "NOT "]),
                               scope.make_query(rng, scope, size, depth - 1, False))


def case(rng, scope, depth):
    text = "CASE" + (" " + operand(rng, scope, depth) if rng.random() < 0.4 else "")
    for _ in range(rng.randint(1, 2)):
        text += " WHEN %s THEN %s" % (operand(rng, scope, depth), operand(rng, scope, depth))
    if rng.random() < 0.6:
        text += " ELSE " + operand(rng, scope, depth)
    return text + " END"


def subquery(rng, scope, depth):
    if scope.make_query is None:
        return value(rng)
    kind = rng.random()
    if kind < 0.4:
        return "(%s)" % scope.make_query(rng, scope, 1, depth - 1, True)
    if kind < 0.5:
        columns = ", ".join(operand(rng, scope, depth - 1) for _ in range(2))
        return "((%s) %s (%s))" % (columns, rng.choice(["=", "<", ">=", "IS"]),
                                   scope.make_query(rng, scope, 2, depth - 1, True))
    if kind < 0.7:
        return "%sEXISTS (%s)" % (rng.choice(["", "NOT "]),
                                  scope.make_query(rng, scope, 1, depth - 1, False))
    return "%s %sIN (%s)" % (operand(rng, scope, depth - 1), rng.choice(["", "NOT "]),
                             scope.make_query(rng, scope, 1, depth - 1, False))


def expression(rng, scope, depth):
    kind = rng.random()
    sub = lambda: operand(rng, scope, depth)  # noqa: E731
    if kind < 0.28:
        return "(%s %s %s)" % (sub(), rng.choice(COMPARE), sub())
    if kind < 0.44:
        return "(%s %s %s)" % (sub(), rng.choice(ARITHMETIC), sub())
    if kind < 0.56:
        return "(%s %s %s)" % (sub(), rng.choice(["AND", "OR"]), sub())
    if kind < 0.60:
        return "(%s %s)" % (rng.choice(["NOT", "-", "+", "~"]), sub())
    if kind < 0.65:
        return "(%s %sBETWEEN %s AND %s)" % (sub(), rng.choice(["", "NOT "]), sub(), sub())
    if kind < 0.71:
        items = ", ".join(sub() for _ in range(rng.randint(0, 4)))
        return "(%s %sIN (%s))" % (sub(), rng.choice(["", "NOT "]), items)
    if kind < 0.75:
        return "(%s %s)" % (sub(), rng.choice(["IS NULL", "NOT NULL", "IS TRUE", "IS NOT FALSE"]))
    if kind < 0.79:
        return "(%s %sLIKE %s)" % (sub(), rng.choice(["", "NOT "]),
                                   rng.choice(["'a%'", "'%b%'", "'_b_'", "'%'", "'ABC'", sub()]))
    if kind < 0.81:
        return "(%s GLOB %s)" % (sub(), rng.choice(["'a*'", "'*b*'", "'[a-c]*'", "'?'"]))
    if kind < 0.87:
        return function_call(rng, scope, depth)
    if kind < 0.91:
        return case(rng, scope, depth)
    if kind < 0.94:
        return "CAST(%s AS %s)" % (sub(), rng.choice(_cast_types))
    if kind < 0.95:
        return row_comparison(rng, scope, depth)
    if kind < 0.965:
        return "(%s COLLATE %s)" % (sub(), rng.choice(["NOCASE", "BINARY", "RTRIM"]))
    return subquery(rng, scope, depth)


def aggregate(rng, scope, depth):
    name = rng.choice(AGGREGATES)
    if _weights.get("json", 0) * 0.8 > rng.random():
        name = rng.choice(["json_group_array", "json_group_object"])
    if name in ORDER_SHOWS and not scope.ordered:
        name = "max"
    if name == "count" and rng.random() < 0.4:
        return "count(*)"
    argument = operand(rng, Scope(scope.columns), depth)
    distinct = "DISTINCT " if rng.random() < 0.15 and name in AGGREGATES[:7] else ""
    tail = " FILTER (WHERE %s)" % expression(rng, scope, 1) if rng.random() < 0.15 else ""
    if name.startswith("json_group"):
        argument = "quote(%s)" % argument
    if name in ("string_agg", "json_group_object"):
        argument += ", " + rng.choice(["'-'", "1", "'a,b'"])
    elif name == "group_concat" and not distinct:
        argument += rng.choice(["", "", ", '-'"])
    if not distinct and rng.random() < (0.4 if name in ORDER_SHOWS else 0.1):
        argument += " ORDER BY " + ", ".join(
            operand(rng, Scope(scope.columns), 1) + rng.choice(["", " DESC", " COLLATE NOCASE"]) for _ in range(2))
    return "%s(%s%s)%s" % (name, distinct, argument, tail)
