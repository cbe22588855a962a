"""Random expressions over the columns in scope."""
from json_calls import json_call
from schema import value

COMPARE = ["=", "==", "<>", "!=", "<", "<=", ">", ">=", "IS", "IS NOT"]
ARITHMETIC = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>"]
FUNCTIONS = [("abs", 1), ("length", 1), ("lower", 1), ("upper", 1), ("typeof", 1), ("coalesce", 2),
             ("ifnull", 2), ("nullif", 2), ("max", 2), ("min", 2), ("substr", 3), ("substr", 2),
             ("trim", 1), ("ltrim", 1), ("rtrim", 1), ("replace", 3), ("instr", 2), ("round", 1),
             ("hex", 1), ("quote", 1), ("unicode", 1), ("sign", 1), ("iif", 3), ("likely", 1),
             ("char", 1), ("concat", 2), ("octet_length", 1), ("zeroblob", 0)]
AGGREGATES = ["count", "sum", "avg", "min", "max", "total", "group_concat"]
CAST_TYPES = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"]


_functions, _cast_types = FUNCTIONS, CAST_TYPES


def use_blobs(on):
    global _functions, _cast_types
    _functions = FUNCTIONS if on else [f for f in FUNCTIONS if f[0] not in ("hex", "zeroblob")]
    _cast_types = CAST_TYPES if on else [t for t in CAST_TYPES if t != "BLOB"]


_json = False


def use_json(on):
    """With it, half of the function calls are those of JSON functions."""
    global _json
    _json = on


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
    if _json and rng.random() < 0.5:
        return json_call(rng, lambda: operand(rng, scope, depth))
    name, count = rng.choice(_functions)
    if name == "zeroblob":
        return "zeroblob(%d)" % rng.randint(0, 4)
    return "%s(%s)" % (name, ", ".join(operand(rng, scope, depth) for _ in range(count)))


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
    if kind < 0.96:
        return "(%s COLLATE %s)" % (sub(), rng.choice(["NOCASE", "BINARY", "RTRIM"]))
    return subquery(rng, scope, depth)


def aggregate(rng, scope, depth):
    name = rng.choice(AGGREGATES)
    if name == "group_concat" and not scope.ordered:
        name = "max"
    if name == "count" and rng.random() < 0.4:
        return "count(*)"
    argument = operand(rng, Scope(scope.columns), depth)
    distinct = "DISTINCT " if rng.random() < 0.15 else ""
    tail = " FILTER (WHERE %s)" % expression(rng, scope, 1) if rng.random() < 0.1 else ""
    return "%s(%s%s)%s" % (name, distinct, argument, tail)
