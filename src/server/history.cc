#include "server/history.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "pager/file_header.h"
#include "server/streams.h"

namespace godwit::server {
namespace {

constexpr int kFormat = 1;
constexpr size_t kSparePagersMax = 8;
constexpr int kPagesInCache = 64;  // of a pager that reads each page once
constexpr size_t kEpochsMax = 1000;
constexpr int kBusyAttempts = 500;

bool wait_for_writer(void*, int attempt) {
  if (attempt >= kBusyAttempts) return false;
  default_vfs()->sleep_us(10000);
  return true;
}

// A prepared statement that ends with its scope.
class Query {
 public:
  Query(sqlite3* db, const char* sql) : db_(db) {
    code_ = sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr);
  }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int64_t value) {
    sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
  }
  Query& bind(ByteSpan bytes) {
    sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
  }
  Query& bind(std::string_view text) {
    sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
  }
  bool row() {
    if (code_ != SQLITE_OK && code_ != SQLITE_ROW) return false;
    code_ = sqlite3_step(statement_);
    return code_ == SQLITE_ROW;
  }
  // Runs it to its end, and makes it ready for other values.
  Status run() {
    while (row()) continue;
    Status status = this->status();
    sqlite3_reset(statement_);
    bound_ = 0;
    if (status.ok()) code_ = SQLITE_OK;
    return status;
  }
  Status status() const {
    if (code_ == SQLITE_OK || code_ == SQLITE_ROW || code_ == SQLITE_DONE) return Status();
    return Status(code_, sqlite3_errmsg(db_));
  }
  int64_t integer(int column) { return sqlite3_column_int64(statement_, column); }
  std::string_view bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(data),
            static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
  int bound_ = 0;
};

int64_t now() { return std::time(nullptr); }

}  // namespace

// A cryptographic hash: who writes a page must not be able to make its change invisible.
class History::Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new()), sha256_(EVP_MD_fetch(nullptr, "SHA256", nullptr)) {}
  ~Hasher() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(sha256_);
  }
  Hash hash(const uint8_t* page, size_t size) {
    uint8_t digest[EVP_MAX_MD_SIZE] = {};
    EVP_DigestInit_ex(context_, sha256_, nullptr);
    EVP_DigestUpdate(context_, page, size);
    EVP_DigestFinal_ex(context_, digest, nullptr);
    Hash result;
    std::copy_n(digest, result.size(), result.begin());
    return result;
  }

 private:
  EVP_MD_CTX* context_;
  EVP_MD* sha256_;
};

History::Snapshot::~Snapshot() {
  if (pager_) history_->give_back(std::move(pager_));
}

Status History::Snapshot::append_page(PageNumber number, std::string* out) {
  const uint32_t size = pager_->page_size();
  if (pager_->is_lock_page(number)) {
    out->append(size, '\0');
    return Status();
  }
  GW_ASSIGN(PageRef page, pager_->read(number));
  size_t start = out->size();
  out->append(reinterpret_cast<const char*>(page.data()), size);
  if (number == 1) {
    auto* header = reinterpret_cast<uint8_t*>(out->data() + start);
    store_be32(header + kHeaderPageCount, page_count());
    store_be32(header + kHeaderVersionValidFor, load_be32(header + kHeaderChangeCounter));
  }
  return Status();
}

History::History(std::string path, const HistoryOptions& options)
    : path_(std::move(path)), options_(options), hasher_(std::make_unique<Hasher>()) {}

History::~History() {
  held_.reset();
  sqlite3_close_v2(sidecar_);
}

Result<std::unique_ptr<History>> History::open(const std::string& database_path,
                                               const HistoryOptions& options) {
  std::unique_ptr<History> history(new History(database_path, options));
  GW_TRY(history->open_sidecar());
  // One pager stays, so that the pages and the versions that the process knows do.
  GW_ASSIGN(auto pager, history->reading_pager());
  history->give_back(std::move(pager));
  return history;
}

