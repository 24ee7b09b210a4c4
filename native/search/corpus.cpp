// A refresh walks the folder, and goes through the list of its files and the list of what the index has, both in the
// order of their paths. What is written is committed in groups; a group holds whole files.

#include "native/search/corpus.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "native/search/find.hpp"
#include "native/search/index_file.hpp"
#include "native/search/passages.hpp"
#include "native/store/store_lock.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t readers_kept = 8;
constexpr std::size_t skipped_told = 100;
constexpr std::uint64_t group_bytes = std::uint64_t{24} << 20U;
constexpr std::size_t group_files = 2000;
constexpr std::uint64_t progress_files = 64;
constexpr std::int64_t settled_ns = 2'000'000'000;  // a file changed later than that may change again in the same tick

std::string title_of(const Document& document, const std::string& path) {
  if (!document.title.empty()) {
    return document.title.substr(0, 200);
  }
  return path.substr(path.rfind('/') + 1);
}

struct Known {
  std::int64_t number = 0;
  std::int64_t changed_ns = 0;
  std::uint64_t bytes = 0;
  std::string hash;
  std::uint64_t text_bytes = 0;
};

class Writer {
 public:
  Writer(SQLite::Database& database, const CorpusSettings& settings, Refresh& done)
      : database_(database),
        settings_(settings),
        done_(done),
        put_file_(
            database,
            "INSERT INTO files (number, path, changed_ns, bytes, hash, kind, title, passages, text_bytes, skipped, "
            "why) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET changed_ns = "
            "excluded.changed_ns, bytes = excluded.bytes, hash = excluded.hash, kind = excluded.kind, title = "
            "excluded.title, passages = excluded.passages, text_bytes = excluded.text_bytes, skipped = "
            "excluded.skipped, why = excluded.why"),
        put_passage_(database,
                     "INSERT INTO passages (rowid, path, title, heading, text, lines) VALUES (?, ?, ?, ?, ?, ?)"),
        remove_passages_(database, "DELETE FROM passages WHERE rowid >= ? AND rowid < ?"),
        remove_file_(database, "DELETE FROM files WHERE number = ?"),
        touch_(database, "UPDATE files SET changed_ns = ?, bytes = ? WHERE number = ?") {
    SQLite::Statement known(database_, "SELECT path, number, changed_ns, bytes, hash, text_bytes FROM files");
    while (known.executeStep()) {
      Known one;
      one.number = known.getColumn(1).getInt64();
      one.changed_ns = known.getColumn(2).getInt64();
      one.bytes = static_cast<std::uint64_t>(known.getColumn(3).getInt64());
      one.hash = known.getColumn(4).getString();
      one.text_bytes = static_cast<std::uint64_t>(known.getColumn(5).getInt64());
      next_number_ = std::max(next_number_, one.number + 1);
      text_bytes_ += one.text_bytes;
      known_.emplace(known.getColumn(0).getString(), std::move(one));
    }
    now_ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
                  .count();
  }

  // False: stopped.
  bool take(const Folder& folder, const RefreshWatch& watch) {
    std::uint64_t count = 0;
    for (const ListedFile& file : folder.files) {
      if (count % progress_files == 0 && watch.progress && !watch.progress(count, folder.files.size())) {
        commit();
        return false;
      }
      ++count;
      take_file(file);
      if (group_bytes_ >= group_bytes || group_files_ >= group_files) {
        commit();
      }
    }
    if (watch.progress) {
      watch.progress(count, folder.files.size());
    }
    // Of a walk that was cut nobody knows what is gone.
    if (!folder.cut) {
      for (const auto& [path, gone] : known_) {
        begin();
        forget(gone.number);
        remove_file_.reset();
        remove_file_.bind(1, gone.number);
        remove_file_.exec();
        ++done_.removed;
      }
    }
    commit();
    return true;
  }

 private:
  void begin() {
    if (!transaction_) {
      transaction_.emplace(database_, SQLite::TransactionBehavior::IMMEDIATE);
    }
  }
  void commit() {
    if (transaction_) {
      transaction_->commit();
    }
    transaction_.reset();
    group_bytes_ = 0;
    group_files_ = 0;
  }

  void forget(std::int64_t number) {
    remove_passages_.reset();
    remove_passages_.bind(1, number << 20);
    remove_passages_.bind(2, (number + 1) << 20);
    remove_passages_.exec();
  }

