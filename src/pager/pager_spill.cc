// Pages that do not fit into memory.
//
// A write transaction that has changed more pages than the cache has room for puts those that were not
// used lately into a private temporary file, and reads them back when they are wanted. The database, its
// journal and its WAL know nothing of it: the commit takes pages from there as it takes them from
// memory, batch by batch. A temporary database has no other file; its pages stay there after the commit.
//
//     pages_                     spilled_                       undo_
//     page in memory             content in the file            what a rollback brings back
//        |      spill()             ^   |                         |
//        +--------------------------+   | read_spilled()          | shed_undo(): images of the file
//        |                              v                         | are dropped, others get a slot
//        |  <---- page in memory, with a slot still: may be       v
//        write()  evicted again at no cost; write() takes      slot
//                 the slot away
//
// A page's stamp goes with it into the file. While the page is in memory and has a slot its stamp is 0
// there, so that the first write() takes the slow way, which restores the stamp.
#include <algorithm>

#include "pager/pager.h"
#include "pager/rollback_journal.h"
#include "pager/wal.h"

namespace godwit {
namespace {

constexpr uint32_t kSpillBatchPages = 256;

}  // namespace

// Few changed pages stay in memory, so that clean ones are evicted before them.
bool Pager::may_spill() const {
  if (!spills_ || spill_failed_ || pages_.size() <= spill_threshold_) return false;
  if (file_ == nullptr) return is_temporary_;
  return state_ == State::kWriting && undo_.size() > page_budget_ / 2;
}

Status Pager::make_room() {
  if (may_spill()) return spill();
  if (file_ == nullptr) return {};  // there is nowhere to read a page back from
  // Of pages that all have changed none can go: do not look at them one by one each time.
  if (state_ == State::kWriting && undo_.size() > pages_.size() / 8 * 7) return {};
  while (pages_.size() > page_budget_ && pages_.evict_one()) {
  }
  return {};
}

Status Pager::spill() {
  if (spill_file_ == nullptr) {
    auto file = SpillFile::open(vfs_, page_size_);
    if (!file.ok()) {
      spills_ = false;  // no place for temporary files: they stay
      return {};
    }
    spill_file_ = std::move(*file);
  }
  std::vector<Page*> victims;
  uint32_t count = std::clamp<uint32_t>(page_budget_ / 16, 4, kSpillBatchPages);
  pages_.collect_victims(count, file_ == nullptr, &victims);
  std::sort(victims.begin(), victims.end(),
            [](const Page* a, const Page* b) { return a->number_ < b->number_; });
  std::vector<const uint8_t*> bytes;
  std::vector<uint32_t> slots(victims.size());
  for (const Page* page : victims) bytes.push_back(page->data_);
  // Without room there the pages stay: the commit will say what there is to say.
  spill_failed_ = !spill_file_->write(bytes, slots.data()).ok();
  if (spill_failed_) return {};
  for (size_t i = 0; i < victims.size(); ++i) {
    spilled_[victims[i]->number_] = {slots[i], victims[i]->stamp_};
    pages_.erase(victims[i]);
  }
  figures_.spills += victims.size();
  return state_ == State::kWriting ? shed_undo() : Status();
}

// Of the images that a rollback would need, those that the database file has are dropped; the others
// go to the spill file.
Status Pager::shed_undo() {
  if (!spills_ || spill_failed_ || (file_ == nullptr && !is_temporary_)) return {};
  std::vector<const uint8_t*> bytes;
  std::vector<UndoEntry*> entries;
  std::vector<uint32_t> slots;
  while (undo_shed_ < undo_.size()) {
    bytes.clear();
    entries.clear();
    size_t i = undo_shed_;
    for (; i < undo_.size() && entries.size() < kSpillBatchPages; ++i) {
      UndoEntry& entry = undo_[i];
      if (!entry.image || entry.number == 1) continue;
      if (file_ != nullptr && !entry.was_writable) {
        entry.image = {};
      } else {
        bytes.push_back(entry.image->data());
        entries.push_back(&entry);
      }
    }
    if (!entries.empty() && spill_file_ == nullptr) {
      auto file = SpillFile::open(vfs_, page_size_);
      if (!file.ok()) return {};
      spill_file_ = std::move(*file);
    }
    slots.resize(entries.size());
    spill_failed_ = !entries.empty() && !spill_file_->write(bytes, slots.data()).ok();
    if (spill_failed_) return {};
    for (size_t k = 0; k < entries.size(); ++k) {
      entries[k]->slot = slots[k];
      entries[k]->image = {};
    }
    undo_shed_ = i;
  }
  return {};
}

Result<PageImageRef> Pager::read_slot(uint32_t slot) {
  PageImageRef image = PageImageRef::adopt(PageImage::create(page_size_));
  if (!image) return Status::no_memory();
  GW_TRY(spill_file_->read(slot, image->data()));
  return image;
}

Result<PageRef> Pager::read_spilled(PageNumber number) {
  const SpilledPage spilled = spilled_.at(number);
  GW_ASSIGN(PageImageRef image, read_slot(spilled.slot));
  Page* page = pages_.insert(number);
  page->set_image(std::move(image));
  page->spilled_ = true;
  page->writable_ = state_ == State::kWriting && spilled.stamp >= base_stamp_;
  PageRef ref(page);
  GW_TRY(keep_within_budget());
  return ref;
}

// The page's newest content is no longer in the spill file; the caller owns the slot from now on.
// `page`: null if it is not in memory.
Pager::SpilledPage Pager::take_spilled(PageNumber number, Page* page) {
  auto found = spilled_.find(number);
  GW_ASSERT(found != spilled_.end());
  const SpilledPage spilled = found->second;
  spilled_.erase(found);
  if (page != nullptr) {
    page->spilled_ = false;
    page->stamp_ = spilled.stamp;
  }
  return spilled;
}

void Pager::free_slot(uint32_t slot) {
  if (slot != 0) spill_file_->free(slot);
}

void Pager::drop_spilled(PageNumber number, Page* page) {
  if (spilled_.contains(number)) free_slot(take_spilled(number, page).slot);
}

// The content of the spill file is of no use any more, or the database file has it.
void Pager::forget_spilled() {
  for (const auto& [number, spilled] : spilled_) {
    if (Page* page = pages_.find(number)) page->spilled_ = false;
  }
  spilled_.clear();
  spill_file_.reset();
}

// Calls write(pages) for the pages that are in the spill file alone, in the order of their numbers, some
// at a time.
template <typename Write>
Status Pager::for_each_spilled_batch(Write write) {
  std::vector<PageNumber> numbers;
  for (const auto& [number, spilled] : spilled_) {
    if (pages_.find(number) == nullptr) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<uint8_t> bytes(std::min<size_t>(numbers.size(), kSpillBatchPages) * page_size_);
  std::vector<WalPage> pages;
  for (size_t i = 0; i < numbers.size(); i += pages.size()) {
    pages.clear();
    while (pages.size() < kSpillBatchPages && i + pages.size() < numbers.size()) {
      PageNumber number = numbers[i + pages.size()];
      uint8_t* page = &bytes[pages.size() * page_size_];
      GW_TRY(spill_file_->read(spilled_.at(number).slot, page));
      pages.push_back({number, page});
    }
    GW_TRY(write(std::span<const WalPage>(pages)));
  }
  figures_.writes += numbers.size();
  return {};
}

// Before the pages in memory, the last of which ends the commit.
Status Pager::append_spilled_to_wal() {
  return for_each_spilled_batch([this](std::span<const WalPage> pages) {
    return wal_->append(pages, 0, page_size_, synchronous_ != Synchronous::kOff);
  });
}

Status Pager::write_spilled_to_database() {
  return for_each_spilled_batch([this](std::span<const WalPage> pages) -> Status {
    std::vector<ByteSpan> run;
    for (size_t i = 0; i < pages.size();) {
      const size_t first = i;
      run.clear();
      do {
        run.emplace_back(pages[i].data, page_size_);
        ++i;
      } while (i < pages.size() && pages[i].number == pages[i - 1].number + 1);
      GW_TRY(file_->write_vectored(uint64_t{pages[first].number - 1} * page_size_, run));
    }
    return {};
  });
}

// The rollback journal of a transaction whose originals do not fit into memory: they are read from the
// database file, which still has them, and written at once.
Status Pager::stream_journal() {
  originals_.clear();
  std::vector<PageNumber> numbers;
  for (const UndoEntry& entry : undo_) {
    if (entry.number <= original_page_count_) numbers.push_back(entry.number);
  }
  for (uint64_t n = uint64_t{page_count_} + 1; n <= original_page_count_; ++n) {
    if (!is_lock_page(static_cast<PageNumber>(n))) numbers.push_back(static_cast<PageNumber>(n));
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  GW_TRY(journal_->start(static_cast<uint32_t>(numbers.size()), page_size_, original_page_count_,
                         journal_syncs()));
  std::vector<OriginalPage> batch;
  if (numbers.empty()) GW_TRY(journal_->append(batch));
  for (size_t i = 0; i < numbers.size(); i += batch.size()) {
    batch.clear();
    while (batch.size() < kSpillBatchPages && i + batch.size() < numbers.size()) {
      OriginalPage original{numbers[i + batch.size()], {}};
      GW_ASSIGN(original.image, load_image(original.number, false));
      batch.push_back(std::move(original));
    }
    GW_TRY(journal_->append(batch));
  }
  return journal_->finish(journal_super_);
}

}  // namespace godwit
