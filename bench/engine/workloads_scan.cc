// Queries over a whole table: scans, filters, grouping, sorting.
#include "engine/workload.h"

namespace godwit::bench {

std::vector<Workload> scan_workloads(int64_t) {
  struct Row {
    const char* name;
    const char* sql;
  };
  static constexpr Row kRows[] = {
      {"full scan count and avg", "SELECT count(*), avg(price) FROM item"},
      {"filter by text equality", "SELECT count(*), sum(id) FROM item WHERE name = 'name 77'"},
      {"filter by LIKE", "SELECT count(*), sum(id) FROM item WHERE note LIKE '%item 77%'"},
      {"GROUP BY, few keys", "SELECT kind, count(*), sum(price) FROM item GROUP BY kind"},
      {"GROUP BY, many keys", "SELECT code / 5, count(*), max(price) FROM item GROUP BY code / 5"},
      {"ORDER BY LIMIT 10", "SELECT id, name FROM item ORDER BY price DESC, id LIMIT 10"},
      {"full sort", "SELECT id, name FROM item ORDER BY name, id"},
      {"DISTINCT", "SELECT DISTINCT name FROM item"},
      {"read all rows", "SELECT * FROM item"},
      {"window running sum",
       "SELECT max(s) FROM (SELECT sum(price) OVER (ORDER BY id) AS s FROM item)"},
      {"JSON extract",
       "SELECT sum(json_extract('{\"id\":' || id || ',\"tags\":[\"a\",\"b\"],\"price\":' || price || '}',"
       " '$.price')) FROM item"},
      {"recursive CTE to 1 M",
       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) "
       "SELECT count(*), sum(i) FROM n"},
  };
  std::vector<Workload> workloads;
  for (const Row& row : kRows) {
    std::string sql = row.sql;
    workloads.push_back({row.name, 1, [sql](Session& s) { return s.data().checksum(sql); }});
  }
  return workloads;
}

}  // namespace godwit::bench
