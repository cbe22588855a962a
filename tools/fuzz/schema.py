"""Random schemas and rows: what the statements of a script work on."""

TYPES = ["", "INTEGER", "INT", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR(10)", "DOUBLE"]
COLLATIONS = ["", "", "", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"]
VALUES = [
    "NULL", "NULL", "0", "1", "2", "3", "-1", "7", "10", "42", "100", "-7", "1.0", "2.5", "-0.5", "0.1",
    "3.0", "1e10", "9223372036854775807", "-9223372036854775808", "9007199254740993", "1e300",
    "''", "'a'", "'b'", "'B'", "'abc'", "'ABC'", "'abc '", "'1'", "'2'", "'10'", "'1.0'", "'2.5'", "' 3'",
    "'3x'", "'1e1'", "'-1'", "'é'", "'x%y'", "'9223372036854775808'", "x''", "x'00'", "x'6162'", "x'ff'",
    "'long text that goes on for some while, to be longer than short ones'",
]


_values = VALUES


def use_blobs(on):
    global _values
    _values = VALUES if on else [v for v in VALUES if not v.startswith("x'")]


class Table:
    def __init__(self, name, columns, without_rowid, rowid_alias):
        self.name = name
        self.columns = columns  # (name, type) pairs
        self.without_rowid = without_rowid
        self.rowid_alias = rowid_alias
        self.is_view = False

        self.generated = []

    def names(self):
        return [name for name, _ in self.columns] + self.generated

    def stored_names(self):
        return [name for name, _ in self.columns]


def value(rng):
    return rng.choice(_values) if rng.random() < 0.8 else str(rng.randint(-20, 20))


def column_definition(rng, name, first):
    kind = rng.choice(TYPES)
    text = name + (" " + kind if kind else "") + rng.choice(COLLATIONS)
    alias = False
    if first and rng.random() < 0.4:
        return name + " INTEGER PRIMARY KEY", "INTEGER", True
    if rng.random() < 0.08:
        text += " NOT NULL" + rng.choice(["", "", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"])
    if rng.random() < 0.15:
        defaults = ["5", "'dflt'", "-2", "(1+2)", "NULL"] + [v for v in _values if v == "x'00'"]
        text += " DEFAULT " + rng.choice(defaults)
    if rng.random() < 0.1:
        text += " UNIQUE" + rng.choice(["", "", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE"])
    if rng.random() < 0.06:
        text += " CHECK (%s <> 42 OR %s IS NULL)" % (name, name)
    return text, kind, alias


def create_table(rng, number):
    name = "t%d" % number
    count = rng.randint(1, 5)
    definitions, columns, alias = [], [], None
    for i in range(count):
        column = "abcde"[i]
        text, kind, is_alias = column_definition(rng, column, i == 0)
        if is_alias:
            alias = column
        definitions.append(text)
        columns.append((column, kind))
    generated = []
    if rng.random() < 0.12:
        source = rng.choice([c for c, _ in columns])
        generated.append("g")
        definitions.append("g %s AS (%s)%s" % (
            rng.choice(["", "INT", "TEXT"]),
            rng.choice(["%s || 'x'", "%s + 1", "lower(%s)", "typeof(%s)"]) % source,
            rng.choice(["", " STORED"])))
    without_rowid = alias is None and rng.random() < 0.15
    if without_rowid:
        keys = rng.sample([c for c, _ in columns], rng.randint(1, min(2, count)))
        definitions.append("PRIMARY KEY (%s)" % ", ".join(keys))
    elif rng.random() < 0.1 and count >= 2:
        definitions.append("UNIQUE (a, b)")
    sql = "CREATE TABLE %s(%s)%s" % (name, ", ".join(definitions),
                                     " WITHOUT ROWID" if without_rowid else "")
    table = Table(name, columns, without_rowid, alias)
    table.generated = generated
    return sql, table


def create_index(rng, number, table):
    keys = []
    for column in rng.sample(table.names(), rng.randint(1, min(3, len(table.names())))):
        key = column
        if rng.random() < 0.1:
            key = rng.choice(["%s IS NULL", "%s || 'x'", "lower(%s)", "%s + 1", "typeof(%s)",
                              "CAST(%s AS TEXT)", "substr(%s, 1, 1)"]) % column
        key += rng.choice(["", "", "", " COLLATE NOCASE"]) + rng.choice(["", "", " DESC"])
        keys.append(key)
    where = ""
    if rng.random() < 0.15:
        column = rng.choice(table.names())
        where = " WHERE " + rng.choice(["%s IS NOT NULL", "%s > 1", "%s = 'a'", "%s IN (1, 2)",
                                        "%s IS NULL", "%s < 'b'"]) % column
    return "CREATE INDEX i%d ON %s(%s)%s" % (number, table.name, ", ".join(keys), where)


def insert(rng, table, rows, action=""):
    columns = table.stored_names()
    if rng.random() < 0.2:
        columns = sorted(rng.sample(columns, rng.randint(1, len(columns))))
    tuples = []
    for _ in range(rows):
        values = []
        for column in columns:
            if column == table.rowid_alias:
                values.append(rng.choice(["NULL", str(rng.randint(1, 60))]))
            else:
                values.append(value(rng))
        tuples.append("(%s)" % ", ".join(values))
    return "INSERT %sINTO %s(%s) VALUES %s" % (action, table.name, ", ".join(columns),
                                               ", ".join(tuples))
