#include "modules/fts3_cursor.h"

#include <algorithm>

namespace godwit::modules {

int Fts3Cursor::start(const Fts3Request& request) {
  rows_.finalize();
  query_.clear();
  docids_.clear();
  at_ = 0;
  has_row_ = is_missing_ = false;
  is_query_ = request.query.has_value() || request.is_empty;
  language_ = request.language;
  at_end_ = true;
  if (request.is_empty) return SQLITE_OK;
  if (is_query_) {
    int code = table_->flush();
    if (code == SQLITE_OK) code = query_.start(table_, request.language, request.column, *request.query);
    if (code != SQLITE_OK) return code;
    for (int64_t docid : query_.docids()) {
      if (docid >= request.least && docid <= request.greatest) docids_.push_back(docid);
    }
    if (request.descends) std::reverse(docids_.begin(), docids_.end());
    at_end_ = docids_.empty();
    return SQLITE_OK;
  }
  const std::string rowid = table_->rowid_name();
  std::string sql = table_->content_query();
  if (request.docid) {
    sql += " WHERE " + rowid + " = ?1";
  } else {
    if (request.least != INT64_MIN || request.greatest != INT64_MAX) sql += " WHERE " + rowid + " BETWEEN ?1 AND ?2";
    sql += " ORDER BY " + rowid + (request.descends ? " DESC" : " ASC");
  }
  int code = rows_.prepare(table_->config.db, sql);
  if (code != SQLITE_OK) return code;
  if (request.docid) {
    rows_.bind(1, *request.docid);
  } else if (request.least != INT64_MIN || request.greatest != INT64_MAX) {
    rows_.bind(1, request.least);
    rows_.bind(2, request.greatest);
  }
  return step_scan();
}

int Fts3Cursor::step_scan() {
  at_end_ = !rows_.next_row();
  return at_end_ ? rows_.reset() : SQLITE_OK;
}

int Fts3Cursor::next() {
  if (!is_query_) return step_scan();
  has_row_ = is_missing_ = false;
  at_end_ = ++at_ >= docids_.size();
  return SQLITE_OK;
}

int64_t Fts3Cursor::docid() const { return is_query_ ? docids_[at_] : rows_.integer(0); }

// The content of a row that a query found.
int Fts3Cursor::find_row() {
  if (!is_query_ || has_row_) return SQLITE_OK;
  int code = rows_.prepare(table_->config.db, table_->content_query() + " WHERE " + table_->rowid_name() + " = ?1");
  if (code != SQLITE_OK) return code;
  sqlite3_reset(rows_.get());
  rows_.bind(1, docids_[at_]);
  is_missing_ = !rows_.next_row();
  if (is_missing_) {
    code = rows_.reset();
    if (code == SQLITE_OK && table_->config.content == Fts3Content::kOwn) code = SQLITE_CORRUPT_VTAB;
  }
  has_row_ = code == SQLITE_OK;
  return code;
}

int Fts3Cursor::column(sqlite3_context* context, int index) {
  const int columns = table_->config.column_count();
  if (index == columns) {
    sqlite3_result_pointer(context, this, kFts3CursorType, nullptr);
    return SQLITE_OK;
  }
  if (index == columns + 1) {
    sqlite3_result_int64(context, docid());
    return SQLITE_OK;
  }
  if (index == columns + 2 && is_query_) {
    sqlite3_result_int64(context, language_);
    return SQLITE_OK;
  }
  int code = find_row();
  if (code != SQLITE_OK) return code;
  if (index == columns + 2) {
    sqlite3_result_int64(context, rows_.integer(columns + 1));
  } else if (!is_missing_) {
    sqlite3_result_value(context, sqlite3_column_value(rows_.get(), index + 1));
  }
  return SQLITE_OK;
}

int Fts3Cursor::text(int column, std::string_view* text, bool* has) {
  int code = find_row();
  *has = false;
  if (code != SQLITE_OK || is_missing_) return code;
  *has = sqlite3_column_type(rows_.get(), column + 1) != SQLITE_NULL;
  *text = rows_.text(column + 1);
  return SQLITE_OK;
}

}  // namespace godwit::modules
