// Joins and subqueries.
#include "engine/workload.h"

namespace godwit::bench {

std::vector<Workload> join_workloads(int64_t) {
  struct Row {
    const char* name;
    const char* sql;
  };
  static constexpr Row kRows[] = {
      {"join by rowid",
       "SELECT count(*), sum(i.price) FROM link l CROSS JOIN item i ON i.id = l.item"},
      {"join by index",
       "SELECT count(*), sum(i.price) FROM link l CROSS JOIN item i ON i.code = l.code"},
      {"join without an index",
       "SELECT count(*), sum(l.b + r.b) FROM left_side l JOIN right_side r ON l.a = r.a"},
      {"three-table star join",
       "SELECT i.kind, count(*), sum(p.c) FROM link l JOIN item i ON i.id = l.item "
       "JOIN plain p ON p.id = l.code WHERE i.kind IN (1, 4) GROUP BY i.kind"},
      {"correlated subquery",
       "SELECT sum((SELECT max(l.code) FROM link l WHERE l.item = i.id)) FROM item i "
       "WHERE i.kind < 5"},
      {"EXISTS",
       "SELECT count(*) FROM item i "
       "WHERE EXISTS (SELECT 1 FROM link l WHERE l.item = i.id AND l.code > i.code)"},
  };
  std::vector<Workload> workloads;
  for (const Row& row : kRows) {
    std::string sql = row.sql;
    workloads.push_back({row.name, 1, [sql](Session& s) { return s.data().checksum(sql); }});
  }
  return workloads;
}

}  // namespace godwit::bench