Status History::execute(const char* sql) {
  int code = sqlite3_exec(sidecar_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Status(code, sqlite3_errmsg(sidecar_));
}

int64_t History::query_integer(const char* sql, int64_t otherwise) {
  Query query(sidecar_, sql);
  return query.row() ? query.integer(0) : otherwise;
}

Status History::open_sidecar() {
  const std::string file = path_ + "-godwit-history";
  for (int attempt = 0;; ++attempt) {
    int code = sqlite3_open_v2(file.c_str(), &sidecar_,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                               nullptr);
    Status status = code == SQLITE_OK ? prepare_sidecar() : Status(code, "cannot open " + file);
    if (status.ok()) return status;
    sqlite3_close_v2(sidecar_);
    sidecar_ = nullptr;
    if (status.primary() == SQLITE_BUSY) {
      return Status(SQLITE_BUSY, "another server serves " + path_);
    }
    // It can be made anew; only clients' next pulls get larger.
    bool is_broken = status.primary() == SQLITE_CORRUPT || status.primary() == SQLITE_NOTADB ||
                     status.primary() == SQLITE_ERROR;
    if (!is_broken || attempt > 0) return status;
    for (const char* suffix : {"", "-wal", "-journal"}) unlink((file + suffix).c_str());
  }
}

Status History::prepare_sidecar() {
  // Exclusive: the lock is what keeps a second server away, for as long as this process lives.
  GW_TRY(execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; "
                 "PRAGMA synchronous=NORMAL; BEGIN IMMEDIATE"));
  if (query_integer("PRAGMA user_version", 0) != kFormat) {
    GW_TRY(execute(
        "DROP TABLE IF EXISTS page; DROP TABLE IF EXISTS old_page; DROP TABLE IF EXISTS pin;"
        "DROP TABLE IF EXISTS epoch; DROP TABLE IF EXISTS newest;"
        "CREATE TABLE page(number INTEGER PRIMARY KEY, hash BLOB, revision INTEGER);"
        "CREATE TABLE old_page(number INTEGER, \"from\" INTEGER, \"to\" INTEGER, image BLOB);"
        "CREATE INDEX old_page_number ON old_page(number, \"to\");"
        "CREATE TABLE pin(revision INTEGER PRIMARY KEY, page_count INTEGER, used INTEGER);"
        "CREATE TABLE epoch(first INTEGER, word TEXT);"
        "CREATE TABLE newest(revision INTEGER);"
        "INSERT INTO newest VALUES (0)"));
    GW_TRY(execute(("PRAGMA user_version=" + std::to_string(kFormat)).c_str()));
  }
  GW_TRY(load());
  // Random, so that no two servers' names of revisions are ever the same.
  epochs_.push_back({random_word(9), revision_});
  for (char& c : epochs_.back().word) c = c == '-' ? '.' : c;
  Query insert(sidecar_, "INSERT INTO epoch(first, word) VALUES (?, ?)");
  GW_TRY(insert.bind(static_cast<int64_t>(revision_)).bind(epochs_.back().word).run());
  GW_TRY(execute(("DELETE FROM epoch WHERE rowid <= (SELECT max(rowid) FROM epoch) - " +
                  std::to_string(kEpochsMax)).c_str()));
  GW_TRY(execute("COMMIT"));
  return execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status History::load() {
  revision_ = static_cast<uint64_t>(query_integer("SELECT revision FROM newest", 0));
  pages_.clear();
  Query pages(sidecar_, "SELECT number, hash, revision FROM page ORDER BY number");
  while (pages.row()) {
    PageState page;
    std::string_view hash = pages.bytes(1);
    if (pages.integer(0) != static_cast<int64_t>(pages_.size()) + 1 ||
        hash.size() != page.hash.size()) {
      return Status(SQLITE_CORRUPT);
    }
    std::copy(hash.begin(), hash.end(), page.hash.begin());
    page.revision = static_cast<uint64_t>(pages.integer(2));
    pages_.push_back(page);
  }
  GW_TRY(pages.status());
  epochs_.clear();
  Query epochs(sidecar_, "SELECT word, first FROM epoch ORDER BY rowid");
  while (epochs.row()) {
    epochs_.push_back({std::string(epochs.bytes(0)), static_cast<uint64_t>(epochs.integer(1))});
  }
  GW_TRY(epochs.status());
  pins_.clear();
  Query pins(sidecar_, "SELECT revision, page_count, used FROM pin");
  while (pins.row()) {
    pins_[static_cast<uint64_t>(pins.integer(0))] = {static_cast<uint32_t>(pins.integer(1)),
                                                     pins.integer(2)};
  }
  GW_TRY(pins.status());
  old_image_bytes_ = static_cast<uint64_t>(
      query_integer("SELECT coalesce(sum(length(image)), 0) FROM old_page", 0));
  return Status();
}

Result<std::unique_ptr<Pager>> History::reading_pager() {
  std::unique_ptr<Pager> pager;
  {
    std::lock_guard guard(spare_mutex_);
    if (!spare_.empty()) {
      pager = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  if (!pager) {
    PagerOptions options;
    options.create = false;
    GW_ASSIGN(pager, Pager::open(default_vfs(), path_, options));
    pager->set_busy_handler({wait_for_writer, nullptr});
    pager->set_cache_size(kPagesInCache);
  }
  GW_TRY(pager->begin_read());
  return pager;
}

void History::give_back(std::unique_ptr<Pager> pager) {
  pager->end_read();
  std::lock_guard guard(spare_mutex_);
  if (spare_.size() < kSparePagersMax) spare_.push_back(std::move(pager));
}

Result<std::unique_ptr<History::Snapshot>> History::snapshot() {
  std::lock_guard guard(mutex_);
  return snapshot_locked();
}

Result<std::unique_ptr<History::Snapshot>> History::snapshot_locked() {
  for (;;) {
    GW_ASSIGN(auto pager, reading_pager());
    if (pager->snapshot_version() != version_) {
      GW_TRY(advance(pager.get()));
      if (!pins_.empty() && pager->journal_mode() == JournalMode::kWal) {
        if (held_) give_back(std::move(held_));
        held_ = std::move(pager);
        continue;
      }
    }
    return std::make_unique<Snapshot>(this, std::move(pager), revision_);
  }
}

// The pages that may differ between version_ and what `pager` reads (with repetitions). False: all.
bool History::find_candidates(const Pager& pager, std::vector<PageNumber>* numbers) {
  if (version_ == 0) return false;
  if (!timeline_) timeline_ = PageStore::for_file(default_vfs(), pager.file()->identity());
  std::lock_guard guard(timeline_->timeline_mutex());
  return timeline_->changed_between(version_, pager.snapshot_version(), numbers);
}

// Looks at what may have changed since version_. With differences revision_ becomes the next one.
Status History::advance(Pager* pager) {
  std::vector<PageNumber> candidates;
  const uint32_t count = pager->page_count();
  const auto old_count = static_cast<uint32_t>(pages_.size());
  if (!find_candidates(*pager, &candidates)) {
    candidates.resize(count);
    for (uint32_t i = 0; i < count; ++i) candidates[i] = i + 1;
  } else {
    for (uint32_t number = old_count + 1; number <= count; ++number) candidates.push_back(number);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  }
  std::vector<PageNumber> changed;
  std::vector<Hash> hashes;
  for (PageNumber number : candidates) {
    if (number > count) break;
    Hash hash{};
    if (!pager->is_lock_page(number)) {
      GW_ASSIGN(PageRef page, pager->read(number));
      hash = hasher_->hash(page.data(), pager->page_size());
    }
    if (number <= old_count && pages_[number - 1].hash == hash) continue;
    changed.push_back(number);
    hashes.push_back(hash);
  }
  if (changed.empty() && count == old_count) {
    version_ = pager->snapshot_version();
    return Status();
  }
  GW_TRY(execute("BEGIN IMMEDIATE"));
  Status status;
  for (PageNumber number : changed) {
    if (status.ok() && number <= old_count) status = keep_old_image(number, revision_);
  }
  for (PageNumber number = count + 1; status.ok() && number <= old_count; ++number) {
    status = keep_old_image(number, revision_);
  }
  if (status.ok()) {
    ++revision_;
    pages_.resize(count);
    for (size_t i = 0; i < changed.size(); ++i) pages_[changed[i] - 1] = {hashes[i], revision_};
    status = store(changed, count);
  }
  if (status.ok()) status = fit_budget();
  if (status.ok()) status = execute("COMMIT");
  if (!status.ok()) {
    // What is in memory stays right; the sidecar is one revision behind, which its epoch covers.
    sqlite3_exec(sidecar_, "ROLLBACK", nullptr, nullptr, nullptr);
    return status;
  }
  version_ = pager->snapshot_version();
  return Status();
}

Status History::store(const std::vector<PageNumber>& changed, uint32_t page_count) {
  Query put(sidecar_, "INSERT OR REPLACE INTO page(number, hash, revision) VALUES (?, ?, ?)");
  for (PageNumber number : changed) {
    const PageState& page = pages_[number - 1];
    GW_TRY(put.bind(static_cast<int64_t>(number))
               .bind(ByteSpan(page.hash))
               .bind(static_cast<int64_t>(page.revision))
               .run());
  }
  Query cut(sidecar_, "DELETE FROM page WHERE number > ?");
  GW_TRY(cut.bind(static_cast<int64_t>(page_count)).run());
  Query newest(sidecar_, "UPDATE newest SET revision = ?");
  return newest.bind(static_cast<int64_t>(revision_)).run();
}

bool History::is_pinned_between(uint64_t from, uint64_t to) const {
  auto pin = pins_.lower_bound(from);
  return pin != pins_.end() && pin->first <= to;
}

// Before the page changes: what it held in the revisions up to `to`, if one of them is pinned.
Status History::keep_old_image(PageNumber number, uint64_t to) {
  const uint64_t from = pages_[number - 1].revision;
  if (!held_ || !is_pinned_between(from, to) || held_->is_lock_page(number)) return Status();
  if (held_->snapshot_version() != version_ || number > held_->page_count()) return Status();
  GW_ASSIGN(PageRef page, held_->read(number));
  return insert_old_page(number, from, to, {page.data(), held_->page_size()});
}

Status History::insert_old_page(PageNumber number, uint64_t from, uint64_t to, ByteSpan image) {
  Query insert(sidecar_,
               "INSERT INTO old_page(number, \"from\", \"to\", image) VALUES (?, ?, ?, ?)");
  GW_TRY(insert.bind(static_cast<int64_t>(number))
             .bind(static_cast<int64_t>(from))
             .bind(static_cast<int64_t>(to))
             .bind(image)
             .run());
  old_image_bytes_ += image.size();
  return Status();
}

// Requires an open transaction.
Status History::fit_budget() {
  while (old_image_bytes_ > options_.old_image_budget && !pins_.empty()) {
    auto oldest = std::min_element(pins_.begin(), pins_.end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    });
    GW_TRY(drop_pin(oldest->first));
  }
  return Status();
}

Status History::drop_pin(uint64_t revision) {
  pins_.erase(revision);
  Query drop(sidecar_, "DELETE FROM pin WHERE revision = ?");
  GW_TRY(drop.bind(static_cast<int64_t>(revision)).run());
  GW_TRY(execute("DELETE FROM old_page WHERE NOT EXISTS (SELECT 1 FROM pin "
                 "WHERE pin.revision BETWEEN old_page.\"from\" AND old_page.\"to\")"));
  old_image_bytes_ = static_cast<uint64_t>(
      query_integer("SELECT coalesce(sum(length(image)), 0) FROM old_page", 0));
  return Status();
}

std::string History::name_of(uint64_t revision) const {
  std::lock_guard guard(mutex_);
  return epochs_.back().word + '-' + std::to_string(revision);
}

std::optional<uint64_t> History::find(std::string_view name) const {
  size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return {};
  uint64_t number = 0;
  const char* end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + dash + 1, end, number);
  if (error != std::errc() || stop != end) return {};
  std::lock_guard guard(mutex_);
  for (size_t i = 0; i < epochs_.size(); ++i) {
    if (epochs_[i].word != name.substr(0, dash)) continue;
    uint64_t last = i + 1 < epochs_.size() ? epochs_[i + 1].first : revision_;
    if (number >= epochs_[i].first && number <= last) return number;
    return {};
  }
  return {};
}

std::vector<PageNumber> History::changed_since(uint64_t revision, const Snapshot& snapshot) const {
  std::vector<PageNumber> numbers;
  if (revision == snapshot.revision()) return numbers;
  std::lock_guard guard(mutex_);
  // Pages that changed after the snapshot are in the list too, with the content they have in it.
  const size_t count = snapshot.page_count();
  for (size_t i = 0; i < std::min(count, pages_.size()); ++i) {
    if (pages_[i].revision > revision) numbers.push_back(static_cast<PageNumber>(i + 1));
  }
  for (size_t i = pages_.size(); i < count; ++i) numbers.push_back(static_cast<PageNumber>(i + 1));
  return numbers;
}

Result<History::PinResult> History::pin(Snapshot* snapshot) {
  std::lock_guard guard(mutex_);
  const uint64_t revision = snapshot->revision();
  auto existing = pins_.find(revision);
  if (existing == pins_.end() && revision != revision_) return PinResult::kOutrun;
  const bool is_wal = snapshot->is_wal();
  const uint64_t whole = uint64_t{snapshot->page_count()} * snapshot->page_size();
  if (existing == pins_.end() && !is_wal && whole > options_.old_image_budget) {
    return PinResult::kTooLarge;
  }
  GW_TRY(execute("BEGIN IMMEDIATE"));
  bool is_new = existing == pins_.end();
  pins_[revision] = {snapshot->page_count(), now()};
  Status status;
  if (is_new && !is_wal) {
    for (PageNumber n = 1; status.ok() && n <= snapshot->page_count(); ++n) {
      if (snapshot->pager().is_lock_page(n)) continue;
      auto page = snapshot->pager().read(n);
      status = page.ok() ? insert_old_page(n, pages_[n - 1].revision, revision,
                                           {page->data(), snapshot->page_size()})
                         : page.take_status();
    }
  }
  Query put(sidecar_, "INSERT OR REPLACE INTO pin(revision, page_count, used) VALUES (?, ?, ?)");
  if (status.ok()) {
    status = put.bind(static_cast<int64_t>(revision))
                 .bind(static_cast<int64_t>(snapshot->page_count()))
                 .bind(now())
                 .run();
  }
  if (status.ok()) status = fit_budget();
  if (status.ok()) status = execute("COMMIT");
  if (!status.ok()) {
    sqlite3_exec(sidecar_, "ROLLBACK", nullptr, nullptr, nullptr);
    if (is_new) pins_.erase(revision);
    return status;
  }
  if (is_wal && !held_) {
    GW_ASSIGN(auto pager, reading_pager());
    if (pager->snapshot_version() != version_) {
      // A commit came in between: what was before it is read from the snapshot at hand.
      held_ = std::move(snapshot->pager_);
      status = advance(pager.get());
      snapshot->pager_ = std::move(held_);
      GW_TRY(status);
    }
    held_ = std::move(pager);
  }
  return pins_.count(revision) != 0 ? PinResult::kPinned : PinResult::kTooLarge;
}

std::optional<uint32_t> History::pinned_page_count(uint64_t revision, const Snapshot& newest) {
  std::lock_guard guard(mutex_);
  auto pin = pins_.find(revision);
  if (pin != pins_.end()) {
    pin->second.used = now();
    return pin->second.page_count;
  }
  if (revision == newest.revision()) return newest.page_count();
  return {};
}

Result<bool> History::append_pinned_page(uint64_t revision, PageNumber number, Snapshot* newest,
                                         std::string* out) {
  {
    std::lock_guard guard(mutex_);
    Query query(sidecar_,
                "SELECT image FROM old_page WHERE number = ?1 AND \"to\" >= ?2 AND \"from\" <= ?2 "
                "ORDER BY \"to\" LIMIT 1");
    query.bind(static_cast<int64_t>(number)).bind(static_cast<int64_t>(revision));
    if (query.row()) {
      out->append(query.bytes(0));
      return true;
    }
    GW_TRY(query.status());
    bool is_unchanged = number <= pages_.size() && number <= newest->page_count() &&
                        pages_[number - 1].revision <= revision;
    if (!is_unchanged && !newest->pager().is_lock_page(number)) return false;
  }
  GW_TRY(newest->append_page(number, out));
  return true;
}

void History::keep_pins() {
  std::lock_guard guard(mutex_);
  if (pins_.empty()) {
    if (held_) give_back(std::move(held_));
    return;
  }
  auto ignored = snapshot_locked();  // moves the held snapshot on
  if (ignored.ok() && !held_ && (*ignored)->is_wal()) {
    auto pager = reading_pager();
    if (pager.ok() && (*pager)->snapshot_version() == version_) held_ = *std::move(pager);
  }
}

uint64_t History::old_image_bytes() const {
  std::lock_guard guard(mutex_);
  return old_image_bytes_;
}

size_t History::pin_count() const {
  std::lock_guard guard(mutex_);
  return pins_.size();
}

}  // namespace godwit::server
