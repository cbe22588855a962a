// The public cursor: forwards to CursorState, and unpositions it after an error.
#include "btree/cursor_state.h"

namespace godwit {

namespace {

// A failed move leaves the path half-built; nothing may be read from it.
Status settle(CursorState* cursor, Status status) {
  if (!status.ok()) [[unlikely]]
    cursor->abandon();
  return status;
}

template <typename T>
Result<T> settle(CursorState* cursor, Result<T> result) {
  if (!result.ok()) [[unlikely]]
    cursor->abandon();
  return result;
}

}  // namespace

Result<std::unique_ptr<Cursor>> Cursor::open(Btree* btree, PageNumber root, TreeKind kind,
                                             const KeyInfo* key_info, bool writable) {
  std::unique_ptr<Cursor> cursor(new Cursor());
  cursor->impl_ = std::make_unique<Impl>(btree->impl_.get(), root, kind, key_info, writable);
  return cursor;
}

Cursor::~Cursor() = default;

Status Cursor::first() {
  return settle(impl_.get(), impl_->first());
}
Status Cursor::last() {
  return settle(impl_.get(), impl_->last());
}
Status Cursor::next() {
  return settle(impl_.get(), impl_->next());
}
Status Cursor::previous() {
  return settle(impl_.get(), impl_->previous());
}
bool Cursor::at_end() const {
  return impl_->at_end();
}
void Cursor::set_resting(bool resting) {
  impl_->set_resting(resting);
}
bool Cursor::is_on_largest() const {
  return impl_->is_on_largest();
}
bool Cursor::holds_pages() const {
  return impl_->holds_pages();
}
void Cursor::invalidate() {
  impl_->invalidate();
}
Status Cursor::restore(bool* moved) {
  return settle(impl_.get(), impl_->restore_entry(moved));
}

Status Cursor::seek_rowid(Rowid rowid, int* order) {
  return settle(impl_.get(), impl_->seek_rowid(rowid, order));
}
Status Cursor::seek_key(std::span<const ValueView> key, int* order) {
  return settle(impl_.get(), impl_->seek_key(key, order));
}
Status Cursor::seek_key_lower(std::span<const ValueView> key, bool or_equal) {
  return settle(impl_.get(), impl_->seek_key_lower(key, or_equal));
}
Status Cursor::seek_key_upper(std::span<const ValueView> key, bool or_equal) {
  return settle(impl_.get(), impl_->seek_key_upper(key, or_equal));
}
Status Cursor::seek_rowid_lower(Rowid rowid, bool or_equal) {
  return settle(impl_.get(), impl_->seek_rowid_lower(rowid, or_equal));
}
Status Cursor::seek_rowid_upper(Rowid rowid, bool or_equal) {
  return settle(impl_.get(), impl_->seek_rowid_upper(rowid, or_equal));
}

Rowid Cursor::rowid() const {
  return impl_->rowid();
}
Status Cursor::payload(PayloadView* view) {
  return settle(impl_.get(), impl_->payload(view));
}
Status Cursor::read_payload(uint32_t offset, MutableByteSpan out) {
  return impl_->read_payload(offset, out);
}
Status Cursor::complete_payload(std::vector<uint8_t>* scratch, ByteSpan* bytes) {
  return impl_->complete_payload(scratch, bytes);
}
Status Cursor::read_overflow(const LeafEntry& entry, std::vector<uint8_t>* scratch) {
  return impl_->read_overflow(entry, scratch);
}
Status Cursor::write_payload(uint32_t offset, ByteSpan bytes) {
  return impl_->write_payload(offset, bytes);
}

Result<uint32_t> Cursor::next_batch(LeafEntry* entries, uint32_t max, PageImageRef* image) {
  return settle(impl_.get(), impl_->next_batch(entries, max, image));
}
Result<uint32_t> Cursor::previous_batch(LeafEntry* entries, uint32_t max, PageImageRef* image) {
  return settle(impl_.get(), impl_->previous_batch(entries, max, image));
}
Result<int64_t> Cursor::count() {
  return impl_->count();
}

Result<uint64_t> Cursor::estimated_count() {
  return impl_->estimated_count();
}

Status Cursor::insert(Rowid rowid, ByteSpan record, bool append) {
  return settle(impl_.get(), impl_->insert(rowid, record, append));
}
Status Cursor::insert_key(std::span<const ValueView> key, ByteSpan record) {
  return settle(impl_.get(), impl_->insert_key(key, record));
}
Status Cursor::append_key(ByteSpan record) {
  return settle(impl_.get(), impl_->append_key(record));
}
Status Cursor::remove() {
  return settle(impl_.get(), impl_->remove());
}

}  // namespace godwit
