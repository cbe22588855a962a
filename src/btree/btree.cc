#include "btree/btree.h"

#include <algorithm>

#include "base/assert.h"
#include "btree/tree_store.h"
#include "pager/file_header.h"

namespace godwit {

Btree::Btree(std::unique_ptr<Pager> pager)
    : pager_(std::move(pager)), impl_(std::make_unique<Impl>(pager_.get())) {}

// Who still has a cursor may not use it any more, but close it.
Btree::~Btree() { impl_->invalidate_cursors(); }

Status Btree::begin_read() {
  GW_TRY(pager_->begin_read());
  Status status = impl_->load_header();
  if (!status.ok()) pager_->end_read();
  return status;
}

void Btree::end_read() {
  impl_->invalidate_cursors();
  pager_->end_read();
}

Status Btree::begin_write(bool exclusive) {
  const bool was_reading = pager_->is_reading();
  const bool was_writing = pager_->is_writing();
  GW_TRY(pager_->begin_write(exclusive));
  Status status = impl_->load_header();
  if (status.ok() && pager_->page_count() == 0) status = impl_->initialize_database();
  if (!status.ok() && !was_writing) {
    pager_->rollback();
    if (!was_reading) pager_->end_read();
  }
  return status;
}

Status Btree::commit() {
  if (pager_->is_writing()) GW_TRY(finish_transaction());
  return pager_->commit();
}

Status Btree::prepare_commit(const std::string& super_journal) {
  GW_TRY(finish_transaction());
  return pager_->prepare_commit(super_journal);
}

// After prepare_commit() there is nothing left to do here.
Status Btree::finish_transaction() {
  if (impl_->auto_vacuum() == AutoVacuum::kFull) GW_TRY(impl_->auto_vacuum_commit());
  return impl_->store_page_count();
}

void Btree::rollback(bool keep_cursors) {
  if (!keep_cursors || !impl_->save_cursors(0, nullptr).ok()) {
    impl_->fail_cursors(code::kAbortRollback);
  }
  pager_->rollback();
  impl_->reload_header();
}

void Btree::savepoint_open() {
  pager_->savepoint_open();
}

Status Btree::savepoint_rollback_to(uint32_t depth) {
  Status saved = impl_->save_cursors(0, nullptr);
  if (!saved.ok()) impl_->fail_cursors(saved.code());
  GW_TRY(pager_->savepoint_rollback_to(depth));
  impl_->reload_header();
  return {};
}

void Btree::savepoint_release(uint32_t depth) {
  pager_->savepoint_release(depth);
}

namespace {
uint32_t meta_offset(MetaField field) {
  return 36 + 4 * static_cast<uint32_t>(field);
}
}  // namespace

Result<uint32_t> Btree::meta(MetaField field) {
  return impl_->header_field(meta_offset(field));
}

Status Btree::set_meta(MetaField field, uint32_t value) {
  GW_TRY(impl_->set_header_field(meta_offset(field), value));
  if (field == MetaField::kIncrementalVacuum || field == MetaField::kTextEncoding) {
    impl_->reload_header();
  }
  return {};
}

TextEncoding Btree::encoding() const {
  return impl_->encoding();
}

Status Btree::set_encoding(TextEncoding encoding) {
  if (encoding == impl_->encoding()) return {};
  if (pager_->page_count() != 0) return Status::error("database is not empty");
  impl_->set_encoding(encoding);
  return {};
}

AutoVacuum Btree::auto_vacuum() const {
  return impl_->auto_vacuum();
}

Status Btree::set_auto_vacuum(AutoVacuum mode) {
  if (pager_->page_count() == 0) {
    impl_->set_auto_vacuum(mode);
    return {};
  }
  bool had_map = impl_->has_pointer_map();
  bool wants_map = mode != AutoVacuum::kNone;
  if (had_map != wants_map) return Status(code::kReadOnly);
  if (!had_map || mode == impl_->auto_vacuum()) return {};
  GW_ASSERT(pager_->is_writing());
  return set_meta(MetaField::kIncrementalVacuum, mode == AutoVacuum::kIncremental ? 1 : 0);
}

Result<PageNumber> Btree::create_tree(TreeKind kind) {
  return impl_->create_tree(kind);
}

Status Btree::drop_tree(PageNumber root, PageNumber* moved_from) {
  return impl_->drop_tree(root, moved_from);
}

Status Btree::clear_tree(PageNumber root, int64_t* entries) {
  return impl_->clear_tree(root, entries);
}

SecureDelete Btree::secure_delete() const { return impl_->secure_delete(); }
void Btree::set_secure_delete(SecureDelete mode) { impl_->set_secure_delete(mode); }

uint32_t Btree::set_max_page_count(uint32_t count) {
  if (count > 0) impl_->set_max_page_count(std::min(count, kPageCountMax));
  if (impl_->max_page_count() < pager_->page_count()) {
    impl_->set_max_page_count(pager_->page_count());
  }
  return impl_->max_page_count();
}

Status Btree::replace_content(Btree* source) {
  Pager& from = source->pager();
  GW_TRY(source->impl_->store_page_count());
  uint8_t format = kFormatRollback;
  if (pager_->page_count() > 0) {
    GW_ASSIGN(PageRef first, pager_->read(1));
    format = first.data()[kHeaderWriteVersion];
  }
  auto page_of = [&](PageNumber number) -> Result<PageImageRef> {
    GW_ASSIGN(PageRef page, from.read(number));
    if (number == 1) {
      GW_TRY(from.write(page));
      page.data()[kHeaderWriteVersion] = page.data()[kHeaderReadVersion] = format;
    }
    return PageImageRef(page->image());
  };
  return replace_content(from.page_size(), from.reserved_bytes(), from.page_count(), page_of);
}

Status Btree::replace_content(uint32_t page_size, uint32_t reserved_bytes, uint32_t count,
                              const Pager::PageSource& pages) {
  impl_->invalidate_cursors();
  GW_TRY(pager_->replace_content(page_size, reserved_bytes, count, pages));
  impl_->reload_header();
  return {};
}

void Btree::set_vacuum_limit(VacuumLimit limit) {
  impl_->set_vacuum_limit(std::move(limit));
}

Status Btree::incremental_vacuum(int pages) {
  return impl_->incremental_vacuum(pages);
}

}  // namespace godwit
