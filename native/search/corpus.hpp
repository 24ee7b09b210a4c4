// Corpus: a folder of documents with its index.
//
//   Result<std::unique_ptr<Corpus>> corpus = Corpus::open({.folder = "/usr/share/doc"});
//   corpus.value()->refresh({});                       // reads what is new or changed, forgets what is gone
//   corpus.value()->search("apt-get purge", 5)         // best passages first
//
// An index is brought up to date file by file: what has the same time and size is passed over, what has the same bytes
// is not read again. Files are committed in groups with their passages, so a refresh that is killed goes on with the
// next one. One process refreshes an index at a time; searches go on meanwhile and see what has been committed.
//
// All functions may be called from any thread.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/search/document_file.hpp"
#include "native/search/folder.hpp"
#include "native/search/hit.hpp"

namespace plumb::search {

struct CorpusSettings {
  std::string folder;
  std::string index_file = {};  // empty: the usual one
  FolderLimits walk = {};
  FileLimits file = {};
  std::uint64_t text_bytes_max = std::uint64_t{4} << 30U;  // of all documents together
};

struct SkippedFile {
  std::string path;
  std::string reason;  // "too large"
  std::string why;
};

struct CorpusState {
  std::uint64_t files = 0;  // with passages
  std::uint64_t passages = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t index_bytes = 0;
  std::uint64_t skipped_count = 0;
  std::vector<SkippedFile> skipped;  // the first 100 of them
};

struct Refresh {
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t removed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t read_bytes = 0;  // of files that were read, as they lie on the disk
  std::uint64_t text_bytes = 0;  // of the passages that were added
  std::uint64_t links = 0;
  std::uint64_t left_out_count = 0;
  std::vector<LeftOut> left_out;    // by the walk: links that lead out, folders that cannot be listed
  std::vector<std::string> bounds;  // which were reached: one sentence each
  bool busy = false;                // another process is at it: nothing was done
  std::string busy_why;
  bool stopped = false;
};

struct RefreshWatch {
  // Now and then, with what is done of all files; false stops.
  std::function<bool(std::uint64_t done, std::uint64_t all)> progress = {};
};

class Corpus {
 public:
  // The folder must be there; the index need not.
  static Result<std::unique_ptr<Corpus>> open(CorpusSettings settings);
  ~Corpus();
  Corpus(const Corpus&) = delete;
  Corpus& operator=(const Corpus&) = delete;

  const std::string& folder() const { return settings_.folder; }  // its real path
  const std::string& index_file() const { return settings_.index_file; }

  Result<Refresh> refresh(const RefreshWatch& watch);
  Result<CorpusState> state();
  Result<Hits> search(std::string_view query, std::size_t limit);

 private:
  explicit Corpus(CorpusSettings settings) : settings_(std::move(settings)) {}
  Result<std::unique_ptr<SQLite::Database>> reader();
  void give_back(std::unique_ptr<SQLite::Database> database);

  CorpusSettings settings_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SQLite::Database>> readers_;  // that nobody uses
};

}  // namespace plumb::search
