// The store: what is atomic and what is guarded, over both kinds (stores.hpp); and on a real file ("sqlite store") what
// a full disk, a second process and another version do.
#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "child.hpp"
#include "native/store/log_message.hpp"
#include "native/store/schema.hpp"
#include "native/store/sqlite_store.hpp"
#include "native/store/store_lock.hpp"
#include "scripted_runs.hpp"
#include "stores.hpp"

using namespace plumb;
using namespace plumb::test;
using store::Batch;
using store::Outcome;
using store::RunRow;
using store::Store;

namespace {

std::unique_ptr<Store> opened(const std::string& file) {
  Result<std::unique_ptr<Store>> store = open_test_store(file);
  REQUIRE_MESSAGE(static_cast<bool>(store), (store ? "" : store.error().message));
  return std::move(store).value();
}

Error refused(const store::SqliteSettings& settings) {
  const Result<std::unique_ptr<Store>> store = store::open_sqlite(settings);
  REQUIRE_FALSE(store);
  return store.error();
}

Batch batch(std::uint64_t from, std::uint64_t count, std::vector<run::Blob> blobs = {}, std::size_t bytes = 10) {
  auto out = std::make_shared<std::vector<run::Stored>>();
  for (std::uint64_t n = from; n < from + count; ++n) {
    out->push_back({n, "{\"n\":" + std::to_string(n) + ",\"x\":\"" + std::string(bytes, 'x') + "\"}", blobs});
    blobs.clear();
  }
  return out;
}

RunRow row(std::string id) {
  RunRow out;
  out.id = std::move(id);
  out.pipeline = "chain";
  out.created_ms = 1000;
  out.changed_ms = 1000;
  return out;
}

Outcome created(Store& store, RunRow what, Batch entries) {
  std::promise<Outcome> done;
  store.create(std::move(what), std::move(entries), [&](const Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

Outcome appended(Store& store, const std::string& id, std::uint64_t expected, Batch entries,
                 store::Change change = {}) {
  std::promise<Outcome> done;
  store.append(id, expected, std::move(entries), std::move(change),
               [&](const Outcome& outcome) { done.set_value(outcome); });
  return done.get_future().get();
}

std::vector<std::string> lines_of(Store& store, const std::string& id) {
  const Result<store::JournalPart> part = store.journal(id, 0, 100'000, std::uint64_t{1} << 40U);
  REQUIRE(static_cast<bool>(part));
  std::vector<std::string> lines;
  for (const run::Stored& entry : part.value().entries) {
    lines.push_back(entry.line);
  }
  CHECK(part.value().total == lines.size());
  return lines;
}

std::int64_t count_of(const std::string& file, const std::string& sql) {
  SQLite::Database database(tables_of(file), SQLite::OPEN_READONLY);
  return database.execAndGet(sql).getInt64();
}

// Runs in a child of its own; gives how it ended.
template <class Work>
int in_child(Work work) {
  const pid_t child = test::fork_when_quiet();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("store: entries come back as they were given, with the texts that each needs first") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  const run::Blob large{"sha256:a", "\"large \\u0000 \xc3\xa9\""};
  {
    const auto store = opened(file);
    CHECK_FALSE(created(*store, row("r1"), batch(0, 1, {large})));
    CHECK_FALSE(appended(*store, "r1", 1, batch(1, 2, {{"sha256:b", "2"}, {"sha256:c", "3"}}), {5000}));
    CHECK_FALSE(created(*store, row("r2"), batch(0, 1, {large})));
  }
  const auto store = opened(file);
  const Result<store::JournalPart> part = store->journal("r1", 0, 100, 1000);
  REQUIRE(part);
  REQUIRE(part.value().entries.size() == 3);
  CHECK(part.value().entries[0].blobs.size() == 1);
  CHECK(part.value().entries[0].blobs[0].text == large.text);
  CHECK(part.value().entries[1].blobs.size() == 2);
  CHECK(part.value().entries[1].blobs[1].hash == "sha256:c");
  CHECK(part.value().entries[2].blobs.empty());
  const Result<RunRow> found = store->find("r1");
  REQUIRE(found);
  CHECK(found.value().entries == 3);
  CHECK(found.value().changed_ms == 5000);
  CHECK(found.value().state == run::State::waiting);
  CHECK(count_of(file, "SELECT count(*) FROM texts") == 3);
  const Result<store::JournalPart> later = store->journal("r1", 2, 100, 1000);
  REQUIRE(later);
  CHECK(later.value().entries.size() == 1);
  CHECK(later.value().entries[0].number == 2);
  const Result<store::JournalPart> small = store->journal("r1", 0, 100, 1);
  REQUIRE(small);
  CHECK(small.value().entries.size() == 1);
  CHECK_FALSE(store->journal("rnone", 0, 1, 1));
  struct stat about {};
  CHECK(::stat(tables_of(file).c_str(), &about) == 0);
  CHECK((about.st_mode & 077U) == 0);
}

TEST_CASE("store: an append is refused when the run has another number of entries, or has ended, or is not there") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
  const Outcome early = appended(*store, "r1", 2, batch(2, 1));
  REQUIRE(early);
  CHECK(early->code == ErrorCode::invalid_argument);
  CHECK(early->message == "the run 'r1' has 1 entries, not 2: something else has gone on with it");
  CHECK_FALSE(appended(*store, "r1", 1, batch(1, 1), {2000, run::State::failed, "why"}));
  const Outcome late = appended(*store, "r1", 2, batch(2, 1));
  REQUIRE(late);
  CHECK(late->message == "the run 'r1' has ended");
  const Outcome none = appended(*store, "r2", 0, batch(0, 1));
  REQUIRE(none);
  CHECK(none->code == ErrorCode::not_found);
  CHECK(store->find("r1").value().error == "why");
  CHECK(lines_of(*store, "r1").size() == 2);
}

TEST_CASE("store: two that go on with one run at once: exactly one append of each number is taken") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t n = 1; n <= 50; ++n) {
        taken += appended(*store, "r1", n, batch(n, 1)) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(static_cast<std::size_t>(taken) + 1 == lines_of(*store, "r1").size());
}

TEST_CASE("store: an id, a fingerprint of a waiting run and a request key are there once") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  RunRow first = row("r1");
  first.fingerprint = "f";
  first.owner = "ann";
  first.request_key = "k";
  CHECK_FALSE(created(*store, first, batch(0, 1)));
  CHECK(created(*store, row("r1"), batch(0, 1))->message == "the run 'r1' is in the store already");
  RunRow same = row("r2");
  same.fingerprint = "f";
  CHECK(created(*store, same, batch(0, 1))->message == "the run 'r1' has this fingerprint and goes on");
  RunRow again = row("r3");
  again.owner = "ann";
  again.request_key = "k";
  CHECK(created(*store, again, batch(0, 1))->message == "the run 'r1' has this request key already");
  again.owner = "bob";
  CHECK_FALSE(created(*store, again, batch(0, 1)));
  CHECK(store->find_request("ann", "k").value().id == "r1");
  CHECK_FALSE(store->find_request("ann", ""));
  CHECK_FALSE(appended(*store, "r1", 1, batch(1, 1), {2000, run::State::done, ""}));
  CHECK_FALSE(created(*store, same, batch(0, 1)));
}

TEST_CASE("store: appends of many runs, given at once, are all there and in their order") {
  const TemporaryFolder folder;
  const auto store = opened(folder.file("runs.db"));
  constexpr int runs = 40;
  constexpr std::uint64_t appends = 25;
  std::atomic<int> done{0};
  std::atomic<int> failed{0};
  for (int r = 0; r < runs; ++r) {
    const std::string id = "r" + std::to_string(r);
    auto count = [&](const Outcome& outcome) {
      failed += outcome ? 1 : 0;
      ++done;
    };
    store->create(row(id), batch(0, 1), count);
    for (std::uint64_t n = 1; n <= appends; ++n) {
      store->append(id, n, batch(n, 1), {}, count);
    }
  }
  while (done < runs * static_cast<int>(appends + 1)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(failed == 0);
  for (int r = 0; r < runs; ++r) {
    const std::vector<std::string> lines = lines_of(*store, "r" + std::to_string(r));
    REQUIRE(lines.size() == appends + 1);
    for (std::uint64_t n = 0; n <= appends; ++n) {
      CHECK(lines[n] == batch(n, 1)->front().line);
    }
  }
}

TEST_CASE("sqlite store: a second process is told who has the store; when that one was killed nothing is stale") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t child = test::fork_when_quiet();
  if (child == 0) {
    const auto store = store::open_sqlite({.file = file});
    const char said = store ? 'y' : 'n';
    if (::write(ready[1], &said, 1) == 1) {
      ::pause();
    }
    ::_exit(0);
  }
  char said = 0;
  REQUIRE(::read(ready[0], &said, 1) == 1);
  CHECK(said == 'y');
  const Error error = refused({.file = file});
  CHECK(error.code == ErrorCode::unavailable);
  CHECK(error.message.rfind("is in use by process " + std::to_string(child) + ", since 20", 0) == 0);
  CHECK(error.where == file);
  // Who only reads needs no lock.
  CHECK(static_cast<bool>(store::open_sqlite({.file = file, .read_only = true})));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(static_cast<bool>(store::open_sqlite({.file = file})));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE(
    "sqlite store: who writes beside others shares it, a server does not, and of one job there is one at a time") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t child = test::fork_when_quiet();
  if (child == 0) {
    const auto store = store::open_sqlite({.file = file, .beside = true});
    const auto job = store::JobLock::take(file, "job a");
    const char said = store && job && job.value() ? 'y' : 'n';
    if (::write(ready[1], &said, 1) == 1) {
      ::pause();
    }
    ::_exit(0);
  }
  char said = 0;
  REQUIRE(::read(ready[0], &said, 1) == 1);
  CHECK(said == 'y');
  {
    const Result<std::unique_ptr<store::Store>> beside = store::open_sqlite({.file = file, .beside = true});
    REQUIRE(beside);
    CHECK_FALSE(created(*beside.value(), row("r1"), batch(0, 1)));
    const auto same = store::JobLock::take(file, "job a");
    CHECK((same && !same.value()));
    const auto other = store::JobLock::take(file, "job b");
    CHECK((other && other.value()));
  }
  CHECK_FALSE(store::writer_of(file).there);
  CHECK(refused({.file = file}).message.rfind("is in use by ", 0) == 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto freed = store::JobLock::take(file, "job a");
  CHECK((freed && freed.value()));
  const Result<std::unique_ptr<store::Store>> alone = store::open_sqlite({.file = file});
  REQUIRE(alone);
  CHECK(refused({.file = file, .beside = true}).message.rfind("is in use by process ", 0) == 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("sqlite store: killed while it writes, what was told as stored is there, and nothing is there in part") {
  const TemporaryFolder folder;
  for (int round = 0; round < 8; ++round) {
    const std::string file = folder.file("runs" + std::to_string(round) + ".db");
    std::array<int, 2> told{};
    REQUIRE(::pipe(told.data()) == 0);
    const pid_t child = test::fork_when_quiet();
    if (child == 0) {
      const auto store = store::open_sqlite({.file = file});
      for (std::uint64_t n = 0; store; n += 3) {
        const Outcome outcome = n == 0 ? created(*store.value(), row("r1"), batch(0, 3, {}, 40'000))
                                       : appended(*store.value(), "r1", n, batch(n, 3, {}, 40'000));
        if (outcome || ::write(told[1], "x", 1) != 1) {
          break;
        }
      }
      ::_exit(1);
    }
    ::close(told[1]);
    char one = 0;
    std::size_t stored = 0;
    for (int i = 0; i < 3 + round; ++i) {
      stored += ::read(told[0], &one, 1) == 1 ? 1 : 0;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(137 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(told[0], &one, 1) == 1) {
      ++stored;
    }
    ::close(told[0]);
    const auto store = opened(file);
    const std::vector<std::string> lines = lines_of(*store, "r1");
    CHECK(lines.size() % 3 == 0);
    CHECK(lines.size() >= 3 * stored);
    CHECK(store->find("r1").value().entries == lines.size());
    CHECK_FALSE(appended(*store, "r1", lines.size(), batch(lines.size(), 1)));
  }
}

TEST_CASE(
    "sqlite store: on a full disk an append is refused with a sentence, nothing of it is there, and it goes on later") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto store = store::open_sqlite({.file = file});
    if (!store || created(*store.value(), row("r1"), batch(0, 1))) {
      ::_exit(10);
    }
    // No file may grow beyond this: what a full disk is to who writes.
    const rlimit small{400'000, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::uint64_t n = 1;
    Outcome outcome;
    while (n < 1000 && !outcome) {
      outcome = appended(*store.value(), "r1", n, batch(n, 1, {{"sha256:" + std::to_string(n), "\"t\""}}, 20'000));
      n += outcome ? 0 : 1;
    }
    if (!outcome || outcome->code != ErrorCode::unavailable || outcome->message.rfind("cannot be ", 0) != 0) {
      ::_exit(11);
    }
    // What fits is still taken, what does not is not, each on its own.
    std::promise<Outcome> large;
    std::promise<Outcome> small_one;
    store.value()->append("r1", n, batch(n, 1, {}, 900'000), {}, [&](const Outcome& how) { large.set_value(how); });
    store.value()->create(row("r2"), batch(0, 1), [&](const Outcome& how) { small_one.set_value(how); });
    if (!large.get_future().get()) {
      ::_exit(12);
    }
    (void)small_one.get_future().get();
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &all);
    if (store.value()->find("r1").value().entries != n) {
      ::_exit(13);
    }
    if (appended(*store.value(), "r1", n, batch(n, 1, {}, 900'000))) {
      ::_exit(14);
    }
    if (lines_of(*store.value(), "r1").size() != n + 1) {
      ::_exit(15);
    }
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(count_of(file, "SELECT count(*) FROM texts") == count_of(file, "SELECT count(DISTINCT text) FROM entry_texts"));
  CHECK(count_of(file, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
}

TEST_CASE("sqlite store: the lock holds by whatever link the file is reached") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  { (void)opened(file); }
  std::filesystem::create_symlink(file, folder.file("symbolic.db"));
  std::filesystem::create_hard_link(file, folder.file("hard.db"));
  const auto store = opened(file);
  for (const std::string name : {"symbolic.db", "hard.db"}) {
    const int status = in_child([&] {
      const auto second = store::open_sqlite({.file = folder.file(name)});
      ::_exit(!second && second.error().message.rfind("is in use by ", 0) == 0 ? 0 : 10);
    });
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK_FALSE(created(*store, row("r1"), batch(0, 1)));
}

TEST_CASE("store: a run is removed when it has ended, and what it held is gone from the file") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  const std::string secret = "a sentence that only this run has";
  {
    const auto store = opened(file);
    RunRow ended = row("rgone");
    ended.state = run::State::done;
    CHECK_FALSE(created(*store, ended, batch(0, 2, {{"sha256:own", "\"" + secret + "\""}, {"sha256:shared", "1"}})));
    CHECK_FALSE(created(*store, row("rstays"), batch(0, 1, {{"sha256:shared", "1"}})));
    CHECK(store->remove("rnone").error().code == ErrorCode::not_found);
    CHECK(store->remove("rstays").error().message.find("has not ended") != std::string::npos);
    CHECK(store->remove("rgone").value());
    CHECK(store->find("rgone").error().code == ErrorCode::not_found);
    CHECK(lines_of(*store, "rstays").size() == 1);
  }
  CHECK(count_of(file, "SELECT count(*) FROM lines") == 1);
  CHECK(count_of(file, "SELECT count(*) FROM texts") == 1);
  std::ifstream whole(tables_of(file), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  CHECK(bytes.find(secret) == std::string::npos);
}

TEST_CASE("sqlite store: lines of some KB take hardly more room than they are long") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  const auto size = [&] {
    { (void)opened(file); }  // what is in the log goes into the file
    return std::filesystem::file_size(file);
  };
  const auto empty = size();
  {
    const auto store = opened(file);
    CHECK_FALSE(created(*store, row("r1"), batch(0, 100, {}, 1'200)));
  }
  CHECK(size() - empty < 100 * 1'200 * 3 / 2);
}

TEST_CASE("sqlite store: a folder that is not there, a file that is none, a file of another program: said at once") {
  const TemporaryFolder folder;
  CHECK(refused({.file = folder.file("none/runs.db")}).message.find("No such file or directory") != std::string::npos);
  CHECK(refused({.file = folder.file("none.db"), .read_only = true}).code == ErrorCode::not_found);
  std::ofstream(folder.file("text.db")) << std::string(5000, 'x');
  CHECK(refused({.file = folder.file("text.db")}).message.rfind("is not a store of runs", 0) == 0);
  {
    SQLite::Database other(folder.file("other.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE mine (x INTEGER)");
  }
  CHECK(refused({.file = folder.file("other.db")}).message.rfind("is an SQLite file of another program", 0) == 0);
}

TEST_CASE("sqlite store: a file that may only be read is refused for writing and serves reading") {
  if (::geteuid() == 0) {
    // To root nothing is read-only; a child without its rights tries.
    const TemporaryFolder folder;
    const std::string file = folder.file("runs.db");
    { CHECK_FALSE(created(*opened(file), row("r1"), batch(0, 1))); }
    ::chmod(folder.file("").c_str(), 0755);
    ::chmod(file.c_str(), 0444);
    ::chmod((file + ".lock").c_str(), 0666);
    const int status = in_child([&] {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) {
        ::_exit(9);
      }
      const auto writing = store::open_sqlite({.file = file});
      if (writing || writing.error().message.find("cannot be opened for writing") == std::string::npos) {
        ::_exit(10);
      }
      ::_exit(0);
    });
    CHECK(WEXITSTATUS(status) == 0);
  }
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  { CHECK_FALSE(created(*opened(file), row("r1"), batch(0, 1))); }
  const Result<std::unique_ptr<Store>> reading = store::open_sqlite({.file = file, .read_only = true});
  REQUIRE(reading);
  CHECK(reading.value()->find("r1").value().entries == 1);
  const Outcome outcome = appended(*reading.value(), "r1", 1, batch(1, 1));
  REQUIRE(outcome);
  CHECK(outcome->message == "was opened for reading only");
}

TEST_CASE("sqlite store: a store of a later version is refused, for writing and for reading, and left as it is") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  { CHECK_FALSE(created(*opened(file), row("r1"), batch(0, 1))); }
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE);
    database.exec("PRAGMA user_version = 99");
  }
  for (const bool read_only : {false, true}) {
    const Error error = refused({.file = file, .read_only = read_only});
    CHECK(error.message.rfind("is a store of version 99, this plumb knows versions up to ", 0) == 0);
  }
  CHECK(count_of(file, "SELECT count(*) FROM runs") == 1);
}

TEST_CASE("sqlite store: migrations run in order and once, keep what is there, and a failing one changes nothing") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  { CHECK_FALSE(created(*opened(file), row("r1"), batch(0, 2))); }
  std::vector<std::string_view> steps(store::migrations().begin(), store::migrations().end());
  const std::size_t now = steps.size();
  steps.push_back("ALTER TABLE runs ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'");
  steps.push_back("UPDATE runs SET colour = 'red' WHERE id = 'r1'");
  SQLite::Database database(file, SQLite::OPEN_READWRITE);
  CHECK(store::check_version(database, steps, file)->message.find("a command that writes brings it up to date") !=
        std::string::npos);
  CHECK_FALSE(store::bring_up_to_date(database, steps, file));
  CHECK_FALSE(store::bring_up_to_date(database, steps, file));
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == static_cast<int>(now) + 2);
  CHECK(database.execAndGet("SELECT colour FROM runs").getString() == "red");
  CHECK(database.execAndGet("SELECT count(*) FROM lines").getInt() == 2);
  steps.push_back("UPDATE runs SET colour = 'green'; UPDATE nothing SET x = 1");
  CHECK_THROWS_AS((void)store::bring_up_to_date(database, steps, file), SQLite::Exception);
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == static_cast<int>(now) + 2);
  CHECK(database.execAndGet("SELECT colour FROM runs").getString() == "red");
}

TEST_CASE("store: a run keeps its project, and a list of one has its runs alone") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  {
    const auto store = opened(file);
    int number = 0;
    for (const char* project : {"acme", "beta", "", "acme"}) {
      RunRow one = row("r" + std::to_string(number++));
      one.project = project;
      CHECK_FALSE(created(*store, one, batch(0, 1)));
    }
  }
  const auto store = opened(file);
  const auto of = [](std::string project, std::uint64_t before = 0) {
    store::ListQuery query;
    query.project = std::move(project);
    query.before = before;
    return query;
  };
  const auto listed = [&](const store::ListQuery& query) {
    std::string out;
    const Result<store::Page> page = store->list(query);
    REQUIRE(page);
    for (const RunRow& one : page.value().runs) {
      out += one.id + ":" + one.project + " ";
    }
    return out;
  };
  CHECK(listed(of("")) == "r3:acme r2: r1:beta r0:acme ");
  CHECK(listed(of("acme")) == "r3:acme r0:acme ");
  CHECK(listed(of("acme", store->find("r3").value().number)) == "r0:acme ");
  CHECK(listed(of("none")).empty());
}

TEST_CASE("sqlite store: a store from before there were projects is brought up to date, and its runs are nobody's") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  {
    SQLite::Database database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    CHECK_FALSE(store::bring_up_to_date(database, store::migrations().first(4), file));
    database.exec(
        "INSERT INTO runs (id, pipeline, version, owner, fingerprint, request_key, state, error, created_ms, "
        "changed_ms, entries, bytes) VALUES ('r1', 'chain', 1, 'ann', 'f', 'k', 'waiting', '', 1, 1, 1, 2)");
    database.exec("INSERT INTO lines VALUES ((1 << 32), '{}')");
  }
  Result<std::unique_ptr<Store>> store = store::open_sqlite({.file = file});
  REQUIRE(store);
  CHECK(store.value()->find("r1").value().project.empty());
  CHECK(store.value()->find_request("ann", "k").value().id == "r1");
  store::ListQuery query;
  query.project = "acme";
  CHECK(store.value()->list(query).value().runs.empty());
  CHECK(lines_of(*store.value(), "r1") == std::vector<std::string>{"{}"});
  RunRow of_acme = row("r2");
  of_acme.project = "acme";
  CHECK_FALSE(created(*store.value(), of_acme, batch(0, 1)));
  CHECK(store.value()->list(query).value().runs.size() == 1);
}

TEST_CASE("log messages: a run's project is in them, and who knows no projects does not read on") {
  store::LoggedOp op;
  op.op = store::LogOp::create;
  op.run = "r1";
  op.row = row("r1");
  op.entries = batch(0, 1);
  CHECK(store::op_text(op).rfind(R"({"v":1,)", 0) == 0);
  CHECK(store::op_text(op).find("project") == std::string::npos);
  op.row.project = "acme";
  const std::string text = store::op_text(op);
  CHECK(text.rfind(R"({"v":2,)", 0) == 0);
  std::vector<store::TextPlace> missing;
  CHECK(store::read_op(text, missing).value().row.project == "acme");
  const Result<store::LoggedOp> later = store::read_op(R"({"v":3,"op":"take","run":"r1"})", missing);
  REQUIRE_FALSE(later);
  CHECK(later.error().message.find("has version 3, this plumb knows up to 2") != std::string::npos);
}

TEST_CASE("store: removing ended runs takes texts that only they needed, and leaves waiting runs and shared texts") {
  const TemporaryFolder folder;
  const std::string file = folder.file("runs.db");
  const auto store = opened(file);
  for (int i = 0; i < 230; ++i) {
    RunRow ended = row("r" + std::to_string(i));
    ended.state = run::State::done;
    CHECK_FALSE(created(*store, ended, batch(0, 2, {{"sha256:shared", "1"}, {"sha256:" + std::to_string(i), "2"}})));
  }
  RunRow open = row("ropen");
  CHECK_FALSE(created(*store, open, batch(0, 1, {{"sha256:shared", "1"}})));
  RunRow young = row("ryoung");
  young.state = run::State::failed;
  young.changed_ms = 9000;
  CHECK_FALSE(created(*store, young, batch(0, 1)));
  const Result<store::Removed> removed = store->remove_ended(5000);
  REQUIRE(removed);
  CHECK(removed.value().runs == 230);
  CHECK(removed.value().texts == 230);
  CHECK(static_cast<bool>(store->find("ropen")));
  CHECK(static_cast<bool>(store->find("ryoung")));
  CHECK(count_of(file, "SELECT count(*) FROM texts") == 1);
  CHECK(count_of(file, "SELECT count(*) FROM lines") == 2);
}

TEST_CASE("sqlite store: what waits to be written has a bound, and reaching it is said") {
  const TemporaryFolder folder;
  Result<std::unique_ptr<Store>> store = store::open_sqlite({.file = folder.file("runs.db"), .queue_bytes = 5000});
  REQUIRE(store);
  CHECK_FALSE(created(*store.value(), row("r1"), batch(0, 1)));
  const Outcome outcome = appended(*store.value(), "r1", 1, batch(1, 1, {}, 6000));
  REQUIRE(outcome);
  CHECK(outcome->code == ErrorCode::limit);
  CHECK_FALSE(appended(*store.value(), "r1", 1, batch(1, 1)));
}

TEST_CASE("sqlite store: one in memory is a store like others and leaves nothing behind") {
  std::string file;
  const bool there_before = ::access(":memory:.lock", F_OK) == 0;
  {
    const Result<std::unique_ptr<Store>> store = store::open_sqlite({.file = ":memory:"});
    const Result<std::unique_ptr<Store>> other = store::open_sqlite({.file = ":memory:"});
    REQUIRE(store);
    REQUIRE(other);
    CHECK_FALSE(created(*store.value(), row("r1"), batch(0, 1)));
    CHECK(store.value()->find("r1").value().entries == 1);
    CHECK_FALSE(other.value()->find("r1"));
    const Outcome again = created(*store.value(), row("r1"), batch(0, 1));
    REQUIRE(again);
    file = again->where;
    CHECK(::access(file.c_str(), F_OK) == 0);
  }
  CHECK(::access(file.c_str(), F_OK) != 0);
  CHECK((there_before || ::access(":memory:.lock", F_OK) != 0));
}
