// Projection: what a shared log comes to, in an SQLite file of this host's own. Internal to native/store.
//
// It has the tables of an embedded store, and beside them how far the log was read and who drives each run. Operations
// are applied in the log's order, whoever wrote them, and come to the same on every host; one that is refused changes
// nothing here and goes from the log, so that what is left gives the same tables again. The file may be deleted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/store/log_message.hpp"
#include "native/store/shared_log.hpp"
#include "native/store/sqlite_connection.hpp"
#include "native/store/store.hpp"
#include "native/store/store_lock.hpp"

namespace plumb::store {

// A message, read, with all its texts.
struct ReadMessage {
  LogMessage message;
  LoggedOp op = {};
  std::string body_name = {};  // of the text that it was stored under
  bool lost = false;           // the servers have lost what it said
  bool old = false;            // it was written some time ago
};

struct Applied {
  Outcome outcome;
  Claimed claimed;
  std::uint64_t entries = 0;  // that the run has now
  run::State state = run::State::waiting;
  bool refused = false;  // it goes from the log
  // Of a run that was removed: what nobody needs any more.
  std::uint64_t texts_removed = 0;
  std::vector<std::string> texts = {};  // that are in the log by name
  std::vector<std::uint64_t> messages = {};
};

// A run's state in the log.
struct RunInLog {
  std::uint64_t sequence = 0;  // of the run's last message
  std::string driver;          // who wrote the last entries, or took the run
  std::string id;              // of the message with the last entries
  std::uint64_t entries = 0;
  run::State state = run::State::waiting;
};

class Projection {
 public:
  // FILE.db, or the first of FILE-2.db, ... FILE-16.db that no other process has. `log` says which log it is of: one of
  // another log, that has read more than there is, or that was not current for longer than `kept_ms`, is set aside
  // as FILE.aside and made anew; `told` says so.
  struct Place {
    std::string file;  // without ".db"
    std::string host;  // who opens it; empty: who only reads
    LogHead log;
    std::uint64_t now_ms = 0;  // since 1970
    std::uint64_t kept_ms = 0;
    std::string told = {};  // out: what people should know
  };
  static Result<std::unique_ptr<Projection>> open(Place& place);

  // All in one transaction. An error: nothing was done.
  Result<std::vector<Applied>> apply(const std::vector<ReadMessage>& messages);

  std::optional<std::uint64_t> text_bytes(const std::string& hash);  // of one that is there; of who applies

  const std::string& file() const { return file_; }
  // Who had the file before, and is no more.
  const std::vector<std::string>& hosts_before() const { return hosts_before_; }
  std::uint64_t position() const { return position_; }  // of the last message; of who applies
  const std::string& last_id() const { return last_id_; }
  Readers& readers() { return readers_; }

  Result<RunInLog> run(std::string_view id);                              // not_found
  Result<std::uint64_t> removed_at(std::string_view id);                  // the sequence that says so, else 0
  Result<std::vector<std::string>> drivers();                             // of waiting runs, each once
  Result<std::vector<std::string>> driven_by(const std::string& driver);  // that wait
  Result<std::vector<std::string>> ended_before(std::uint64_t ms, std::size_t runs_max);
  Result<bool> needs_text(const std::string& name);
  // Messages that were refused and are to go from the log, older than `before`; and that they are gone.
  Result<std::vector<std::uint64_t>> refused(std::uint64_t before);
  // Messages that say that a run was removed, stored before that time and before the message `before`.
  Result<std::vector<std::uint64_t>> gone_before(std::uint64_t at_ms, std::uint64_t before);
  void is_erased(const std::vector<std::uint64_t>& sequences);
  // All has been read that there was at that time.
  void is_current(std::uint64_t at_ms);

 private:
  Projection(std::string file, StoreLock lock)
      : file_(std::move(file)), lock_(std::move(lock)), readers_(file_, 10'000) {}
  std::optional<Error> begin(Place& place);
  void begin_host(const std::string& host);
  Applied apply_one(const ReadMessage& one);
  void gone(const ReadMessage& one, Applied& out);
  std::int64_t number_of_run(const std::string& id);  // 0: there is none
  void note_message(const ReadMessage& one, std::int64_t run);
  void refuse(std::uint64_t sequence);
  void note_run(const ReadMessage& one, std::int64_t run, bool drives);

  std::string file_;
  StoreLock lock_;
  Readers readers_;
  std::unique_ptr<Connection> writer_;
  std::vector<std::string> hosts_before_;
  std::uint64_t position_ = 0;
  std::string last_id_;
};

}  // namespace plumb::store
