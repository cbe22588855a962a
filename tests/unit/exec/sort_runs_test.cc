// Rows that were sorted in parts and merged come in the same order as rows that were sorted at once.
#include "exec/sort_runs.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "os/memory/memory_vfs.h"
#include "value/collation.h"

namespace godwit {
namespace {

constexpr size_t kColumns = 3;

ValueView random_value(Prng* prng, Arena* arena) {
  switch (prng->below(6)) {
    case 0: return ValueView::null();
    case 1: return ValueView::of(static_cast<int64_t>(prng->below(20)));
    case 2: return ValueView::of(static_cast<double>(prng->below(40)) / 2);
    case 3: {
      ValueView zeros;
      zeros.type = ValueType::kBlob;
      zeros.bytes = nullptr;
      zeros.size = 1 + static_cast<uint32_t>(prng->below(5));
      zeros.zero_filled = true;
      return zeros;
    }
    default: {
      std::string text(prng->below(prng->below(20) == 0 ? 5000 : 12), static_cast<char>('a' + prng->below(4)));
      ValueView value = ValueView::of_text(arena->copy(text));
      if (prng->below(2) == 0) value.type = ValueType::kBlob;
      return value;
    }
  }
}

std::string text_of(const ValueView& value) {
  std::string text = std::to_string(static_cast<int>(value.type)) + ":";
  if (value.type == ValueType::kInteger || value.type == ValueType::kReal) return text + std::to_string(value.integer);
  text += std::to_string(value.size) + ":";
  return value.type >= ValueType::kText && value.bytes != nullptr ? text + std::string(value.bytes, value.size) : text;
}

// The last column counts the rows, so that a sort that is not stable shows.
void fill(RowSorter* sorter, Prng* prng, Arena* arena, uint32_t rows, int64_t* count) {
  std::vector<ColumnBuilder> builders(kColumns);
  std::vector<const Vector*> columns;
  for (ColumnBuilder& builder : builders) builder.begin(rows);
  for (uint32_t row = 0; row < rows; ++row) {
    builders[0].put(row, random_value(prng, arena));
    builders[1].put(row, random_value(prng, arena));
    builders[2].put_integer(row, (*count)++);
  }
  for (ColumnBuilder& builder : builders) {
    builder.finish();
    columns.push_back(&builder.vector());
  }
  sorter->append(columns, {nullptr, rows});
}

void check(int64_t limit) {
  std::vector<SortKey> keys = {{0, binary_collation(), false, true}, {1, binary_collation(), true, false}};
  RowSorter all(kColumns, keys), part(kColumns, keys);
  MemoryVfs vfs;
  OpenOptions options;
  options.kind = FileKind::kTemporary;
  auto file = vfs.open("", options);
  ASSERT_TRUE(file.ok());
  SortRuns runs(std::move(*file), keys, kColumns, limit);
  Arena arena;
  Prng a(7), b(7);
  int64_t count_a = 0, count_b = 0;
  all.set_limit(limit);
  for (int run = 0; run < 9; ++run) {
    part.set_limit(limit);
    for (int i = 0; i < run; ++i) {
      fill(&all, &a, &arena, 700, &count_a);
      fill(&part, &b, &arena, 700, &count_b);
    }
    part.sort();
    ASSERT_TRUE(runs.add(part).ok());
    part.clear();
  }
  all.sort();
  ASSERT_TRUE(runs.start_merge().ok());
  uint32_t place = 0;
  for (uint32_t rows : {1u, 8u, 64u, 1000u, 1000000u}) {
    for (;;) {
      const Chunk* chunk = nullptr;
      ASSERT_TRUE(runs.next(std::min(rows, kChunkRowsMax), &chunk).ok());
      for (uint32_t row = 0; row < chunk->rows; ++row, ++place) {
        for (size_t column = 0; column < kColumns; ++column) {
          ASSERT_EQ(text_of(chunk->columns[column]->get(row)), text_of(all.rows().get(all.row(place), column)))
              << "row " << place;
        }
      }
      if (chunk->at_end() || rows != 1000000u) break;
    }
  }
  EXPECT_EQ(place, all.size());
}

TEST(SortRunsTest, MergedRunsAreInTheOrderOfOneSort) { check(-1); }
TEST(SortRunsTest, ALimitEndsTheMerge) { check(1500); }

}  // namespace
}  // namespace godwit
