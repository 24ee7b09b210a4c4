#include "native/proxy/mapped_counts.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plumb::proxy {

namespace {

constexpr std::string_view mark = "plumb counts 1\n";
constexpr std::size_t rows_max = Ledger::accounts_max + 1;
constexpr std::size_t rows_more = 64;

Error failed(const std::string& path, std::string_view what, int why) {
  return Error{ErrorCode::unavailable, std::string(what) + " (" + std::strerror(why) + ")", path, 0, 0};
}

}  // namespace

Result<std::unique_ptr<MappedCounts>> MappedCounts::create(const std::string& path) {
  const std::string fresh = path + ".new";
  const int file = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) {
    return failed(path, "cannot be written", errno);
  }
  void* at = ::mmap(nullptr, rows_max * sizeof(CountRow), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) {
    const int why = errno;
    ::close(file);
    return failed(path, "cannot be mapped", why);
  }
  std::unique_ptr<MappedCounts> made(new MappedCounts(file, static_cast<CountRow*>(at)));
  if (const int why = ::posix_fallocate(file, 0, rows_more * sizeof(CountRow)); why != 0) {
    return failed(path, "has no room on the disk", why);
  }
  made->room_ = rows_more;
  std::memcpy(made->rows_[0].scope, mark.data(), mark.size());
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    return failed(path, "cannot be written", errno);
  }
  return made;
}

MappedCounts::~MappedCounts() {
  ::munmap(rows_, rows_max * sizeof(CountRow));
  ::close(file_);
}

CountRow* MappedCounts::row(std::string_view scope) {
  if (scope.size() > CountRow::scope_bytes_max || count_ >= rows_max) {
    return nullptr;
  }
  if (count_ == room_) {
    const std::size_t wanted = std::min(rows_max, room_ + std::max(rows_more, room_ / 2));
    if (::posix_fallocate(file_, 0, static_cast<off_t>(wanted * sizeof(CountRow))) != 0) {
      return nullptr;
    }
    room_ = wanted;
  }
  CountRow& made = rows_[count_++];
  std::memcpy(made.scope, scope.data(), scope.size());
  made.used.store(1, std::memory_order_release);
  return &made;
}

std::vector<Used> read_mapped_counts(const std::string& path) {
  std::vector<Used> out;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0 || about.st_size < static_cast<off_t>(sizeof(CountRow))) {
    if (file >= 0) {
      ::close(file);
    }
    return out;
  }
  const std::size_t rows = std::min(rows_max, static_cast<std::size_t>(about.st_size) / sizeof(CountRow));
  std::vector<char> bytes(rows * sizeof(CountRow));
  const ssize_t size = ::pread(file, bytes.data(), bytes.size(), 0);
  ::close(file);
  if (size < static_cast<ssize_t>(bytes.size()) || std::string_view(bytes.data(), mark.size()) != mark) {
    return out;
  }
  for (std::size_t i = 1; i < rows; ++i) {
    const char* row = bytes.data() + i * sizeof(CountRow);
    const auto number = [row](std::size_t at) {
      std::uint64_t value = 0;
      std::memcpy(&value, row + at, sizeof value);
      return value;
    };
    if (number(offsetof(CountRow, used)) != 1) {
      continue;
    }
    Used one;
    one.scope.assign(row, ::strnlen(row, CountRow::scope_bytes_max));
    one.day = number(offsetof(CountRow, day));
    one.requests_day = number(offsetof(CountRow, requests));
    one.tokens_day = number(offsetof(CountRow, tokens));
    one.nano_usd_day = number(offsetof(CountRow, nano_usd));
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<Used> later_of(std::vector<Used> counters, const std::vector<Used>& mapped) {
  for (const Used& one : mapped) {
    const auto known =
        std::find_if(counters.begin(), counters.end(), [&](const Used& other) { return other.scope == one.scope; });
    if (known == counters.end()) {
      counters.push_back(one);
    } else if (one.day > known->day) {
      *known = one;
    } else if (one.day == known->day) {
      known->requests_day = std::max(known->requests_day, one.requests_day);
      known->tokens_day = std::max(known->tokens_day, one.tokens_day);
      known->nano_usd_day = std::max(known->nano_usd_day, one.nano_usd_day);
    }
  }
  return counters;
}

}  // namespace plumb::proxy
