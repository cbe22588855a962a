// The file header on page 1, as far as trees are concerned: what kind of database it is, and the
// numbered meta fields. Change counters and format versions are the pager's.
#include "btree/tree_store.h"
#include "pager/file_header.h"

namespace godwit {

Status TreeStore::load_header() {
  if (header_loaded_ && header_version_ == pager_->snapshot_version()) return {};
  geometry_ = PageGeometry::of(pager_->page_size(), pager_->usable_size());
  set_secure_delete(secure_delete_);
  header_version_ = pager_->snapshot_version();
  if (pager_->page_count() == 0) {
    header_loaded_ = false;
    return {};
  }
  GW_ASSIGN(PageRef page, pager_->read(1));
  const uint8_t* data = page.data();
  GW_TRY(parse_file_header(data));
  auto_vacuum_ = load_be32(data + kHeaderLargestRoot) == 0         ? AutoVacuum::kNone
                 : load_be32(data + kHeaderIncrementalVacuum) != 0 ? AutoVacuum::kIncremental
                                                                   : AutoVacuum::kFull;
  uint32_t encoding = load_be32(data + kHeaderTextEncoding);
  // 0: no table was created yet, the wish set on this connection stands.
  if (encoding >= 1 && encoding <= 3) encoding_ = static_cast<TextEncoding>(encoding);
  header_loaded_ = true;
  return {};
}

Status TreeStore::initialize_database() {
  geometry_ = PageGeometry::of(pager_->page_size(), pager_->usable_size());
  set_secure_delete(secure_delete_);
  GW_ASSIGN(PageRef page, pager_->write_fresh(1));
  uint8_t* data = page.data();
  const bool wal = pager_->journal_mode() == JournalMode::kWal;
  make_first_page(data, geometry_.page_size, pager_->reserved_bytes(),
                  wal ? kFormatWal : kFormatRollback);
  store_be32(data + kHeaderTextEncoding, static_cast<uint32_t>(encoding_));
  if (auto_vacuum_ != AutoVacuum::kNone) {
    store_be32(data + kHeaderLargestRoot, 1);
    store_be32(data + kHeaderIncrementalVacuum, auto_vacuum_ == AutoVacuum::kIncremental ? 1 : 0);
  }
  return {};
}

Result<uint32_t> TreeStore::header_field(uint32_t offset) {
  if (pager_->page_count() == 0) return 0u;
  GW_ASSIGN(PageRef page, pager_->read(1));
  return load_be32(page.data() + offset);
}

Status TreeStore::set_header_field(uint32_t offset, uint32_t value) {
  GW_ASSIGN(PageRef page, pager_->read(1));
  GW_TRY(pager_->write(page));
  store_be32(page.data() + offset, value);
  return {};
}

Status TreeStore::store_page_count() {
  GW_ASSIGN(uint32_t stored, header_field(kHeaderPageCount));
  if (stored == pager_->page_count()) return {};
  return set_header_field(kHeaderPageCount, pager_->page_count());
}

}  // namespace godwit