  void take_file(const ListedFile& file) {
    const auto found = known_.find(file.path);
    const bool is_known = found != known_.end();
    Known known = is_known ? std::move(found->second) : Known();
    if (is_known) {
      known_.erase(found);
    }
    if (is_known && known.changed_ns == file.changed_ns && known.bytes == file.bytes) {
      ++done_.unchanged;
      return;
    }
    if (text_bytes_ - known.text_bytes >= settings_.text_bytes_max) {
      full_ = true;
      if (is_known) {
        known_.emplace(file.path, std::move(known));  // what cannot be brought up to date is not kept
      } else {
        ++done_.left_out_count;
      }
      if (done_.bounds.empty()) {
        done_.bounds.push_back("the corpus has more than " + std::to_string(settings_.text_bytes_max) +
                               " bytes of text; what comes behind is not indexed");
      }
      return;
    }
    FileRead read = read_document(settings_.folder + "/" + file.path, settings_.file, known.hash);
    const std::int64_t changed_ns = now_ns_ - file.changed_ns < settled_ns ? -1 : file.changed_ns;
    begin();
    ++group_files_;
    done_.read_bytes += read.bytes;
    if (read.unchanged) {
      touch_.reset();
      touch_.bind(1, changed_ns);
      touch_.bind(2, static_cast<std::int64_t>(file.bytes));
      touch_.bind(3, known.number);
      touch_.exec();
      ++done_.unchanged;
      return;
    }
    ++(is_known ? done_.changed : done_.added);
    const std::int64_t number = is_known ? known.number : next_number_++;
    if (is_known) {
      forget(number);
    }
    text_bytes_ -= known.text_bytes;
    put(number, file, changed_ns, read);
  }

  void put(std::int64_t number, const ListedFile& file, std::int64_t changed_ns, const FileRead& read) {
    std::string title;
    std::uint64_t text_bytes = 0;
    std::vector<Passage> passages;
    if (read.document) {
      title = title_of(*read.document, file.path);
      bool cut = false;
      passages = passages_of(*read.document, &cut);
      if (cut) {
        done_.bounds.push_back(file.path + " has more than " + std::to_string(passages_max) +
                               " passages; what comes behind is not indexed");
      }
    }
    std::int64_t rowid = number << 20;
    for (const Passage& one : passages) {
      text_bytes += one.text.size();
      const std::string lines = lines_text(one.lines);
      put_passage_.reset();
      put_passage_.bind(1, rowid++);
      put_passage_.bindNoCopy(2, file.path);
      put_passage_.bindNoCopy(3, title);
      put_passage_.bindNoCopy(4, one.heading);
      put_passage_.bindNoCopy(5, one.text);
      put_passage_.bindNoCopy(6, lines);
      put_passage_.exec();
    }
    put_file_.reset();
    put_file_.bind(1, number);
    put_file_.bind(2, file.path);
    put_file_.bind(3, changed_ns);
    put_file_.bind(4, static_cast<std::int64_t>(file.bytes));
    put_file_.bind(5, read.hash);
    put_file_.bind(6, read.document ? std::string(file_kind_name(read.kind)) : std::string());
    put_file_.bind(7, title);
    put_file_.bind(8, static_cast<std::int64_t>(passages.size()));
    put_file_.bind(9, static_cast<std::int64_t>(text_bytes));
    put_file_.bind(10, read.document ? std::string() : std::string(skipped_name(read.skipped)));
    put_file_.bind(11, read.document ? std::string() : read.why);
    put_file_.exec();
    text_bytes_ += text_bytes;
    done_.text_bytes += text_bytes;
    group_bytes_ += text_bytes;
  }

  SQLite::Database& database_;
  const CorpusSettings& settings_;
  Refresh& done_;
  std::optional<SQLite::Transaction> transaction_;
  SQLite::Statement put_file_;
  SQLite::Statement put_passage_;
  SQLite::Statement remove_passages_;
  SQLite::Statement remove_file_;
  SQLite::Statement touch_;
  std::map<std::string, Known> known_;  // and not yet met in the walk
  std::int64_t next_number_ = 1;
  std::int64_t now_ns_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t group_bytes_ = 0;
  std::size_t group_files_ = 0;
  bool full_ = false;
};

std::uint64_t size_of(const std::string& file) {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

}  // namespace

Corpus::~Corpus() = default;

