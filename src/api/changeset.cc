#include "api/changeset.h"

#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "api/handles.h"
#include "base/bytes.h"

using namespace godwit;
using namespace godwit::api;

namespace godwit::api {

namespace {

constexpr int kStreamChunk = 1024;

void append_word(uint64_t word, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) out->push_back(static_cast<char>(word >> shift));
}

uint64_t load_word(const char* bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | static_cast<uint8_t>(bytes[i]);
  return word;
}

// The bytes of a text or blob field.
std::string_view content_of(const Field& field) {
  uint64_t size = 0;
  const auto* at = reinterpret_cast<const uint8_t*>(field.data()) + 1;
  int used = godwit::read_varint(at, at + field.size() - 1, &size);
  return std::string_view(field).substr(1 + static_cast<size_t>(used), size);
}

void append_record(const Fields& fields, std::string* out) {
  for (const Field& field : fields) *out += field.empty() ? undefined_field() : field;
}

}  // namespace

Field encode_integer(int64_t value) {
  Field field(1, SQLITE_INTEGER);
  append_word(static_cast<uint64_t>(value), &field);
  return field;
}

Field encode_real(double value) {
  Field field(1, SQLITE_FLOAT);
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  append_word(bits, &field);
  return field;
}

Field encode_bytes(int type, std::string_view bytes) {
  Field field(1, static_cast<char>(type));
  append_varint(bytes.size(), &field);
  field.append(bytes);
  return field;
}

Field encode_field(sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER) return encode_integer(sqlite3_value_int64(value));
  if (type == SQLITE_FLOAT) return encode_real(sqlite3_value_double(value));
  if (type == SQLITE_NULL) return Field(1, SQLITE_NULL);
  const void* data = type == SQLITE_TEXT ? static_cast<const void*>(sqlite3_value_text(value))
                                         : sqlite3_value_blob(value);
  const auto size = static_cast<size_t>(sqlite3_value_bytes(value));
  return encode_bytes(type, std::string_view(static_cast<const char*>(data), size));
}

sqlite3_value* decode_field(const Field& field) {
  if (is_undefined(field)) return nullptr;
  auto value = std::make_unique<sqlite3_value>();
  switch (field[0]) {
    case SQLITE_INTEGER:
      value->owner.assign(ValueView::of(static_cast<int64_t>(load_word(field.data() + 1))));
      break;
    case SQLITE_FLOAT: {
      uint64_t bits = load_word(field.data() + 1);
      double real;
      std::memcpy(&real, &bits, sizeof real);
      value->owner.assign(ValueView::of(real));
      break;
    }
    case SQLITE_TEXT: value->owner.assign(ValueView::of_text(content_of(field))); break;
    case SQLITE_BLOB: value->owner.assign(ValueView::of_blob(content_of(field))); break;
    default: break;
  }
  value->set(value->owner.view());
  return value.release();
}

int bind_field(sqlite3_stmt* stmt, int number, const Field& field) {
  std::unique_ptr<sqlite3_value, void (*)(sqlite3_value*)> value(decode_field(field),
                                                                 sqlite3_value_free);
  return value == nullptr ? sqlite3_bind_null(stmt, number)
                          : sqlite3_bind_value(stmt, number, value.get());
}

void ChangeTable::append_header(std::string* out) const {
  out->push_back(is_patchset ? 'P' : 'T');
  append_varint(key.size(), out);
  out->append(reinterpret_cast<const char*>(key.data()), key.size());
  out->append(name.c_str(), name.size() + 1);
}

void Change::append(const ChangeTable& table, std::string* out) const {
  out->push_back(static_cast<char>(op));
  out->push_back(indirect ? 1 : 0);
  if (!table.is_patchset || op == SQLITE_INSERT) {
    if (op != SQLITE_INSERT) append_record(old_values, out);
    if (op != SQLITE_DELETE) append_record(new_values, out);
    return;
  }
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (table.key[i] != 0) {
      *out += old_values[i];
    } else if (op == SQLITE_UPDATE) {
      *out += new_values[i].empty() ? undefined_field() : new_values[i];
    }
  }
}

std::string Change::key(const ChangeTable& table) const {
  const Fields& values = op == SQLITE_INSERT ? new_values : old_values;
  std::string key;
  for (size_t i = 0; i < table.key.size(); ++i) {
    if (table.key[i] != 0) key += values[i];
  }
  return key;
}

Change inverted(const Change& change) {
  Change undo = change;
  std::swap(undo.old_values, undo.new_values);
  if (change.op == SQLITE_INSERT) undo.op = SQLITE_DELETE;
  if (change.op == SQLITE_DELETE) undo.op = SQLITE_INSERT;
  if (change.op != SQLITE_UPDATE) return undo;
  // The key stands in the old record alone.
  for (size_t i = 0; i < undo.old_values.size(); ++i) {
    if (is_undefined(undo.old_values[i]) && !is_undefined(undo.new_values[i])) {
      std::swap(undo.old_values[i], undo.new_values[i]);
    }
  }
  return undo;
}

