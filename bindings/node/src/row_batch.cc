#include "row_batch.h"

#include <cstring>

namespace godwit::node {

namespace {

// Longer texts are copied once instead of twice, and do not stay alive through a cut of the batch's text.
constexpr size_t kLongestSharedText = 512;
constexpr size_t kFullTextBytes = 32 << 10;
constexpr size_t kFullExtraBytes = 1 << 20;
constexpr size_t kFullExtras = 1024;
constexpr int64_t kLargestSafe = (int64_t{1} << 53) - 1;

}  // namespace

void RowBatch::clear() {
  rows = 0;
  cell_count = 0;
  integer_refused = false;
  text.clear();
  extras.clear();
  if (bytes.capacity() > kFullExtraBytes * 4) bytes.shrink_to_fit();
  bytes.clear();
}

bool RowBatch::full(int columns) const {
  return cell_count + static_cast<size_t>(columns) > kCells || text.size() >= kFullTextBytes ||
         extras.size() >= kFullExtras || bytes.size() >= kFullExtraBytes;
}

void RowBatch::add_extra(bool blob, const void* data, size_t length, bool borrow) {
  tags[cell_count++] = static_cast<uint8_t>(Tag::kExtra);
  if (borrow) {
    extras.push_back({blob, data ? data : "", 0, length});
    return;
  }
  extras.push_back({blob, nullptr, bytes.size(), length});
  bytes.append(static_cast<const char*>(data), length);
}

void RowBatch::add_text(const char* data, size_t length, bool borrow) {
  if (length > kLongestSharedText) return add_extra(false, data, length, borrow);
  unsigned char seen = 0;
  for (size_t i = 0; i < length; ++i) seen |= static_cast<unsigned char>(data[i]);
  if (seen & 0x80) return add_extra(false, data, length, borrow);
  text.append(data, length);
  cells[cell_count] = static_cast<double>(text.size());
  tags[cell_count++] = static_cast<uint8_t>(Tag::kText);
}

void RowBatch::add_row(sqlite3_stmt* program, int columns, IntegerMode integers, bool borrow) {
  for (int i = 0; i < columns; ++i) {
    sqlite3_value* column = sqlite3_column_value(program, i);
    switch (sqlite3_value_type(column)) {
      case SQLITE_INTEGER: {
        const int64_t value = sqlite3_value_int64(column);
        if (value == static_cast<int32_t>(value) && integers != IntegerMode::kBigInt) {
          const auto small = static_cast<int32_t>(value);
          std::memcpy(&cells[cell_count], &small, sizeof(small));
          tags[cell_count++] = static_cast<uint8_t>(Tag::kInt32);
          break;
        }
        const bool safe = value <= kLargestSafe && value >= -kLargestSafe;
        if (integers == IntegerMode::kBigInt ||
            (!safe && integers == IntegerMode::kBigIntIfUnsafe)) {
          std::memcpy(&cells[cell_count], &value, sizeof(value));
          tags[cell_count++] = static_cast<uint8_t>(Tag::kBigInt);
          break;
        }
        if (!safe && integers == IntegerMode::kThrow) {
          integer_refused = true;
          refused = value;
        }
        cells[cell_count] = static_cast<double>(value);
        tags[cell_count++] = static_cast<uint8_t>(Tag::kNumber);
        break;
      }
      case SQLITE_FLOAT:
        cells[cell_count] = sqlite3_value_double(column);
        tags[cell_count++] = static_cast<uint8_t>(Tag::kNumber);
        break;
      case SQLITE_TEXT: {
        const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(column));
        add_text(data, static_cast<size_t>(sqlite3_value_bytes(column)), borrow);
        break;
      }
      case SQLITE_BLOB: {
        const void* data = sqlite3_value_blob(column);
        add_extra(true, data, static_cast<size_t>(sqlite3_value_bytes(column)), borrow);
        break;
      }
      default:
        tags[cell_count++] = static_cast<uint8_t>(Tag::kNull);
    }
  }
  ++rows;
}

napi_value blob_value(napi_env env, const void* data, size_t length) {
  napi_value value = nullptr;
  void* copy = nullptr;
  if (napi_create_buffer(env, length, &copy, &value) != napi_ok) return nullptr;
  if (length) std::memcpy(copy, data, length);
  return value;
}

napi_value RowBatch::deliver(Addon* addon) const {
  napi_env env = addon->env;
  addon->header[kRowCount] = rows;
  addon->header[kExtraCount] = static_cast<int32_t>(extras.size());
  std::memcpy(addon->cells, cells.get(), cell_count * sizeof(double));
  std::memcpy(addon->tags, tags.get(), cell_count);
  napi_value run = nullptr;
  if (!text.empty()) napi_create_string_latin1(env, text.data(), text.size(), &run);
  if (extras.empty()) return run;

  napi_value list;
  napi_create_array_with_length(env, extras.size() + 1, &list);
  if (run) napi_set_element(env, list, 0, run);
  uint32_t position = 1;
  for (const Extra& extra : extras) {
    const void* data = extra.borrowed ? extra.borrowed : bytes.data() + extra.offset;
    napi_value value = extra.blob
                           ? blob_value(env, data, extra.length)
                           : text_value(env, static_cast<const char*>(data), extra.length);
    if (!value) {
      if (!exception_pending(env)) {
        napi_throw_range_error(env, "ERR_STRING_TOO_LONG", "A value is too long for JavaScript");
      }
      return nullptr;
    }
    napi_set_element(env, list, position++, value);
  }
  return list;
}

BatchLease::BatchLease(Addon* addon) : addon_(addon) {
  if (addon->spare_batches.empty()) {
    batch_ = std::make_unique<RowBatch>();
    return;
  }
  batch_ = std::move(addon->spare_batches.back());
  addon->spare_batches.pop_back();
  batch_->clear();
}

BatchLease::~BatchLease() { addon_->spare_batches.push_back(std::move(batch_)); }

}  // namespace godwit::node