Result<std::unique_ptr<Corpus>> Corpus::open(CorpusSettings settings) {
  Result<std::string> folder = real_folder(settings.folder);
  if (!folder) {
    return folder.error();
  }
  settings.folder = std::move(folder).value();
  if (settings.index_file.empty()) {
    Result<std::string> file = usual_index_file(settings.folder);
    if (!file) {
      return file.error();
    }
    settings.index_file = std::move(file).value();
  }
  return std::unique_ptr<Corpus>(new Corpus(std::move(settings)));
}

Result<Refresh> Corpus::refresh(const RefreshWatch& watch) {
  Refresh done;
  const Result<store::StoreLock> lock = store::StoreLock::take(settings_.index_file);
  if (!lock) {
    if (lock.error().code != ErrorCode::unavailable || !open_index_to_read(settings_.index_file, settings_.folder)) {
      return lock.error();
    }
    done.busy = true;
    done.busy_why = lock.error().message;
    return done;
  }
  Result<Folder> folder = list_folder(settings_.folder, settings_.walk);
  if (!folder) {
    return folder.error();
  }
  done.links = folder.value().links;
  done.left_out = folder.value().left_out;
  done.left_out_count = folder.value().left_out_count;
  if (folder.value().cut) {
    done.bounds.push_back("the folder has more than " + std::to_string(settings_.walk.files_max) +
                          " files or is deeper than " + std::to_string(settings_.walk.depth_max) +
                          " folders; what comes behind is not indexed");
  }
  Result<std::unique_ptr<SQLite::Database>> database = open_index(settings_.index_file, settings_.folder);
  if (!database) {
    return database.error();
  }
  try {
    Writer writer(*database.value(), settings_, done);
    done.stopped = !writer.take(folder.value(), watch);
    return done;
  } catch (const SQLite::Exception& error) {
    return index_error(error, settings_.index_file);
  }
}

Result<std::unique_ptr<SQLite::Database>> Corpus::reader() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!readers_.empty()) {
      std::unique_ptr<SQLite::Database> one = std::move(readers_.back());
      readers_.pop_back();
      return one;
    }
  }
  return open_index_to_read(settings_.index_file, settings_.folder);
}

void Corpus::give_back(std::unique_ptr<SQLite::Database> database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (readers_.size() < readers_kept) {
    readers_.push_back(std::move(database));
  }
}

Result<CorpusState> Corpus::state() {
  Result<std::unique_ptr<SQLite::Database>> database = reader();
  if (!database) {
    return database.error();
  }
  try {
    CorpusState state;
    {
      SQLite::Statement sums(*database.value(),
                             "SELECT count(*) FILTER (WHERE skipped = ''), coalesce(sum(passages), 0), "
                             "coalesce(sum(text_bytes), 0), count(*) FILTER (WHERE skipped <> '') FROM files");
      sums.executeStep();
      state.files = static_cast<std::uint64_t>(sums.getColumn(0).getInt64());
      state.passages = static_cast<std::uint64_t>(sums.getColumn(1).getInt64());
      state.text_bytes = static_cast<std::uint64_t>(sums.getColumn(2).getInt64());
      state.skipped_count = static_cast<std::uint64_t>(sums.getColumn(3).getInt64());
      SQLite::Statement skipped(
          *database.value(), "SELECT path, skipped, why FROM files WHERE skipped <> '' ORDER BY skipped, path LIMIT ?");
      skipped.bind(1, static_cast<std::int64_t>(skipped_told));
      while (skipped.executeStep()) {
        state.skipped.push_back(
            {skipped.getColumn(0).getString(), skipped.getColumn(1).getString(), skipped.getColumn(2).getString()});
      }
    }
    state.index_bytes = size_of(settings_.index_file) + size_of(settings_.index_file + "-wal");
    give_back(std::move(database).value());
    return state;
  } catch (const SQLite::Exception& error) {
    return index_error(error, settings_.index_file);
  }
}

Result<Hits> Corpus::search(std::string_view query, std::size_t limit) {
  Result<std::unique_ptr<SQLite::Database>> database = reader();
  if (!database) {
    return database.error();
  }
  try {
    Result<Hits> hits = find(*database.value(), query, limit);
    give_back(std::move(database).value());
    return hits;
  } catch (const SQLite::Exception& error) {
    return index_error(error, settings_.index_file);
  }
}

}  // namespace plumb::search
