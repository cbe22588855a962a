// Keeping paths: of those that compete, only the ones that may still win.
#include <algorithm>

#include "plan/access_path.h"

namespace godwit {
namespace {

bool needs_no_more(const AccessPath& a, const AccessPath& b) {
  return (a.prerequisites & ~b.prerequisites) == 0;
}

size_t keys_used(const AccessPath& path) {
  return path.equal.size() + (path.lower != nullptr) + (path.upper != nullptr);
}

bool uses(const AccessPath& path, const Constraint* constraint) {
  return path.lower == constraint || path.upper == constraint ||
         std::ranges::find(path.equal, constraint) != path.equal.end();
}

// `a` uses some of the constraints of `b`, and not all.
bool is_weaker(const AccessPath& a, const AccessPath& b) {
  if (keys_used(a) >= keys_used(b)) return false;
  auto unused = [&](const Constraint* c) { return c != nullptr && !uses(b, c); };
  return std::ranges::none_of(a.equal, unused) && !unused(a.lower) && !unused(a.upper);
}

bool is_seek(const AccessPath& path) {
  return path.method == AccessMethod::kIndexSeek || path.method == AccessMethod::kRowidLookup ||
         path.method == AccessMethod::kRowidRange;
}

// A path that uses more terms is never thought dearer than one that uses fewer of them.
void adjust_cost(const PathSet& set, AccessPath* path) {
  if (!is_seek(*path)) return;
  for (const AccessPath* other : set.paths) {
    if (other->source != path->source || !is_seek(*other)) continue;
    if (is_weaker(*other, *path) && other->run <= path->run && other->rows <= path->rows) {
      path->run = std::min(path->run, other->run);
      path->rows = std::min<LogEst>(path->rows, static_cast<LogEst>(other->rows - 1));
    }
  }
  path->rows = std::max<LogEst>(path->rows, 0);
}

}  // namespace

void keep_path(FromClause* from, PathSet* set, const AccessPath& candidate) {
  AccessPath path = candidate;
  adjust_cost(*set, &path);
  size_t kept = 0;
  AccessPath* place = nullptr;
  for (AccessPath* other : set->paths) {
    bool competes = other->source == path.source && other->order_class == path.order_class;
    if (competes && place == nullptr && needs_no_more(*other, path) && other->setup <= path.setup &&
        other->run <= path.run && other->rows <= path.rows) {
      return;
    }
    bool displaced = competes && needs_no_more(path, *other) && path.setup <= other->setup &&
                     other->run >= path.run && other->rows >= path.rows;
    // A real index is as good as a hash table that must be built.
    displaced |= other->source == path.source && other->method == AccessMethod::kHash &&
                 is_seek(path) && !path.equal.empty() && needs_no_more(path, *other);
    if (displaced && place != nullptr) continue;
    if (displaced) place = other;
    set->paths[kept++] = other;
  }
  set->paths.resize(kept);
  if (place != nullptr) {
    *place = path;
    return;
  }
  set->paths.push_back(from->arena()->make<AccessPath>(path));
}

}  // namespace godwit
