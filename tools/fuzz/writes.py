"""Random scripts of writes: foreign keys with their actions, ON CONFLICT clauses, REPLACE,
savepoints. Values come from a small set, so that keys meet."""
import random

ACTIONS = ["", "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON DELETE SET DEFAULT",
           " ON DELETE RESTRICT", " ON UPDATE CASCADE", " ON UPDATE SET NULL",
           " ON UPDATE SET DEFAULT", " ON UPDATE RESTRICT", " ON DELETE CASCADE ON UPDATE CASCADE",
           " ON DELETE SET NULL ON UPDATE CASCADE"]
TYPES = ["", "INTEGER", "TEXT", "REAL", "BLOB"]
VALUES = ["NULL", "1", "2", "3", "4", "5", "'1'", "'2'", "'a'", "'A'", "'b'", "2.0", "'3.0'"]
OR = ["", "", "", "", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ABORT ", "OR ROLLBACK "]


class Table:
    def __init__(self, name):
        self.name = name
        self.columns = []
        self.keys = []  # column tuples that are unique, in their targets' words
        self.has_rowid = True
        self.alias = None


class WriteMaker:
    def __init__(self, seed, statements):
        self.rng = random.Random(seed)
        self.statements = statements
        self.in_transaction = False
        self.savepoints = 0
        self.tables = []

    def make(self):
        rng = self.rng
        script = ["PRAGMA foreign_keys = %s" % rng.choice(["ON", "ON", "ON", "OFF"])]
        for i in range(rng.randint(1, 3)):
            self.tables.append(Table("t%d" % i))
        for table in self.tables:
            script.append(self.create_table(table))
        for i in range(rng.randint(0, 3)):
            script.append(self.create_index(i))
        while len(script) < self.statements:
            script.append(self.statement())
            if rng.random() < 0.3:
                script.append("SELECT * FROM %s ORDER BY 1, 2, 3" % rng.choice(self.tables).name)
        if self.in_transaction:
            script.append("COMMIT")
        return script

    def create_table(self, table):
        rng = self.rng
        names = list("abc")
        table.columns = names
        parts = []
        for name in names:
            text = name + " " + rng.choice(TYPES)
            if rng.random() < 0.2:
                text += " COLLATE NOCASE"
            if rng.random() < 0.3:
                text += " DEFAULT " + rng.choice(["1", "'a'", "4", "NULL"])
            if name == "a" and rng.random() < 0.4:
                text, table.alias = "a INTEGER PRIMARY KEY", "a"
                table.keys.append(("a",))
            elif rng.random() < 0.35:
                text += " UNIQUE" + rng.choice(["", "", "", " ON CONFLICT REPLACE",
                                                " ON CONFLICT IGNORE"])
                table.keys.append((name,))
            parts.append(text)
        if table.alias is None and rng.random() < 0.5:
            key = rng.choice([("a",), ("b", "a"), ("a", "b")])
            parts.append("PRIMARY KEY(%s)" % ", ".join(key))
            table.keys.append(key)
            table.has_rowid = rng.random() < 0.5
        elif rng.random() < 0.2:
            parts.append("UNIQUE(c, b)")
            table.keys.append(("b", "c"))
        for _ in range(rng.choice([0, 1, 1, 2])):
            parts.append(self.foreign_key(table))
        end = ")" if table.has_rowid else ") WITHOUT ROWID"
        return "CREATE TABLE %s(%s%s" % (table.name, ", ".join(parts), end)

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
        columns = rng.sample(table.columns, rng.randint(1, 2))
        unique = "UNIQUE " if rng.random() < 0.2 else ""
        where = " WHERE b IS NOT 3" if rng.random() < 0.2 else ""
        return "CREATE %sINDEX i%d ON %s(%s)%s" % (unique, number, table.name, ", ".join(columns),
                                                   where)

    def value(self, table, column):
        if column == table.alias:
            return self.rng.choice(["NULL", "1", "2", "3", "4", "5"])
        return self.rng.choice(VALUES)

    def row(self, table):
        return "(%s)" % ", ".join(self.value(table, c) for c in table.columns)

    def assignment(self, table, sources):
        rng = self.rng
        column = rng.choice(table.columns)
        kind = rng.random()
        if kind < 0.6:
            return "%s = %s" % (column, self.value(table, column))
        if kind < 0.8:
            return "%s = %s" % (column, rng.choice(sources) % rng.choice(table.columns))
        if kind < 0.9 and column != table.alias:
            return "%s = %s + 1" % (column, column)
        a, b = rng.sample(table.columns, 2)
        return "(%s, %s) = (%s, %s)" % (a, b, self.value(table, a), self.value(table, b))

    def condition(self, table):
        rng = self.rng
        return "%s %s %s" % (rng.choice(table.columns), rng.choice(["=", "=", "IS", ">", "<>"]),
                             rng.choice(VALUES))

    def upsert(self, table):
        rng = self.rng
        clauses = []
        keys = rng.sample(table.keys, min(len(table.keys), rng.randint(0, 2)))
        targets = ["(%s)" % ", ".join(k) for k in keys]
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
                    clause += " WHERE excluded." + self.condition(table)
            clauses.append(clause)
        return "".join(clauses)

    def statement(self):
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(self.tables)
        if kind < 0.3:
            rows = ", ".join(self.row(table) for _ in range(rng.choice([1, 1, 2, 4])))
            return "INSERT %sINTO %s VALUES %s" % (rng.choice(OR), table.name, rows)
        if kind < 0.5:
            rows = ", ".join(self.row(table) for _ in range(rng.choice([1, 2, 3])))
            return "INSERT %sINTO %s VALUES %s%s" % (rng.choice(OR), table.name, rows,
                                                     self.upsert(table))
        if kind < 0.55:
            other = rng.choice(self.tables)
            source = "SELECT a, c, b FROM %s WHERE %s ORDER BY 1, 2, 3" % (
                other.name, self.condition(other))
            if table.alias:
                source = "SELECT a, b, c FROM (%s) WHERE typeof(a) = 'integer'" % source
            return "INSERT %sINTO %s %s%s" % (rng.choice(OR), table.name, source,
                                              self.upsert(table) if rng.random() < 0.5 else "")
        if kind < 0.75:
            sets = [self.assignment(table, ["%s"]) for _ in range(rng.randint(1, 2))]
            where = " WHERE " + self.condition(table) if rng.random() < 0.8 else ""
            return "UPDATE %s%s SET %s%s" % (rng.choice(OR), table.name, ", ".join(sets), where)
        if kind < 0.88:
            where = " WHERE " + self.condition(table) if rng.random() < 0.9 else ""
            return "DELETE FROM %s%s" % (table.name, where)
        if kind < 0.9:
            return "PRAGMA defer_foreign_keys = %d" % rng.randint(0, 1)
        return self.transaction_statement()

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
