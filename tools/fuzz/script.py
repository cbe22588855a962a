"""Random scripts: a schema, rows, then statements that change and query them."""
import random

import expr
import schema
import triggers
from expr import Scope, expression
from query import QueryMaker

ACTIONS = ["", "", "", "OR IGNORE ", "OR REPLACE ", "OR ABORT ", "OR FAIL ", "OR ROLLBACK "]


# How often a function call is one of a topic's (expr.TOPICS), by the mode of the fuzzer.
TOPICS = {"": {"json": 0.05, "dates": 0.08, "text": 0.15}, "json": {"json": 0.5}, "dates": {"dates": 0.7},
          "text": {"text": 0.7}, "utf16": {"dates": 0.1, "text": 0.4}}


class ScriptMaker:
    def __init__(self, seed, statements, mode=""):
        self.rng = random.Random(seed)
        self.mode = mode
        self.statements = statements
        self.in_transaction = False
        self.savepoints = 0
        self.indexes = 10

    def make(self):
        rng, script = self.rng, []
        # A blob read as text shows the stored encoding's bytes: without blobs (and JSONB) for UTF-16.
        self.blobs = self.mode != "utf16" and (self.mode == "json" or rng.random() < 0.9)
        topics = dict(TOPICS[self.mode])
        if not self.blobs:
            topics.pop("json", None)
        expr.use_topics(topics)
        schema.use_blobs(self.blobs)
        expr.use_blobs(self.blobs)
        if not self.blobs:
            script.append("PRAGMA encoding = 'UTF-16%s'" % rng.choice(["le", "be"]))
        if rng.random() < 0.2:
            script.append("PRAGMA page_size = %d" % rng.choice([512, 1024, 8192, 65536]))
        if rng.random() < 0.1:
            script.append("PRAGMA auto_vacuum = 1")
        tables = []
        for i in range(rng.randint(1, 3)):
            sql, table = schema.create_table(rng, i)
            script.append(sql)
            tables.append(table)
        base = list(tables)
        indexes = {}
        for i in range(rng.randint(0, 3)):
            table = rng.choice(base)
            script.append(schema.create_index(rng, i, table))
            # Whether INDEXED BY can name an index on expressions or a partial one depends on rewrites.
            if "WHERE" not in script[-1] and script[-1].count("(") == 1 and " IS " not in script[-1]:
                indexes.setdefault(table.name, []).append("i%d" % i)
        for table in base:
            for _ in range(rng.randint(1, 2)):
                script.append(schema.insert(rng, table, rng.randint(1, 7), "OR IGNORE "))
        self.queries = QueryMaker(tables)
        self.queries.indexes = indexes
        if rng.random() < 0.3:
            view = schema.Table("v0", [("k0", ""), ("k1", "")], True, None)
            view.is_view = True
            script.append("CREATE VIEW v0(k0, k1) AS " + self.queries.core(rng, None, 2, 1, False))
            view.is_view = True
            tables.append(view)
        self.views = [table for table in tables if table.is_view]
        self.triggers = 0
        if rng.random() < 0.4:
            script.append(triggers.LOG)
            if rng.random() < 0.3:
                script.append("PRAGMA recursive_triggers = 1")
            for _ in range(rng.randint(1, 4)):
                script.append(self.create_trigger(base))
        while len(script) < self.statements:
            script.append(self.statement(base))
        if self.in_transaction:
            script.append("COMMIT")
        return script

    def create_trigger(self, tables):
        self.triggers += 1
        table = self.rng.choice(tables + self.views)
        return triggers.create(self.rng, self.triggers, table, tables)

    def statement(self, tables):
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(tables)
        scope = Scope(table.names(), self.queries.subquery)
        if self.triggers and rng.random() < 0.3:
            return self.fire(tables)
        if kind < 0.70:
            return self.queries.query(rng)
        if kind < 0.79:
            return schema.insert(rng, table, rng.randint(1, 5), rng.choice(ACTIONS)) + (
                triggers.returning(rng, table, 0.2))
        if kind < 0.82:
            source = self.queries.core(rng, None, len(table.columns), 1, False, named=True)
            numbers = ", ".join(str(i + 1) for i in range(len(table.columns)))
            target = "%s(%s)" % (table.name, ", ".join(table.stored_names()))
            if table.rowid_alias:
                # SQLite leaves rows before a "datatype mismatch" in the table for other actions; and
                # behind the largest rowid come random ones.
                key = ["CAST(k0 AS INTEGER) % 1000"] + ["k%d" % i for i in range(1, len(table.columns))]
                return "INSERT INTO %s SELECT %s FROM (%s) ORDER BY %s LIMIT 1" % (
                    target, ", ".join(key), source, numbers)
            # Bounded, so that tables stay small however many rows a join gives.
            return "INSERT %sINTO %s SELECT * FROM (%s) ORDER BY %s LIMIT 4" % (
                rng.choice(ACTIONS), target, source, numbers)
        if kind < 0.89:
            columns = rng.sample(table.stored_names(), rng.randint(1, min(2, len(table.columns))))
            sets = []
            for c in columns:
                text = expression(rng, scope, 1) if rng.random() < 0.5 else schema.value(rng)
                if c == table.rowid_alias:
                    # What a "datatype mismatch" leaves behind is no rule.
                    text = "ifnull(CAST(%s AS INTEGER) %% 1000, 3)" % text
                sets.append("%s = %s" % (c, text))
            sets = ", ".join(sets)
            if rng.random() < 0.15:
                return self.update_from(table, columns)
            return "UPDATE %s%s SET %s WHERE %s%s" % (
                rng.choice(ACTIONS), table.name, sets, expression(rng, scope, 1),
                triggers.returning(rng, table, 0.2))
        if kind < 0.90:
            if rng.random() < 0.4:
                self.indexes += 1
                return schema.create_index(rng, self.indexes, table)
            if rng.random() < 0.5:
                return "DROP INDEX IF EXISTS i%d" % rng.randint(0, self.indexes)
            return "INSERT %sINTO %s DEFAULT VALUES" % (rng.choice(ACTIONS), table.name)
        if kind < 0.92:
            return "DELETE FROM %s WHERE %s%s" % (table.name, expression(rng, scope, 2),
                                                  triggers.returning(rng, table, 0.2))
        return self.transaction_statement()

    def fire(self, tables):
        """A statement that may fire triggers, or what makes room for them to fire again."""
        rng, kind = self.rng, self.rng.random()
        table = rng.choice(tables)
        if kind < 0.15:
            return "DELETE FROM log"
        if kind < 0.20:
            return "DROP TRIGGER IF EXISTS g%d" % rng.randint(1, self.triggers)
        if kind < 0.30:
            return self.create_trigger(tables)
        if kind < 0.45 and self.views:
            return triggers.view_change(rng, self.views[0])
        if kind < 0.70:
            return schema.insert(rng, table, rng.randint(1, 3), rng.choice(ACTIONS)) + (
                triggers.returning(rng, table, 0.3))
        where = "%s %s %s" % (rng.choice(table.names()), rng.choice(["=", "<", ">"]),
                              schema.value(rng))
        if kind < 0.9:
            return "UPDATE %s%s SET %s = %s WHERE %s%s" % (
                rng.choice(ACTIONS), table.name, rng.choice(table.stored_names()), schema.value(rng), where,
                triggers.returning(rng, table, 0.3))
        return "DELETE FROM %s WHERE %s%s" % (table.name, where, triggers.returning(rng, table, 0.3))

    def update_from(self, table, columns):
        """The other side has one row, so that it is known which one a row is changed by."""
        rng = self.rng
        source = self.queries.core(rng, None, 2, 1, False, named=True)
        column = rng.choice([c for c in columns if c != table.rowid_alias] or ["b"])
        if column not in table.stored_names():
            column = table.stored_names()[-1]
            if column == table.rowid_alias:
                return "DELETE FROM %s WHERE 0" % table.name
        return "UPDATE %s SET %s = z.k1 FROM (SELECT * FROM (%s) ORDER BY 1, 2 LIMIT 1) AS z " \
            "WHERE z.k0 %s %s.%s" % (table.name, column, source, rng.choice(["=", "<>", "IS", "<"]),
                                     table.name, rng.choice(table.names()))

    def transaction_statement(self):
        rng = self.rng
        if not self.in_transaction:
            self.in_transaction, self.savepoints = True, 0
            return "BEGIN"
        kind = rng.random()
        if kind < 0.35:
            self.savepoints += 1
            return "SAVEPOINT p%d" % self.savepoints
        if kind < 0.6 and self.savepoints:
            return "ROLLBACK TO p%d" % rng.randint(1, self.savepoints)
        if kind < 0.75 and self.savepoints:
            return "RELEASE p%d" % self.savepoints
        self.in_transaction = False
        return rng.choice(["COMMIT", "ROLLBACK"])
