"""Random scripts of writes: foreign keys with their actions, ON CONFLICT clauses, REPLACE, RETURNING,
triggers (INSTEAD OF and temporary ones too), generated columns, subqueries that read the table that
changes, savepoints. Values come from a small set, so that keys meet."""
import random

ACTIONS = ["", "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON DELETE SET DEFAULT",
           " ON DELETE RESTRICT", " ON UPDATE CASCADE", " ON UPDATE SET NULL",
           " ON UPDATE SET DEFAULT", " ON UPDATE RESTRICT", " ON DELETE CASCADE ON UPDATE CASCADE",
           " ON DELETE SET NULL ON UPDATE CASCADE"]
TYPES = ["", "INTEGER", "TEXT", "REAL", "BLOB"]
VALUES = ["NULL", "1", "2", "3", "4", "5", "'1'", "'2'", "'a'", "'A'", "'b'", "2.0", "'3.0'"]
# Not in UTF-16 databases: a blob read as text shows the encoding.
BLOBS = ["x'61'", "x''", "x'32'"]
# Rows that do not fit a small page.
LONG_VALUES = ["printf('%.300c', 'q')", "printf('%.900c', 'r') || 'x'"]
STRICT_TYPES = ["INTEGER", "TEXT", "REAL", "ANY", "INT"]
# Of generated columns; the second are of what may be indexed.
GENERATED = ["a || '-' || b", "b + 1", "typeof(c)", "coalesce(a, b, c)", "c", "lower(b)"]
LOG_ROWS = 40
OR = ["", "", "", "", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ABORT ", "OR ROLLBACK "]


class Table:
    def __init__(self, name):
        self.name = name
        self.columns = []
        self.keys = []  # column tuples that are unique, in their targets' words
        self.has_rowid = True
        self.alias = None
        self.generated = []
        self.is_strict = False
        self.is_view = False
        self.counts = False  # AUTOINCREMENT
        self.is_temporary = False
        self.partial_keys = []  # (columns, WHERE) of unique partial indexes

    def names(self):
        return self.columns + self.generated


class WriteMaker:
    is_utf16 = None  # None: some scripts
    uses_upserts = True
    written_view = None

    def __init__(self, seed, statements):
        self.rng = random.Random(seed)
        self.statements = statements
        self.in_transaction = False
        self.savepoints = 0
        self.tables = []

    def make(self):
        rng = self.rng
        script = ["PRAGMA foreign_keys = %s" % rng.choice(["ON", "ON", "ON", "OFF"])]
        is_utf16 = rng.random() < 0.1 if self.is_utf16 is None else self.is_utf16
        if is_utf16:
            script.append("PRAGMA encoding = 'UTF-16%s'" % rng.choice(["le", "be"]))
        self.values = VALUES if is_utf16 or rng.random() < 0.7 else VALUES + BLOBS
        if rng.random() < 0.15:
            script.append("PRAGMA page_size = 512")
            self.values = self.values + LONG_VALUES
        for i in range(rng.randint(1, 3)):
            self.tables.append(Table("t%d" % i))
        for table in self.tables:
            script.append(self.create_table(table))
        for i in range(rng.randint(0, 3)):
            script.append(self.create_index(i))
        self.has_triggers = rng.random() < 0.4
        if self.has_triggers:
            script.append("CREATE TABLE log(name, x, y)")
            if rng.random() < 0.3:
                script.append("PRAGMA recursive_triggers = 1")
            for i in range(rng.randint(1, 3)):
                script.append(self.create_trigger(i))
            if rng.random() < 0.3:
                script += self.create_view_with_triggers()
        while len(script) < self.statements:
            script.append(self.statement())
            if rng.random() < 0.3:
                script.append("SELECT * FROM %s ORDER BY 1, 2, 3" % rng.choice(self.tables).name)
            if self.has_triggers and rng.random() < 0.1:
                script.append("SELECT * FROM log")
                script.append("DELETE FROM log")
        if self.in_transaction:
            script.append("COMMIT")
        return script

    def column(self, table, name):
        rng = self.rng
        text = name + " " + rng.choice(STRICT_TYPES if table.is_strict else TYPES)
        if rng.random() < 0.2:
            text += " COLLATE NOCASE"
        if rng.random() < 0.3:
            text += " DEFAULT " + rng.choice(["1", "'a'", "4", "NULL"])
        if rng.random() < 0.1:
            text += " NOT NULL" + rng.choice(["", "", " ON CONFLICT REPLACE", " ON CONFLICT IGNORE"])
        if rng.random() < 0.08:
            text += " CHECK (%s IS NOT 5)" % name
        if name == "a" and rng.random() < 0.4:
            text, table.alias = "a INTEGER PRIMARY KEY", "a"
            text += rng.choice(["", "", "", " AUTOINCREMENT", " ON CONFLICT REPLACE"])
            table.counts = "AUTO" in text
            table.keys.append(("a",))
        elif rng.random() < 0.35:
            text += " UNIQUE" + rng.choice(["", "", "", " ON CONFLICT REPLACE",
                                            " ON CONFLICT IGNORE"])
            table.keys.append((name,))
        return text

    def create_table(self, table):
        rng = self.rng
        table.columns = list("abc")
        table.is_strict = rng.random() < 0.12
        parts = [self.column(table, name) for name in table.columns]
        for i in range(rng.choice([0, 0, 0, 1, 2])):
            name = "gh"[i]
            unique = ""
            if rng.random() < 0.15:
                unique = " UNIQUE"
            parts.append("%s %s AS (%s)%s%s" % (
                name, "TEXT" if table.is_strict else rng.choice(["", "TEXT", "INT"]),
                rng.choice(GENERATED), rng.choice(["", " STORED"]), unique))
            table.generated.append(name)
        if table.alias is None and rng.random() < 0.5:
            key = rng.choice([("a",), ("b", "a"), ("a", "b")])
            descending = rng.choice(["", "", "", " DESC"])
            parts.append("PRIMARY KEY(%s%s)" % (", ".join(key), descending))
            table.keys.append(key)
            table.has_rowid = rng.random() < 0.5
        elif rng.random() < 0.2:
            parts.append("UNIQUE(c, b)")
            table.keys.append(("b", "c"))
        for _ in range(rng.choice([0, 1, 1, 2])):
            parts.append(self.foreign_key(table))
        options = [] if table.has_rowid else ["WITHOUT ROWID"]
        if table.is_strict:
            options.append("STRICT")
        return "CREATE TABLE %s(%s) %s" % (table.name, ", ".join(parts), ", ".join(options))

    def foreign_key(self, table):
        rng = self.rng
        # Parents are tables that are made before, or the table itself, so that most keys match.
        parents = [t for t in self.tables[:self.tables.index(table) + 1] if t.keys]
        parent = rng.choice(parents) if parents else self.tables[0]
        key = rng.choice(parent.keys) if parent.keys else ("a",)
        columns = rng.sample(table.columns, len(key))
        named = "(%s)" % ", ".join(key) if rng.random() < 0.9 else ""
        deferred = rng.choice(["", "", "", " DEFERRABLE INITIALLY DEFERRED"])
        action = rng.choice(ACTIONS)
        if parent is table and "SET" in action:
            action = ""  # REPLACE lets rows without parents into such a table of SQLite
        return "FOREIGN KEY(%s) REFERENCES %s%s%s%s" % (
            ", ".join(columns), parent.name, named, action, deferred)

    def create_index(self, number):
        rng = self.rng
        table = rng.choice(self.tables)
        columns = rng.sample(table.names(), rng.randint(1, 2))
        columns = [c + rng.choice(["", "", "", " DESC"]) for c in columns]
        if rng.random() < 0.15:
            columns.append(rng.choice(["b || c", "a + 1", "lower(c)"]))
        unique = "UNIQUE " if rng.random() < 0.2 else ""
        where = " WHERE b IS NOT 3" if rng.random() < 0.2 else ""
        if unique and where:
            table.partial_keys.append((", ".join(c.split()[0] for c in columns), where))
        return "CREATE %sINDEX i%d ON %s(%s)%s" % (unique, number, table.name, ", ".join(columns),
                                                   where)

    def create_view_with_triggers(self):
        """A view of one table, so that it is known in which order its rows are found."""
        rng = self.rng
        table = rng.choice(self.tables)
        view = Table("w0")
        view.columns, view.is_view = list("klm"), True
        columns = [rng.choice(table.names()) for _ in view.columns]
        if rng.random() < 0.3:
            columns[2] = rng.choice(["%s + 1", "%s || 'x'", "typeof(%s)"]) % columns[2]
        script = ["CREATE VIEW w0(k, l, m) AS SELECT %s FROM %s%s" % (
            ", ".join(columns), table.name,
            " WHERE " + self.condition(table) if rng.random() < 0.5 else "")]
        for number in range(20, 20 + rng.randint(1, 4)):
            script.append(self.create_trigger(number, view))
        self.written_view = view
        return script

    def view_statement(self):
        rng, view = self.rng, self.written_view
        kind = rng.random()
        where = " WHERE " + self.condition(view) if rng.random() < 0.7 else ""
        if kind < 0.4:
            rows = ", ".join(self.row(view) for _ in range(rng.choice([1, 1, 2])))
            return "INSERT %sINTO w0 VALUES %s%s" % (rng.choice(OR), rows, self.returning(view, 0.3))
        if kind < 0.8:
            return "UPDATE %sw0 SET %s = %s%s%s" % (
                rng.choice(OR), rng.choice(view.columns), self.rng.choice(self.values), where,
                self.returning(view, 0.3))
        return "DELETE FROM w0%s%s" % (where, self.returning(view, 0.3))

    def create_trigger(self, number, table=None):
        rng = self.rng
        table = table or rng.choice(self.tables)
        event = rng.choice(["INSERT", "UPDATE", "DELETE"])
        rows = {"INSERT": ["new"], "DELETE": ["old"], "UPDATE": ["old", "new"]}[event]
        time = "INSTEAD OF" if table.is_view else rng.choice(["BEFORE", "AFTER", "AFTER"])
        # SQLite does not always compute the generated columns of NEW before an UPDATE.
        is_unknown = event == "UPDATE" and time == "BEFORE"
        seen = ["%s.%s" % (row, c) for row in rows
                for c in (table.columns if is_unknown and row == "new" else table.names())]
        of = ""
        if event == "UPDATE" and rng.random() < 0.3:
            of = " OF " + ", ".join(rng.sample(table.columns, rng.randint(1, 2)))
        when = "(SELECT count(*) FROM log) < %d" % LOG_ROWS
        if rng.random() < 0.25:
            when += " AND %s %s %s" % (rng.choice(seen), rng.choice(["IS NOT", "=", "<", ">"]),
                                       rng.choice(seen + self.values))
        body = ["INSERT INTO log VALUES('g%d', %s, %s)" % (number, rng.choice(seen), rng.choice(seen))]
        for _ in range(rng.randint(0, 2)):
            body.append(self.trigger_step(seen))
        return "CREATE %sTRIGGER g%d %s %s%s ON %s WHEN %s BEGIN %s; END" % (
            "TEMP " if rng.random() < 0.12 else "", number, time, event, of, table.name, when,
            "; ".join(body))

    def trigger_step(self, seen):
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(self.tables)
        column = rng.choice(table.columns)
        if kind < 0.35:
            values = [rng.choice(seen) if rng.random() < 0.5 else self.value(table, c)
                      for c in table.columns]
            return "INSERT %sINTO %s VALUES(%s)%s" % (
                rng.choice(OR), self.target(table), ", ".join(values),
                self.upsert(table) if self.uses_upserts and rng.random() < 0.3 else "")
        if kind < 0.40:
            # Bounded, so that tables do not double.
            return "INSERT %sINTO %s %s LIMIT 2" % (rng.choice(OR), self.target(table), self.source(table))
        if kind < 0.43:
            return "INSERT INTO log SELECT 'c', changes(), last_insert_rowid()"
        if kind < 0.68:
            value = rng.choice([rng.choice(seen), self.value(table, column), self.correlated(table)])
            return "UPDATE %s%s SET %s = %s WHERE %s" % (
                rng.choice(OR), table.name, column, value, self.condition(table))
        if kind < 0.85:
            return "DELETE FROM %s WHERE %s = %s" % (table.name, column, rng.choice(seen))
        call = "RAISE(%s)" % rng.choice(
            ["IGNORE", "IGNORE", "ABORT, 'no'", "ABORT, 'no ' || %s" % rng.choice(seen), "FAIL, 'failed'",
             "FAIL, %s" % rng.choice(seen), "ROLLBACK, 'back'"])
        test = "%s = %s" % (rng.choice(seen), rng.choice(self.values))
        return rng.choice(["SELECT %s WHERE %s" % (call, test)] * 3 + [
            "SELECT CASE WHEN %s THEN %s END" % (test, call),
            "INSERT INTO log SELECT 'r', %s, 1 WHERE %s" % (call, test),
            "DELETE FROM log WHERE %s AND %s" % (test, call)])

    def value(self, table, column):
        if column == table.alias:
            return self.rng.choice(["NULL", "1", "2", "3", "4", "5"])
        return self.rng.choice(self.values)

    def target(self, table):
        return "%s(%s)" % (table.name, ", ".join(table.columns))

    def source(self, table):
        """SELECT for INSERT: as many columns as the table has; a rowid gets integers."""
        rng = self.rng
        other = rng.choice(self.tables)
        columns = [rng.choice(other.columns) for _ in table.columns]
        if table.alias:
            columns[table.columns.index(table.alias)] = "CAST(%s AS INTEGER)" % rng.choice(other.columns)
        return "SELECT %s FROM %s WHERE %s ORDER BY %s" % (
            ", ".join(columns), other.name, self.condition(other),
            ", ".join(str(i + 1) for i in range(len(columns))))

    def row(self, table):
        return "(%s)" % ", ".join(self.value(table, c) for c in table.columns)

    def correlated(self, table):
        """A subquery that reads the rows which a statement changes."""
        rng = self.rng
        column, other = rng.choice(table.names()), rng.choice(table.names())
        return "(SELECT %s FROM %s AS x WHERE x.%s %s %s.%s)" % (
            rng.choice(["count(*)", "max(x.%s)" % column, "min(x.%s)" % column, "sum(x.%s)" % column]),
            table.name, column, rng.choice(["=", "<", "<=", "<>", ">"]), table.name, other)

    def assignment(self, table, sources):
        rng = self.rng
        column = rng.choice(table.columns)
        kind = rng.random()
        if kind < 0.55:
            return "%s = %s" % (column, self.value(table, column))
        if kind < 0.75:
            return "%s = %s" % (column, rng.choice(sources) % rng.choice(table.names()))
        if kind < 0.82 and column != table.alias:
            return "%s = %s" % (column, self.correlated(table))
        if kind < 0.9 and column != table.alias:
            return "%s = %s + 1" % (column, column)
        a, b = rng.sample(table.columns, 2)
        return "(%s, %s) = (%s, %s)" % (a, b, self.value(table, a), self.value(table, b))

    def condition(self, table):
        rng = self.rng
        kind = rng.random()
        column = rng.choice(table.names())
        if kind < 0.1:
            return "%s IN (%s)" % (column, ", ".join(rng.sample(self.values, 3)))
        if kind < 0.16:
            return "%s = %s OR %s = %s" % (column, rng.choice(self.values), rng.choice(table.names()),
                                           rng.choice(self.values))
        return "%s %s %s" % (column, rng.choice(["=", "=", "IS", ">", "<>"]), rng.choice(self.values))

    def returning(self, table, chance=0.15):
        rng = self.rng
        if rng.random() >= chance:
            return ""
        if rng.random() < 0.4:
            return " RETURNING *"
        results = [rng.choice(["%s", "%s", "typeof(%s)", "%s AS r"]) % rng.choice(table.names())
                   for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.2:
            results.append("(SELECT count(*) FROM %s)" % table.name)
        return " RETURNING " + ", ".join(results)

    def upsert(self, table):
        rng = self.rng
        clauses = []
        keys = rng.sample(table.keys, min(len(table.keys), rng.randint(0, 2)))
        targets = ["(%s)" % ", ".join(k) for k in keys]
        if table.partial_keys and rng.random() < 0.3:
            targets.insert(rng.randint(0, len(targets)), "(%s)%s" % rng.choice(table.partial_keys))
        if not targets or rng.random() < 0.3:
            targets.append("")
        for target in targets:
            clause = " ON CONFLICT%s DO " % target
            if rng.random() < 0.3:
                clause += "NOTHING"
            else:
                sources = ["excluded.%s", table.name + ".%s", "%s"]
                sets = [self.assignment(table, sources) for _ in range(rng.randint(1, 2))]
                clause += "UPDATE SET " + ", ".join(sets)
                if rng.random() < 0.2:
                    clause += " WHERE excluded.%s %s %s" % (
                        rng.choice(table.names()), rng.choice(["=", "IS", ">"]), rng.choice(self.values))
            clauses.append(clause)
        return "".join(clauses)

    def with_common_table(self, table):
        rng, other = self.rng, self.rng.choice(self.tables)
        start = "WITH z(k, m) AS (SELECT %s, %s FROM %s WHERE %s) " % (
            rng.choice(other.names()), rng.choice(other.names()), other.name, self.condition(other))
        column, key = rng.choice(table.columns), rng.choice(table.names())
        if column == table.alias or rng.random() < 0.3:
            return "%sDELETE FROM %s WHERE %s IN (SELECT k FROM z)%s" % (
                start, table.name, key, self.returning(table))
        if rng.random() < 0.3:
            return "%sUPDATE %s SET (%s, %s) = (SELECT k, m FROM z ORDER BY 1, 2 LIMIT 1) WHERE %s" % (
                start, table.name, column, rng.choice([c for c in table.columns if c != table.alias]),
                self.condition(table))
        return "%sUPDATE %s%s SET %s = (SELECT max(m) FROM z WHERE k = %s.%s)%s" % (
            start, rng.choice(OR), table.name, column, table.name, key, self.returning(table))

    def with_rowid(self, table):
        """Statements that name the rowid of a table."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.4:
            others = [c for c in table.columns if c != table.alias]
            return "INSERT %sINTO %s(rowid, %s) VALUES(%s, %s)%s" % (
                rng.choice(OR), table.name, ", ".join(others), rng.choice(["NULL", "1", "3", "'4'", "7"]),
                ", ".join(self.value(table, c) for c in others), self.returning(table))
        if kind < 0.7:
            return "UPDATE %s%s SET rowid = %s WHERE %s%s" % (
                rng.choice(OR), table.name, rng.choice(["rowid + 1", "3", "rowid * 2", "5"]),
                self.condition(table), self.returning(table))
        return "DELETE FROM %s WHERE rowid %s %s" % (table.name, rng.choice(["=", "<", ">"]),
                                                     rng.choice(["1", "2", "3", "'4'", "2.0"]))

    def some_columns(self, table):
        """INSERT that leaves columns to their defaults, in any order."""
        rng = self.rng
        columns = rng.sample(table.columns, rng.randint(1, 2))
        return "INSERT %sINTO %s(%s) VALUES(%s)%s" % (
            rng.choice(OR), table.name, ", ".join(columns),
            ", ".join(self.value(table, c) for c in columns), self.returning(table))

    def update(self, table):
        rng = self.rng
        if rng.random() < 0.08:
            return self.with_common_table(table)
        sets = [self.assignment(table, ["%s"]) for _ in range(rng.randint(1, 2))]
        where = " WHERE " + self.condition(table) if rng.random() < 0.8 else ""
        if rng.random() < 0.1:
            # Which of several matches counts depends on the order of the join: one row each.
            other = rng.choice(self.tables)
            column, key = rng.choice(table.columns), rng.choice(other.columns)
            if column == table.alias:
                column = "b"
            return "UPDATE %s%s SET %s = z.m FROM (SELECT %s AS k, max(%s) AS m FROM %s GROUP BY 1) AS z " \
                "WHERE z.k = %s.%s%s" % (rng.choice(OR), table.name, column, key,
                                         rng.choice(other.columns), other.name, table.name,
                                         rng.choice(table.names()), self.returning(table))
        if rng.random() < 0.1:
            where = " WHERE %s %s (SELECT %s FROM %s ORDER BY 1 LIMIT 1)" % (
                rng.choice(table.names()), rng.choice(["=", "<>", ">"]), rng.choice(table.columns),
                rng.choice(self.tables).name)
        return "UPDATE %s%s SET %s%s%s" % (rng.choice(OR), table.name, ", ".join(sets), where,
                                           self.returning(table))

    def statement(self):
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(self.tables)
        if self.written_view and rng.random() < 0.15:
            return self.view_statement()
        if self.has_triggers and rng.random() < 0.03:
            number = rng.randint(0, 3)
            return rng.choice(["DROP TRIGGER IF EXISTS g%d" % number, self.create_trigger(number)])
        if rng.random() < 0.06:
            return self.with_rowid(table) if table.has_rowid else self.some_columns(table)
        if rng.random() < 0.03:
            return self.some_columns(table)
        if kind < 0.3:
            rows = ", ".join(self.row(table) for _ in range(rng.choice([1, 1, 2, 4])))
            return "INSERT %sINTO %s VALUES %s%s" % (rng.choice(OR), self.target(table), rows,
                                                     self.returning(table))
        if kind < 0.48:
            rows = ", ".join(self.row(table) for _ in range(rng.choice([1, 2, 3])))
            return "INSERT %sINTO %s VALUES %s%s%s" % (
                rng.choice(OR), self.target(table), rows, self.upsert(table), self.returning(table))
        if kind < 0.54:
            return "INSERT %sINTO %s %s%s%s" % (
                rng.choice(OR), self.target(table), self.source(table),
                self.upsert(table) if rng.random() < 0.5 else "", self.returning(table))
        if kind < 0.56:
            return "INSERT %sINTO %s DEFAULT VALUES%s" % (rng.choice(OR), table.name,
                                                          self.returning(table))
        if kind < 0.76:
            return self.update(table)
        if kind < 0.88:
            where = " WHERE " + self.condition(table) if rng.random() < 0.9 else ""
            return "DELETE FROM %s%s%s" % (table.name, where, self.returning(table))
        if kind < 0.9:
            return rng.choice(["PRAGMA defer_foreign_keys = 0", "PRAGMA defer_foreign_keys = 1",
                               "PRAGMA foreign_key_check", "SELECT changes(), last_insert_rowid()"]
                              + self.sequence_statements())
        return self.transaction_statement()

    def sequence_statements(self):
        """What touches sqlite_sequence, if there is one."""
        # A trigger that could insert into such a table makes its row there, also when it does not fire.
        counted = [t.name for t in self.tables if t.counts and not self.has_triggers]
        if not counted:
            return []
        name = self.rng.choice(counted)
        return ["SELECT * FROM sqlite_sequence ORDER BY 1",
                "UPDATE sqlite_sequence SET seq = %d WHERE name = '%s'" % (self.rng.randint(0, 9), name),
                "DELETE FROM sqlite_sequence WHERE name = '%s'" % name]

    def transaction_statement(self):
        rng, kind = self.rng, self.rng.random()
        if not self.in_transaction:
            self.in_transaction, self.savepoints = True, 0
            return "BEGIN"
        if kind < 0.35:
            self.savepoints += 1
            return "SAVEPOINT p%d" % self.savepoints
        if kind < 0.6 and self.savepoints:
            return "ROLLBACK TO p%d" % rng.randint(1, self.savepoints)
        if kind < 0.7 and self.savepoints:
            return "RELEASE p%d" % self.savepoints
        self.in_transaction = rng.random() < 0.3  # a COMMIT may fail
        return rng.choice(["COMMIT", "COMMIT", "ROLLBACK"])