// ---- Reading -----------------------------------------------------------------------------------

bool ChangesetReader::read_byte(unsigned char* byte) {
  if (at_ >= bytes_.size()) return false;
  *byte = static_cast<unsigned char>(bytes_[at_++]);
  return true;
}

bool ChangesetReader::read_varint(uint64_t* value) {
  const auto* start = reinterpret_cast<const uint8_t*>(bytes_.data());
  int used = godwit::read_varint(start + at_, start + bytes_.size(), value);
  at_ += static_cast<size_t>(used);
  return used > 0;
}

bool ChangesetReader::read_field(Field* field) {
  const size_t start = at_;
  unsigned char type;
  if (!read_byte(&type) || type > SQLITE_NULL) return false;
  uint64_t size = type == SQLITE_INTEGER || type == SQLITE_FLOAT ? 8 : 0;
  if ((type == SQLITE_TEXT || type == SQLITE_BLOB) && !read_varint(&size)) return false;
  if (size > bytes_.size() - at_) return false;
  at_ += size;
  field->assign(bytes_.substr(start, at_ - start));
  return true;
}

bool ChangesetReader::read_record(Fields* fields) {
  fields->assign(table_.key.size(), Field());
  for (Field& field : *fields) {
    if (!read_field(&field)) return false;
  }
  return true;
}

bool ChangesetReader::read_key(Fields* fields) {
  fields->assign(table_.key.size(), undefined_field());
  for (size_t i = 0; i < table_.key.size(); ++i) {
    if (table_.key[i] != 0 && !read_field(&(*fields)[i])) return false;
  }
  return true;
}

bool ChangesetReader::read_table(bool is_patchset) {
  uint64_t columns = 0;
  if (!read_varint(&columns) || columns == 0 || columns > bytes_.size() - at_) return false;
  table_.is_patchset = is_patchset;
  table_.key.assign(bytes_.begin() + static_cast<ptrdiff_t>(at_),
                    bytes_.begin() + static_cast<ptrdiff_t>(at_ + columns));
  at_ += columns;
  const size_t end = bytes_.find('\0', at_);
  if (end == std::string_view::npos) return false;
  table_.name = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  has_table_ = true;
  return true;
}

bool ChangesetReader::read_change(int op) {
  unsigned char indirect;
  if (!has_table_ || !read_byte(&indirect)) return false;
  change_ = Change{op, indirect != 0, {}, {}};
  if (op == SQLITE_INSERT) return read_record(&change_.new_values);
  if (!table_.is_patchset) {
    return read_record(&change_.old_values) &&
           (op == SQLITE_DELETE || read_record(&change_.new_values));
  }
  if (op == SQLITE_DELETE) return read_key(&change_.old_values);
  if (!read_record(&change_.new_values)) return false;
  change_.old_values.assign(table_.key.size(), undefined_field());
  for (size_t i = 0; i < table_.key.size(); ++i) {
    if (table_.key[i] != 0) std::swap(change_.old_values[i], change_.new_values[i]);
  }
  return true;
}

int ChangesetReader::next() {
  for (;;) {
    unsigned char byte;
    if (!read_byte(&byte)) return SQLITE_DONE;
    if (byte == 'T' || byte == 'P') {
      if (!read_table(byte == 'P')) return SQLITE_CORRUPT;
      continue;
    }
    const bool is_change = byte == SQLITE_INSERT || byte == SQLITE_UPDATE || byte == SQLITE_DELETE;
    return is_change && read_change(byte) ? SQLITE_ROW : SQLITE_CORRUPT;
  }
}

// ---- Giving and taking -------------------------------------------------------------------------

int give_bytes(const std::string& bytes, int* size, void** data) {
  *size = static_cast<int>(bytes.size());
  *data = nullptr;
  if (bytes.empty()) return SQLITE_OK;
  *data = sqlite3_malloc64(bytes.size());
  if (*data == nullptr) return SQLITE_NOMEM;
  std::memcpy(*data, bytes.data(), bytes.size());
  return SQLITE_OK;
}

int give_bytes(const std::string& bytes, int (*output)(void*, const void*, int), void* context) {
  if (output == nullptr) return SQLITE_MISUSE;
  for (size_t at = 0; at < bytes.size(); at += kStreamChunk) {
    const size_t size = std::min<size_t>(bytes.size() - at, kStreamChunk);
    int code = output(context, bytes.data() + at, static_cast<int>(size));
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int take_bytes(int (*input)(void*, void*, int*), void* context, std::string* bytes) {
  if (input == nullptr) return SQLITE_MISUSE;
  for (;;) {
    char chunk[kStreamChunk];
    int size = kStreamChunk;
    int code = input(context, chunk, &size);
    if (code != SQLITE_OK || size <= 0) return code;
    bytes->append(chunk, static_cast<size_t>(size));
  }
}

}  // namespace godwit::api
