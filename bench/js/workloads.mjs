// The data and the seven micro workloads. A workload's `prepare` gives a function of the iteration's number.

import { below, random } from './common.mjs';

const FIRST = ['Ada', 'Alan', 'Barbara', 'Donald', 'Edsger', 'Frances', 'Grace', 'John', 'Katherine', 'Ken', 'Leslie', 'Tony'];
const CITIES = ['Auckland', 'Bergen', 'Cusco', 'Dakar', 'Esbjerg', 'Fukuoka', 'Graz', 'Hobart'];

export const SCHEMA = `
  CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER NOT NULL,
                     city TEXT NOT NULL, score REAL NOT NULL);
  CREATE INDEX users_age ON users(age);
  CREATE TABLE orders(id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, amount REAL NOT NULL, note TEXT);
  CREATE INDEX orders_user ON orders(user_id);
  CREATE TABLE events(id INTEGER PRIMARY KEY, user_id INTEGER, kind TEXT, payload TEXT, at INTEGER);
`;

function user(i, next) {
  const name = `${FIRST[below(next, FIRST.length)]} ${i}`;
  return [name, `user${i}@example.com`, 18 + below(next, 60), CITIES[below(next, CITIES.length)], next() * 1000];
}

export function seed(db, rows) {
  const next = random(42);
  db.exec(SCHEMA);
  const insertUser = db.prepare('INSERT INTO users(name, email, age, city, score) VALUES(?, ?, ?, ?, ?)');
  const insertOrder = db.prepare('INSERT INTO orders(user_id, amount, note) VALUES(?, ?, ?)');
  db.exec('BEGIN');
  for (let i = 1; i <= rows; ++i) insertUser.run(...user(i, next));
  for (let i = 1; i <= rows * 2; ++i) insertOrder.run(1 + below(next, rows), next() * 500, `order ${i}`);
  db.exec('COMMIT');
}

const INSERT_EVENT = 'INSERT INTO events(user_id, kind, payload, at) VALUES(?, ?, ?, ?)';

export const WORKLOADS = {
  'insert-single': {
    iterations: 3000,
    prepare(db, rows) {
      const insert = db.prepare(INSERT_EVENT);
      return (i) => insert.run(i % rows, 'click', `payload of event ${i}`, 1700000000 + i);
    },
  },
  'insert-tx-batch': {
    iterations: 100,
    operations: 1000, // rows of one transaction
    prepare(db, rows) {
      const insert = db.prepare(INSERT_EVENT);
      const begin = db.prepare('BEGIN');
      const commit = db.prepare('COMMIT');
      return (i) => {
        begin.run();
        for (let k = 0; k < 1000; ++k) insert.run(k % rows, 'batch', `payload of event ${i}-${k}`, 1700000000 + k);
        commit.run();
      };
    },
  },
  'select-point': {
    iterations: 20000,
    prepare(db, rows, next) {
      const select = db.prepare('SELECT * FROM users WHERE id = ?');
      return () => {
        if (select.get(1 + below(next, rows)) === undefined) throw new Error('no such user');
      };
    },
  },
  'select-range-indexed': {
    iterations: 2000,
    prepare(db, rows, next) {
      const select = db.prepare('SELECT id, name, age FROM users WHERE age BETWEEN ? AND ? LIMIT 100');
      return () => {
        const low = 18 + below(next, 50);
        select.all(low, low + 5);
      };
    },
  },
  'select-fullscan-agg': {
    iterations: 200,
    prepare(db) {
      const select = db.prepare('SELECT count(*) AS n, avg(score) AS a, max(age) AS m FROM users WHERE score > ?');
      return (i) => select.get(i % 500);
    },
  },
  'select-join': {
    iterations: 2000,
    prepare(db, rows, next) {
      const select = db.prepare('SELECT u.name, o.amount, o.note FROM users u JOIN orders o ON o.user_id = u.id ' +
        'WHERE u.age = ? ORDER BY o.amount DESC LIMIT 20');
      return () => select.all(18 + below(next, 60));
    },
  },
  'update-point': {
    iterations: 3000,
    prepare(db, rows, next) {
      const update = db.prepare('UPDATE users SET score = ? WHERE id = ?');
      return (i) => update.run(i * 1.5, 1 + below(next, rows));
    },
  },
};
