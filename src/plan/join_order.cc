// Search: chains of one source, of two, ... Each round extends every chain of the round before by
// every path that fits, and keeps the best few, so the time is linear in the number of sources. Of
// chains over the same sources the cheaper survives, but one that comes in the wanted order does
// not compete with one that does not.
#include "plan/join_order.h"

#include <algorithm>
#include <utility>

#include "plan/order_by.h"

namespace godwit {
namespace {

struct Chain {
  SourceMask sources = 0;
  LogEst rows = 0;
  LogEst cost = 0;      // sorting included
  LogEst unsorted = 0;  // without
  int ordered = -1;     // terms of the order that hold; -1: all so far
  SourceMask reverse = 0;
  const AccessPath** paths = nullptr;  // as many as sources
};

constexpr LogEst kRunsMax = 48;

size_t chains_kept(size_t sources) { return sources <= 1 ? 1 : sources == 2 ? 5 : 18; }

class Search {
 public:
  // `row_estimate`: rows of the result, from a search that did not look at the order; 0: do not look.
  Search(FromClause* from, const PathSet& set, LogEst row_estimate)
      : from_(from), set_(set), row_estimate_(row_estimate) {
    uses_order_ = row_estimate > 0 && from->order.kind != OrderRequest::Kind::kNone;
  }

  // False: there is no chain.
  bool run(Chain* best);

 private:
  void extend(const Chain& chain, const AccessPath& path);
  LogEst sorting_cost(int ordered_terms) const;
  void keep(const Chain& chain, const Chain& before, const AccessPath& path);
  void find_worst();

  FromClause* from_;
  const PathSet& set_;
  LogEst row_estimate_;
  bool uses_order_ = false;
  size_t level_ = 0;  // sources in the chains that are extended
  std::span<Chain> next_;
  size_t next_count_ = 0;
  Chain* worst_ = nullptr;  // of next_, when it is full
};

LogEst Search::sorting_cost(int ordered_terms) const {
  size_t terms = from_->order.terms.size();
  LogEst width = log_est((from_->order.result_columns + 59) / 30);
  LogEst rows = row_estimate_;
  LogEst cost = rows + width;
  if (ordered_terms > 0) cost += log_est((terms - ordered_terms) * 100 / terms) - 66;
  if (from_->order.has_limit) {
    cost += 10;
    if (ordered_terms != 0) cost += 6;
    rows = std::min(rows, from_->order.limit);
  } else if (from_->order.kind == OrderRequest::Kind::kDistinct && rows > 10) {
    rows -= 10;
  }
  return cost + log_est_of_log(rows);
}

void Search::find_worst() {
  if (next_count_ < next_.size()) return;
  auto key = [](const Chain& c) { return std::pair(c.cost, c.unsorted); };
  worst_ = &*std::ranges::max_element(next_, {}, key);
}

void Search::keep(const Chain& chain, const Chain& before, const AccessPath& path) {
  Chain* place = nullptr;
  for (Chain& other : next_.first(next_count_)) {
    if (other.sources == chain.sources && (other.ordered < 0) == (chain.ordered < 0)) {
      auto key = [](const Chain& c) { return std::tuple(c.cost, c.rows, c.unsorted); };
      if (key(other) <= key(chain)) return;
      place = &other;
      break;
    }
  }
  if (place == nullptr && next_count_ < next_.size()) {
    place = &next_[next_count_++];
    place->paths = from_->arena()->make_array<const AccessPath*>(from_->size()).data();
  }
  if (place == nullptr) place = worst_;
  const AccessPath** paths = place->paths;
  *place = chain;
  place->paths = paths;
  std::copy_n(before.paths, level_, paths);
  paths[level_] = &path;
  find_worst();
}

void Search::extend(const Chain& chain, const AccessPath& path) {
  if ((path.prerequisites & ~chain.sources) != 0) return;
  // Building a hash table does not pay for so few look-ups.
  if (path.method == AccessMethod::kHash && chain.rows < 3) return;
  Chain longer;
  longer.sources = chain.sources | source_bit(path.source);
  longer.unsorted = log_est_add(path.setup, static_cast<LogEst>(path.run + chain.rows));
  longer.unsorted = log_est_add(longer.unsorted, chain.unsorted);
  longer.rows = chain.rows + path.rows;
  longer.ordered = chain.ordered;
  longer.reverse = chain.reverse;
  if (uses_order_ && longer.ordered < 0) {
    const AccessPath* paths[kSourcesMax];
    std::copy_n(chain.paths, level_, paths);
    paths[level_] = &path;
    longer.ordered = satisfied_terms(from_, set_, {paths, level_ + 1}, &longer.reverse);
  }
  int terms = static_cast<int>(from_->order.terms.size());
  if (uses_order_ && longer.ordered >= 0 && longer.ordered < terms) {
    longer.cost = log_est_add(longer.unsorted, sorting_cost(longer.ordered)) + 3;
  } else {
    longer.cost = longer.unsorted;
    longer.unsorted -= 2;
  }
  // A chain that is worse than all that are kept does not displace one over the same sources either.
  if (worst_ != nullptr && std::pair(worst_->cost, worst_->unsorted) <=
                               std::pair(longer.cost, longer.unsorted)) {
    return;
  }
  keep(longer, chain, path);
}

bool Search::run(Chain* best) {
  size_t sources = from_->size();
  size_t width = chains_kept(sources);
  std::span<Chain> current = from_->arena()->make_array<Chain>(1);
  current[0].ordered = uses_order_ ? -1 : 0;
  // A table that is built once serves all runs; how many there will be is a guess.
  current[0].rows = std::min<LogEst>(from_->context->runs, kRunsMax);
  current[0].paths = from_->arena()->make_array<const AccessPath*>(sources).data();
  for (level_ = 0; level_ < sources; ++level_) {
    next_ = from_->arena()->make_array<Chain>(width);
    next_count_ = 0;
    worst_ = nullptr;
    for (const Chain& chain : current) {
      for (const AccessPath* path : set_.paths) {
        if ((chain.sources & source_bit(path->source)) == 0) extend(chain, *path);
      }
    }
    if (next_count_ == 0) return false;
    current = next_.first(next_count_);
  }
  *best = *std::ranges::min_element(current, {}, [](const Chain& c) { return c.cost; });
  return true;
}

}  // namespace

Result<JoinOrder> choose_join_order(FromClause* from, const PathSet& set) {
  Chain best;
  if (!Search(from, set, 0).run(&best)) return Status::error("no query solution");
  if (from->order.kind != OrderRequest::Kind::kNone) {
    Search(from, set, best.rows + 1).run(&best);
  }
  JoinOrder order;
  order.chain = {best.paths, from->size()};
  order.rows = best.rows;
  order.cost = best.cost;
  if (from->order.kind == OrderRequest::Kind::kNone) return order;
  order.ordered_terms = std::max(0, satisfied_terms(from, set, order.chain, &order.reverse));
  if (from->order.kind == OrderRequest::Kind::kDistinct) {
    order.reverse = 0;
  } else if (order.ordered_terms == 0) {
    // The direction of the rows counts here for groups too.
    OrderRequest::Kind kind = std::exchange(from->order.kind, OrderRequest::Kind::kOrderBy);
    SourceMask reverse = 0;
    if (innermost_gives_order(from, set, order.chain, &reverse)) order.reverse = reverse;
    from->order.kind = kind;
  }
  return order;
}

}  // namespace godwit
