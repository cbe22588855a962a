// Revisions of a database file: which states it has had, in the words of the sync protocol, and which
// pages have changed since one of them.
//
// Any SQLite file can be served, whoever writes it. What is known of its past is kept beside it, in
// FILE-godwit-history (a SQLite database): for each page a hash of its content and the revision that
// last changed it.
//
//     page      number | hash (128 bit) | revision        one row a page of the newest revision
//     old_page  number | from | to | image                what pinned revisions still need
//     pin       revision | pages in the database | when last used
//     epoch     word | first revision                     one row a start of a server
//
// A snapshot of the file whose pages differ from those hashes is a new revision. After commits of
// this process, and of others while it watches, the pager knows which pages to look at; else, as at
// the start, all pages are hashed. So nothing depends on the sidecar being in step with the file: it
// may be lost, be restored from a backup, or end before the file does.
//
// Names. A revision is named "EPOCH-NUMBER", EPOCH being a random word that the server made when it
// started. An epoch's names are good for the numbers that the sidecar holds at its end: if a power cut
// takes the newest numbers away, they are used again under a new epoch, and names of the old one that
// are not covered are unknown (then the client gets the whole database).
//
// Pins. A partial replica reads its missing pages as of the revision it began with, for as long as it
// lives. Such a revision is pinned: before a page of it changes, its image is kept. In WAL mode the
// old content is read from a snapshot of the newest known revision, which stays open while there are
// pins; else (where an open snapshot would keep writers out) all pages are copied when the pin is
// made. Images are bounded by a budget: the pins that were not used for the longest time go first.
//
// Threads: may be used from any; a Snapshot by one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pager/pager.h"
#include "sqlite3.h"

namespace godwit::server {

struct HistoryOptions {
  uint64_t old_image_budget = 256u << 20;  // bytes
};

class History {
 public:
  // The pages of one revision, for as long as it lives. Must not outlive the History.
  class Snapshot {
   public:
    Snapshot(History* history, std::unique_ptr<Pager> pager, uint64_t revision)
        : history_(history), pager_(std::move(pager)), revision_(revision) {}
    ~Snapshot();
    Pager& pager() { return *pager_; }
    uint64_t revision() const { return revision_; }
    uint32_t page_count() const { return pager_->page_count(); }
    uint32_t page_size() const { return pager_->page_size(); }
    bool is_wal() const { return pager_->journal_mode() == JournalMode::kWal; }
    // Appends the content; the header of page 1 is made to say the right number of pages.
    Status append_page(PageNumber number, std::string* out);

   private:
    friend class History;
    History* history_;
    std::unique_ptr<Pager> pager_;
    uint64_t revision_;
  };

  // Errors: kBusy, with a text: another server has this file.
  static Result<std::unique_ptr<History>> open(const std::string& database_path,
                                               const HistoryOptions& options);
  ~History();

  // The newest state.
  Result<std::unique_ptr<Snapshot>> snapshot();

  std::string name_of(uint64_t revision) const;
  // Nothing: the revision is not known (any more).
  std::optional<uint64_t> find(std::string_view name) const;

  // The pages of `snapshot` that a holder of `revision` does not have.
  std::vector<PageNumber> changed_since(uint64_t revision, const Snapshot& snapshot) const;

  // Keeps the revision of `snapshot` readable. kOutrun: it is not the newest any more, and was not
  // pinned in time; take a new snapshot. kTooLarge: the budget does not allow it.
  enum class PinResult : uint8_t { kPinned, kOutrun, kTooLarge };
  Result<PinResult> pin(Snapshot* snapshot);
  // Nothing: it is not pinned, nor the newest one. Else the number of its pages; counts as a use.
  std::optional<uint32_t> pinned_page_count(uint64_t revision, const Snapshot& newest);
  // A page of a pinned revision. False: its content of then is gone.
  Result<bool> append_pinned_page(uint64_t revision, PageNumber number, Snapshot* newest,
                                  std::string* out);
  // Follows the file where pins want it. To be called now and then, and after commits.
  void keep_pins();

  uint64_t old_image_bytes() const;
  size_t pin_count() const;

 private:
  using Hash = std::array<uint8_t, 16>;
  struct PageState {
    Hash hash{};
    uint64_t revision = 0;
  };
  struct Pin {
    uint32_t page_count = 0;
    int64_t used = 0;  // seconds since 1970
  };
  struct Epoch {
    std::string word;
    uint64_t first = 0;
  };
  class Hasher;

  History(std::string path, const HistoryOptions& options);
  Status open_sidecar();
  Status prepare_sidecar();
  Status load();
  Status execute(const char* sql);
  int64_t query_integer(const char* sql, int64_t otherwise);

  Result<std::unique_ptr<Pager>> reading_pager();
  void give_back(std::unique_ptr<Pager> pager);
  Result<std::unique_ptr<Snapshot>> snapshot_locked();
  bool find_candidates(const Pager& pager, std::vector<PageNumber>* numbers);
  Status advance(Pager* pager);
  Status store(const std::vector<PageNumber>& changed, uint32_t page_count);
  Status keep_old_image(PageNumber number, uint64_t to);
  Status insert_old_page(PageNumber number, uint64_t from, uint64_t to, ByteSpan image);
  bool is_pinned_between(uint64_t from, uint64_t to) const;
  Status fit_budget();
  Status drop_pin(uint64_t revision);

  const std::string path_;
  const HistoryOptions options_;
  sqlite3* sidecar_ = nullptr;

  mutable std::mutex mutex_;  // guards all below, and the sidecar
  uint64_t revision_ = 0;
  uint64_t version_ = 0;  // Pager::snapshot_version() of it; 0: not looked at yet
  std::vector<PageState> pages_;  // by number - 1
  std::vector<Epoch> epochs_;     // the last one is this server's
  std::map<uint64_t, Pin> pins_;
  uint64_t old_image_bytes_ = 0;
  std::unique_ptr<Pager> held_;   // reading revision_, while there are pins and a WAL
  std::unique_ptr<Hasher> hasher_;
  std::shared_ptr<PageStore> timeline_;  // what all pagers of the file share; null: not needed yet

  std::mutex spare_mutex_;
  std::vector<std::unique_ptr<Pager>> spare_;
};

}  // namespace godwit::server
