// A rollback journal, a WAL or a WAL index of any bytes beside a sound database: recovery, reading,
// writing and checkpoints end without a crash and in bounded time, and what they leave is still a
// database or an error.
//
// Input: one byte for the kind, then
//   0  a journal
//   1  a WAL
//   2  a WAL whose checksums are made right, so that what its frames say is believed
//   3  changes of the shared memory while two connections have it open: offset 2 bytes, value 4 bytes
//   4  the same, and the checksum of the index header is made right
//   5  as 3, but one change more before each statement: somebody else writes there all the time
#include <functional>

#include "base/bytes.h"
#include "engine/connection.h"
#include "engine/statement.h"
#include "os/memory/memory_vfs.h"
#include "pager/file_header.h"
#include "pager/wal_format.h"
#include "pager/wal_index_format.h"
#include "tests/fuzz/driver.h"

namespace {

using namespace godwit;

constexpr int kRowsMax = 2000;
constexpr const char* kPath = "/fuzz.db";

// Waiting for somebody who is not there takes no time.
class FuzzVfs : public MemoryVfs {
 public:
  void sleep_us(uint64_t) override {}
};

void run(Connection* connection, std::string_view sql) {
  auto statement = connection->prepare(sql, nullptr);
  if (!statement.ok() || *statement == nullptr) return;
  for (int i = 0; i < kRowsMax; ++i) {
    auto more = (*statement)->step();
    if (!more.ok() || !*more) return;
    for (int c = 0; c < (*statement)->column_count(); ++c) (void)(*statement)->column(c);
  }
}

std::unique_ptr<Connection> open(MemoryVfs* vfs) {
  ConnectOptions options;
  options.vfs = vfs;
  auto opened = Connection::open(kPath, options);
  return opened.ok() ? std::move(*opened) : nullptr;
}

void fill(Connection* connection) {
  for (const char* sql : {"CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c)", "CREATE INDEX tb ON t(b, c)",
                          "INSERT INTO t VALUES(1,'one',1.5),(2,'two',x'00ff'),(3,NULL,zeroblob(3000))",
                          "INSERT INTO t SELECT a+10, b||a, c FROM t",
                          "INSERT INTO t SELECT a+100, b||a, c FROM t"}) {
    run(connection, sql);
  }
}

using Bytes = std::vector<uint8_t>;
struct Base {
  Bytes rollback_database, journal;  // in the middle of a commit
  Bytes wal_database, wal;
};

const Base& base() {
  static const Base made = [] {
    Base result;
    {
      FuzzVfs vfs;
      auto connection = open(&vfs);
      run(connection.get(), "PRAGMA page_size=512");
      fill(connection.get());
      run(connection.get(), "BEGIN");
      run(connection.get(), "UPDATE t SET b = b || 'x', c = zeroblob(700)");
      (void)connection->databases()[0].btree->prepare_commit("");
      result.rollback_database = vfs.content(kPath);
      result.journal = vfs.content(std::string(kPath) + "-journal");
      (void)connection->databases()[0].btree->pager().cancel_commit();
    }
    FuzzVfs vfs;
    auto connection = open(&vfs);
    run(connection.get(), "PRAGMA page_size=512");
    run(connection.get(), "PRAGMA journal_mode=wal");
    fill(connection.get());
    result.wal_database = vfs.content(kPath);
    result.wal = vfs.content(std::string(kPath) + "-wal");
    return result;
  }();
  return made;
}

void make_checksums_right(Bytes* wal) {
  if (wal->size() < kWalHeaderSize) return;
  store_be32(wal->data(), kWalMagic);
  store_be32(wal->data() + kWalHeaderVersion, kWalFormatVersion);
  uint32_t page_size = load_be32(wal->data() + kWalHeaderPageSize);
  if (!is_page_size(page_size)) return;
  bool swap = checksum_needs_swap(false);
  WalChecksum sum = wal_checksum({}, wal->data(), kWalHeaderChecksum, swap);
  store_be32(wal->data() + kWalHeaderChecksum, sum.s0);
  store_be32(wal->data() + kWalHeaderChecksum + 4, sum.s1);
  size_t frame_size = kFrameHeaderSize + page_size;
  for (size_t at = kWalHeaderSize; at + frame_size <= wal->size(); at += frame_size) {
    uint8_t* frame = wal->data() + at;
    std::memcpy(frame + kFrameSalt, wal->data() + kWalHeaderSalt, kWalSaltSize);
    sum = wal_checksum(sum, frame, kFrameChecksummed, swap);
    sum = wal_checksum(sum, frame + kFrameHeaderSize, page_size, swap);
    store_be32(frame + kFrameChecksum, sum.s0);
    store_be32(frame + kFrameChecksum + 4, sum.s1);
  }
}

void change_shared_memory(File* file, ByteSpan changes, bool make_checksum_right) {
  auto mapped = file->shm_map(0, false);
  if (!mapped.ok() || *mapped == nullptr) return;
  uint8_t* memory = const_cast<uint8_t*>(*mapped);
  for (; changes.size() >= 6; changes = changes.subspan(6)) {
    size_t offset = load_be16(changes.data()) % (kShmRegionSize - 3);
    std::memcpy(memory + offset, changes.data() + 2, 4);
  }
  if (!make_checksum_right) return;
  WalChecksum sum = wal_checksum({}, memory, offsetof(WalIndexHeader, checksum), false);
  std::memcpy(memory + offsetof(WalIndexHeader, checksum), &sum, sizeof sum);
  std::memcpy(memory + sizeof(WalIndexHeader), memory, sizeof(WalIndexHeader));
}

void use(Connection* connection, const std::function<void()>& before = [] {}) {
  for (const char* sql :
       {"SELECT count(*), sum(a) FROM t", "PRAGMA integrity_check(10)", "SELECT * FROM t WHERE b > 'o' ORDER BY b",
        "INSERT INTO t SELECT a + 1000, b, c FROM t", "PRAGMA wal_checkpoint(passive)",
        "UPDATE t SET c = zeroblob(600) WHERE a < 20", "PRAGMA wal_checkpoint(truncate)",
        "DELETE FROM t WHERE a % 2", "PRAGMA journal_mode=delete", "PRAGMA quick_check(10)"}) {
    before();
    run(connection, sql);
  }
}

std::string seed(char kind, const Bytes& bytes) {
  return std::string(1, kind) + std::string(bytes.begin(), bytes.end());
}

std::string word_changes(std::initializer_list<std::pair<int, uint32_t>> changes, char kind) {
  std::string text(1, kind);
  for (auto [offset, value] : changes) {
    uint8_t bytes[6];
    store_be16(bytes, static_cast<uint32_t>(offset));
    std::memcpy(bytes + 2, &value, 4);
    text.append(reinterpret_cast<char*>(bytes), sizeof bytes);
  }
  return text;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  return {seed(0, base().journal), seed(1, base().wal), seed(2, base().wal),
          // frame count, database size, backfilled frames, a read mark, a page number, a hash slot
          word_changes({{16, 100000}, {20, 7}}, 4), word_changes({{16, 0xfffffff0}}, 4),
          word_changes({{96, 0x7fffffff}, {104, 5}}, 4), word_changes({{136, 9}, {16384, 0x00010001}}, 3),
          word_changes({{0, 0}, {48, 1}}, 3),
          word_changes({{16, 3}, {96, 2}, {100, 1}, {104, 40}, {136, 1}, {16384, 2}, {64, 3}}, 5)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  int kind = data[0] % 6;
  ByteSpan rest(data + 1, size - 1);
  FuzzVfs vfs;
  vfs.set_content(kPath, kind == 0 ? base().rollback_database : base().wal_database);
  if (kind == 0) vfs.set_content(std::string(kPath) + "-journal", rest);
  if (kind == 1 || kind == 2) {
    Bytes wal(rest.begin(), rest.end());
    if (kind == 2) make_checksums_right(&wal);
    vfs.set_content(std::string(kPath) + "-wal", wal);
  }
  if (kind >= 3) vfs.set_content(std::string(kPath) + "-wal", base().wal);
  auto first = open(&vfs);
  if (first == nullptr) return 0;
  if (kind >= 3) {
    run(first.get(), "SELECT count(*) FROM t");
    auto second = open(&vfs);
    run(second.get(), "SELECT count(*) FROM t");
    auto file = vfs.open(kPath, {});
    if (!file.ok()) return 0;
    if (kind == 5) {
      size_t at = 0;
      auto change_one = [&] {
        if (at + 6 <= rest.size()) change_shared_memory(file->get(), rest.subspan(at, 6), false);
        at += 6;
      };
      use(second.get(), change_one);
      use(first.get(), change_one);
      return 0;
    }
    change_shared_memory(file->get(), rest, kind == 4);
    use(second.get());
  }
  use(first.get());
  return 0;
}
