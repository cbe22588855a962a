// B-trees over the pages of one database file, as one connection sees them.
//
// A table tree maps 64-bit rowids to records; an index tree holds records in key order (indexes and
// WITHOUT ROWID tables). Formats: btree/page_format.h.
//
// A Btree and its cursors belong to one connection and are used by one thread at a time. Changing a
// tree moves no other cursor: cursors on the changed tree remember their key and find it again.
// Cursors must be gone before their Btree. They may be kept when a transaction ends: they are then
// unpositioned, and can be moved in the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "pager/pager.h"
#include "value/record.h"

namespace godwit {

using Rowid = int64_t;

enum class TreeKind : uint8_t { kTable, kIndex };

// Header fields reachable by number (file offset 36 + 4 * number), as in fileformat2.html 1.3.
enum class MetaField : uint8_t {
  kFreePageCount = 0,
  kSchemaCookie = 1,
  kSchemaFormat = 2,
  kDefaultCacheSize = 3,
  kLargestRootPage = 4,  // non-zero: auto-vacuum
  kTextEncoding = 5,
  kUserVersion = 6,
  kIncrementalVacuum = 7,
  kApplicationId = 8,
};

// What becomes of deleted content (PRAGMA secure_delete): it stays in the file until something else takes
// its place, is overwritten with zeros, or is overwritten on pages that are written anyway.
enum class SecureDelete : uint8_t { kOff = 0, kOn = 1, kFast = 2 };

enum class AutoVacuum : uint8_t { kNone = 0, kFull = 1, kIncremental = 2 };

class Cursor;

class Btree {
 public:
  explicit Btree(std::unique_ptr<Pager> pager);
  ~Btree();
  Pager& pager() { return *pager_; }

  // --- Transactions: the pager's, with what trees need around them ------------------------------
  Status begin_read();  // also reads and checks the file header
  void end_read();
  Status begin_write(bool exclusive = false);  // creates page 1 in an empty file
  // Finishes auto-vacuum work, then commits.
  Status commit();
  // The first half of it, see Pager::prepare_commit().
  Status prepare_commit(const std::string& super_journal);
  // All cursors of this Btree become invalid (their next use fails with kAbortRollback), unless
  // `keep_cursors`: the schema did not change and cursors may go on reading.
  void rollback(bool keep_cursors = false);
  void savepoint_open();
  Status savepoint_rollback_to(uint32_t depth);
  void savepoint_release(uint32_t depth);

  // --- Header -----------------------------------------------------------------------------------
  Result<uint32_t> meta(MetaField field);
  Status set_meta(MetaField field, uint32_t value);
  TextEncoding encoding() const;               // kUtf8 for an empty database unless set
  Status set_encoding(TextEncoding encoding);  // only while the database is empty
  AutoVacuum auto_vacuum() const;
  Status set_auto_vacuum(AutoVacuum mode);  // none<->others only while the database is empty
  SecureDelete secure_delete() const;
  void set_secure_delete(SecureDelete mode);

  // --- Trees ------------------------------------------------------------------------------------
  // Requires writing. Returns the new root (lowest possible page in auto-vacuum databases).
  Result<PageNumber> create_tree(TreeKind kind);
  // Frees all pages. In auto-vacuum databases another root may move into the gap: then *moved_from
  // is that root's old number (and it now is `root`); else 0.
  Status drop_tree(PageNumber root, PageNumber* moved_from);
  // Removes all entries; *entries (may be null) receives their number.
  Status clear_tree(PageNumber root, int64_t* entries);
  // PRAGMA max_page_count: growing beyond fails with kFull. Never less than the present size.
  uint32_t set_max_page_count(uint32_t count);  // 0: only asks; returns the limit in force
  // VACUUM: becomes a copy of `source`, which is in a write transaction, and commits. Requires writing
  // and that nothing was changed. No cursor may be on this Btree.
  Status replace_content(Btree* source);
  // The same with pages from anywhere, see Pager::replace_content().
  Status replace_content(uint32_t page_size, uint32_t reserved_bytes, uint32_t count,
                         const Pager::PageSource& pages);
  // Is asked at the commit of a full auto-vacuum how many of its free pages it shall give back; null:
  // all of them. Gets the pages of the database, the free ones, and their size.
  using VacuumLimit = std::function<uint32_t(uint32_t pages, uint32_t free_pages, uint32_t size)>;
  void set_vacuum_limit(VacuumLimit limit);
  // PRAGMA incremental_vacuum: frees up to `pages` (0 or less: all).
  Status incremental_vacuum(int pages);

  // Problems found, at most `limit`, in SQLite's words; empty: the file is sound. `roots` are all
  // roots that the schema names, in the order of the check (page 1 comes last unless named).
  Status integrity_check(std::span<const PageNumber> roots, int limit,
                         std::vector<std::string>* problems);

