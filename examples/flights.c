/* Opens a database (made if absent), adds a row in a transaction, and prints a summary: the C interface
** in one page. Build it with:
**
**   cc -Iinclude examples/flights.c -Lbuild/release/lib -l:libsqlite3.so.0 -o flights
**   LD_LIBRARY_PATH=build/release/lib ./flights birds.db
*/
#include <stdio.h>

#include "sqlite3.h"

static int fail(sqlite3 *db, const char *what) {
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  sqlite3_close(db);
  return 1;
}

int main(int argc, char **argv) {
  sqlite3 *db = NULL;
  sqlite3_stmt *insert = NULL, *query = NULL;

  if (sqlite3_open(argc > 1 ? argv[1] : ":memory:", &db) != SQLITE_OK) return fail(db, "open");
  if (sqlite3_exec(db,
                   "CREATE TABLE IF NOT EXISTS flight(id INTEGER PRIMARY KEY, bird TEXT NOT NULL, "
                   "km INT CHECK (km > 0));"
                   "BEGIN;",
                   NULL, NULL, NULL) != SQLITE_OK) {
    return fail(db, "schema");
  }

  if (sqlite3_prepare_v2(db, "INSERT INTO flight(bird, km) VALUES(?, ?)", -1, &insert, NULL)) {
    return fail(db, "prepare");
  }
  const char *birds[] = {"godwit", "tern", "godwit"};
  const int km[] = {13560, 12200, 12050};
  for (int i = 0; i < 3; ++i) {
    sqlite3_bind_text(insert, 1, birds[i], -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 2, km[i]);
    if (sqlite3_step(insert) != SQLITE_DONE) return fail(db, "insert");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) return fail(db, "commit");

  if (sqlite3_prepare_v2(db,
                         "SELECT bird, count(*), max(km) FROM flight GROUP BY bird ORDER BY 3 DESC",
                         -1, &query, NULL)) {
    return fail(db, "prepare");
  }
  while (sqlite3_step(query) == SQLITE_ROW) {
    printf("%s: %d flights, %d km\n", (const char *)sqlite3_column_text(query, 0),
           sqlite3_column_int(query, 1), sqlite3_column_int(query, 2));
  }
  sqlite3_finalize(query);
  return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
