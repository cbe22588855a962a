#include "exec/unique_row_query.h"

#include <algorithm>

#include "base/utf.h"
#include "exec/column_default.h"
#include "exec/row_key.h"
#include "value/affinity.h"
#include "value/record.h"

namespace godwit {

// The projection of the one table, if nothing else is above it but a LIMIT that lets a row through.
const ProjectNode* UniqueRowQuery::find_projection(const PlanNode& root) {
  const PlanNode* node = &root;
  if (node->kind == PlanKind::kLimit) {
    const auto& limit = static_cast<const LimitNode&>(*node);
    const bool lets_through = limit.offset == nullptr && limit.limit != nullptr &&
                              limit.limit->kind == ExprKind::kConstant &&
                              limit.limit->constant.is_integer() &&
                              limit.limit->constant.integer != 0;
    if (!lets_through) return nullptr;
    node = node->child;
  }
  if (node->kind != PlanKind::kProject || node->child->kind != PlanKind::kAccess) return nullptr;
  return static_cast<const ProjectNode*>(node);
}

bool UniqueRowQuery::is_look_up(const AccessNode& access) {
  if (access.method != AccessMethod::kRowidLookup || access.join != JoinType::kInner ||
      access.filter != nullptr || access.on != nullptr || access.child == nullptr ||
      access.child->kind != PlanKind::kSingleRow || access.source->table == nullptr) {
    return false;
  }
  const SeekKey& key = access.equal[0];
  return !key.is_in && !key.as_set &&
         (key.expr->kind == ExprKind::kParameter || key.expr->kind == ExprKind::kConstant);
}

Result<std::unique_ptr<UniqueRowQuery>> UniqueRowQuery::make(const QueryPlan& plan,
                                                             ExecContext* context) {
  std::unique_ptr<UniqueRowQuery> query;
  const ProjectNode* projection = find_projection(*plan.root);
  if (projection == nullptr) return query;
  const auto& access = static_cast<const AccessNode&>(*projection->child);
  if (!is_look_up(access)) return query;
  query.reset(new UniqueRowQuery(access, context));
  query->values_.resize(projection->exprs.size());
  query->stored_.reserve(projection->exprs.size());
  for (const BoundExpr* expr : projection->exprs) {
    GW_ASSIGN(bool added, query->add_output(*expr));
    if (!added) return std::unique_ptr<UniqueRowQuery>();
  }
  std::stable_sort(query->stored_.begin(), query->stored_.end(),
                   [](const Stored& a, const Stored& b) { return a.position < b.position; });
  const Table& table = *access.source->table;
  query->btree_ = context->services->btree(table.database);
  query->encoding_ = query->btree_->encoding();
  GW_ASSIGN(query->cursor_,
            Cursor::open(query->btree_, table.root, TreeKind::kTable, nullptr, false));
  return query;
}

// False: it is not just a column that is stored.
Result<bool> UniqueRowQuery::add_output(const BoundExpr& expr) {
  if (expr.kind != ExprKind::kColumn || expr.column.source != access_.source->id) return false;
  const Table& table = *access_.source->table;
  const auto output = static_cast<uint32_t>(rowid_outputs_.size() + stored_.size());
  const int32_t number = expr.column.column;
  if (number == ColumnRef::kRowid || number == table.rowid_column) {
    rowid_outputs_.push_back(output);
    return true;
  }
  const Column& column = table.columns[static_cast<size_t>(number)];
  if (column.generated == Generated::kVirtual) return false;
  Stored stored{static_cast<uint32_t>(column.storage_position), output,
                column.affinity == Affinity::kReal, {}, {}};
  if (column.default_value != nullptr) {
    GW_TRY(evaluate_column_default(column, &stored.missing));
  }
  stored_.push_back(std::move(stored));
  return true;
}

Result<bool> UniqueRowQuery::step() {
  if (state_ != State::kIdle) {
    if (state_ == State::kRow) reset();
    state_ = State::kEnded;
    return false;
  }
  state_ = State::kRow;
  GW_ASSIGN(bool found, look_up());
  if (!found) {
    reset();
    state_ = State::kEnded;
  }
  return found;
}

void UniqueRowQuery::reset() {
  if (state_ == State::kRow) {
    cursor_->invalidate();
    image_ = PageImageRef();
  }
  state_ = State::kIdle;
}

// False: no rowid equals the key.
bool UniqueRowQuery::key_rowid(Rowid* rowid) {
  const SeekKey& seek = access_.equal[0];
  ValueView key = seek.expr->constant;
  if (seek.expr->kind == ExprKind::kParameter) {
    const auto index = static_cast<size_t>(seek.expr->parameter) - 1;
    if (index >= context_->parameters.size()) return false;
    key = context_->parameters[index].view();
  }
  if (!key.is_integer()) [[unlikely]] {
    arena_.reset();
    apply_affinity(seek.affinity, &key, &arena_);
    if (key.is_real()) return real_equals_integer(key.real, rowid);
    if (!key.is_integer()) return false;
  }
  *rowid = key.integer;
  return true;
}

Result<bool> UniqueRowQuery::look_up() {
  GW_TRY(context_->check_interrupt());
  Rowid rowid;
  if (!key_rowid(&rowid)) return false;
  int order;
  GW_TRY(cursor_->seek_rowid(rowid, &order));
  if (order != 0 || cursor_->at_end()) return false;
  LeafEntry entry;
  GW_ASSIGN(uint32_t count, cursor_->next_batch(&entry, 1, &image_));
  if (count == 0) return false;
  for (uint32_t output : rowid_outputs_) values_[output] = ValueView::of(rowid);
  if (!stored_.empty()) GW_TRY(decode(&entry));
  return true;
}

// Walks the header up to the last column wanted. Records are hostile.
Status UniqueRowQuery::decode(LeafEntry* entry) {
  ByteSpan record(entry->payload.local, entry->payload.local_size);
  if (!entry->payload.is_complete()) [[unlikely]] {
    GW_TRY(cursor_->read_overflow(*entry, &overflow_));
    record = overflow_;
  }
  const uint8_t* const begin = record.data();
  uint64_t header_size;
  int used = read_varint(begin, begin + record.size(), &header_size);
  if (used == 0 || header_size > record.size()) return corrupt("record header");
  const uint8_t* header = begin + used;
  const uint8_t* const header_end = begin + header_size;
  uint64_t body = header_size;  // offset of the value of column `next`
  uint32_t next = 0;
  uint64_t serial_type = 0;
  uint64_t size = 0;
  for (size_t i = 0; i < stored_.size(); ++i) {
    Stored& stored = stored_[i];
    if (next > stored.position) {  // the column before, once more
      values_[stored.output] = values_[stored_[i - 1].output];
      continue;
    }
    for (; next <= stored.position; ++next) {
      body += size;
      size = 0;
      if (header >= header_end) break;
      serial_type = *header;
      if (serial_type < 0x80) [[likely]] {
        ++header;
      } else {
        used = read_varint(header, header_end, &serial_type);
        if (used == 0 || serial_type > UINT32_MAX) return corrupt("serial type");
        header += used;
      }
      size = serial_type_size(serial_type);
    }
    if (next <= stored.position) {
      values_[stored.output] = stored.missing.view();
      continue;
    }
    if (body + size > record.size()) return corrupt("record shorter than its header says");
    set(stored, serial_type, begin + body, static_cast<uint32_t>(size));
  }
  return {};
}

void UniqueRowQuery::set(Stored& stored, uint64_t serial_type, const uint8_t* body, uint32_t size) {
  ValueView& value = values_[stored.output];
  decode_serial(serial_type, body, &value);
  if (stored.real_affinity && value.is_integer()) {
    value = ValueView::of(static_cast<double>(value.integer));
  } else if (value.is_text() && encoding_ != TextEncoding::kUtf8) [[unlikely]] {
    stored.converted.clear();
    append_utf16_as_utf8(body, size, encoding_ == TextEncoding::kUtf16be, &stored.converted);
    value = ValueView::of_text({stored.converted.data(), stored.converted.size()});
  }
}

}  // namespace godwit