 private:
  friend class Cursor;
  struct Impl;
  Status finish_transaction();  // what trees do before a commit
  std::unique_ptr<Pager> pager_;
  std::unique_ptr<Impl> impl_;
};

// The payload of the entry a cursor is on. `local` are the bytes on the leaf page; the rest, if
// any, is on overflow pages.
struct PayloadView {
  const uint8_t* local = nullptr;
  uint32_t local_size = 0;
  uint32_t size = 0;  // of the whole payload
  bool is_complete() const { return local_size == size; }
};

// One entry of a leaf page, for batch reading.
struct LeafEntry {
  Rowid rowid = 0;  // table trees
  PayloadView payload;
  PageNumber overflow = 0;  // first overflow page, 0: none
};

// A position in a tree. States: unpositioned, on an entry, before the first / after the last
// ("end").
//
// Views of payloads are valid until the cursor moves or its tree changes, or, for longer, as long
// as the page's image is held (leaf_image()).
class Cursor {
 public:
  // `key_info` (index trees) must outlive the cursor.
  static Result<std::unique_ptr<Cursor>> open(Btree* btree, PageNumber root, TreeKind kind,
                                              const KeyInfo* key_info, bool writable);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // --- Moving. All return errors only for I/O and corruption; "no entry" is at_end(). ------------
  Status first();
  Status last();
  Status next();
  Status previous();
  // Not on an entry. After next_batch() and remove() the cursor stands between two entries: then
  // this is false until the next move.
  bool at_end() const;
  void invalidate();  // back to unpositioned; a cursor that failed can be used again
  // While nobody uses the cursor: it may keep its place, as long as nothing changes around it and the
  // transaction lasts; a search that begins close to it is cheaper. Must be awake to be used again.
  void set_resting(bool resting);
  // True: it surely is on the largest entry of the tree.
  bool is_on_largest() const;
  // False once another cursor has changed the tree (or the transaction was rolled back) since this one
  // was moved to an entry.
  bool holds_pages() const;
  // After another cursor may have changed the tree: finds the entry again. *moved: it is gone (the
  // next move goes to its neighbour), or the cursor was not on one.
  Status restore(bool* moved);

  // Table trees: moves to the entry with `rowid` (*order = 0), or else to a neighbour: *order < 0:
  // the cursor is on an entry smaller than `rowid`; > 0: on a larger one. Empty tree: at_end().
  Status seek_rowid(Rowid rowid, int* order);
  // Index trees, the same by key; `key` may have fewer columns than the index: then equality is on
  // those, and the cursor is on some equal entry.
  Status seek_key(std::span<const ValueView> key, int* order);
  // Moves to the first entry >= (or_equal) / > the prefix `key`; at_end() if none.
  Status seek_key_lower(std::span<const ValueView> key, bool or_equal);
  // Moves to the last entry <= (or_equal) / < the prefix `key`; at_end() if none.
  Status seek_key_upper(std::span<const ValueView> key, bool or_equal);
  Status seek_rowid_lower(Rowid rowid, bool or_equal);
  Status seek_rowid_upper(Rowid rowid, bool or_equal);

  // --- Reading the entry
  // --------------------------------------------------------------------------
  Rowid rowid() const;
  Status payload(PayloadView* view);
  // Copies payload bytes [offset, offset + out.size()), following the overflow chain.
  Status read_payload(uint32_t offset, MutableByteSpan out);
  // The whole payload in one piece: a view of the page, or of `scratch` when it overflows.
  Status complete_payload(std::vector<uint8_t>* scratch, ByteSpan* bytes);
  // The whole payload of an entry given by next_batch(), while its image is held.
  Status read_overflow(const LeafEntry& entry, std::vector<uint8_t>* scratch);
  // Incremental blob I/O: overwrites payload bytes in place; the size stays.
  Status write_payload(uint32_t offset, ByteSpan bytes);

  // --- Reading in batches
  // --------------------------------------------------------------------------- Fills up to `max`
  // entries starting with the current one, all from one page (for index trees an interior entry
  // comes alone), and moves past them. Returns their number; 0 at the end. Views are valid while
  // the image is held: the caller keeps *image as long as it uses them.
  Result<uint32_t> next_batch(LeafEntry* entries, uint32_t max, PageImageRef* image);
  // The same backwards (entries in descending order).
  Result<uint32_t> previous_batch(LeafEntry* entries, uint32_t max, PageImageRef* image);

  // Entries in the tree, counted without reading cells. Does not keep the position.
  Result<int64_t> count();
  // About as many, from the pages on the way to the first entry alone. Does not keep the position.
  Result<uint64_t> estimated_count();

  // --- Writing (require Btree writing and a writable cursor)
  // ------------------------------------------ After an insert the cursor is on the new entry.
  // Table trees: stores `record` under `rowid`, replacing an entry that has it. `append`: the
  // caller believes that rowid is larger than all (checked cheaply, only a hint).
  Status insert(Rowid rowid, ByteSpan record, bool append = false);
  // Index trees: stores `record`, whose decoded columns are `key` (all of them). An entry equal on
  // all key columns is replaced.
  Status insert_key(std::span<const ValueView> key, ByteSpan record);
  // Index trees: the caller knows that the entry is larger than all.
  Status append_key(ByteSpan record);
  // Deletes the current entry. Afterwards next() and previous() go to the neighbours of the deleted
  // entry; other reads are invalid.
  Status remove();

 private:
  Cursor() = default;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace godwit
