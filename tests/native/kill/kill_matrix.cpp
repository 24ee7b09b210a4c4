// The kill matrix: what a run has lost when its process is killed with SIGKILL, at every position of its journal.
//
//   kill_matrix                    every position, for each pipeline; the last line is `suite kill: N passed, M failed`
//   kill_matrix only PIPELINE      the same for one of them
//   kill_matrix list               their names, the slowest last
//   kill_matrix soak SECONDS [N]   N runs at once (40), killed at random times until they have ended, again and again
//   kill_matrix nats PIPELINE      every position with the store on a nats-server, half of them taken over by another
//                                  machine, and two hosts of which one is killed
//   kill_matrix hosts              those two hosts alone
//   kill_matrix child ...          the process that is killed; started by the other two
//
// A child opens a store, takes up or starts the runs, and works until they have ended. It notes every call in a file
// before it answers it, so what was called is known however the child ended. It kills itself at the n-th time that it
// comes to one of the points below; then it is started again without that, and what it did is compared with what a
// child did that was never killed.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "../artifact_runs.hpp"
#include "../discovery_runs.hpp"
#include "../nats_server.hpp"
#include "../research_runs.hpp"
#include "../scripted_runs.hpp"
#include "../stores.hpp"
#include "../work_runs.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/host/host.hpp"
#include "native/story/graph_db.hpp"
#include "tests/native/source_dir.hpp"
#include "tests/story/small_outlines.hpp"

using namespace plumb;
using namespace plumb::test;

namespace {

// Where a process may die. The calls of a run are between `attempt stored` and `reply given`.
constexpr std::array<std::string_view, 6> points = {
    "before the append",  // the batch is in memory only
    "after the append",   // it is stored, and nobody has been told
    "in the call",        // the attempt is stored, the upstream has been asked
    "after the reply",    // the host has it, the store does not
    "after the use",      // the next step has been made, and nothing of it is stored: the next append, from inside the
                          // store
    "between object and ref",  // git has the objects of an operation, and no ref says so
};

// Of a story also: where the graph's tables catch up with the journal.
constexpr std::array<std::string_view, 2> graph_points = {
    "rows of a phase",  // inside of its transaction
    "phase stored",     // between two
};

constexpr std::string_view free_mark = "\tfree";
// A command: what was begun of it is never begun again.
constexpr std::string_view once_mark = "\tonce";

struct Killer {
  std::string_view point;
  int left = 0;  // 0: never
  std::map<std::string, int, std::less<>> seen;
  std::mutex mutex;

  void at(std::string_view where) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++seen[std::string(where)];
    if (left > 0 && where == point && --left == 0) {
      ::kill(::getpid(), SIGKILL);
    }
  }
};

// A store that its process may die around.
class DeadlyStore final : public store::Store {
 public:
  DeadlyStore(store::Store& store, Killer& killer) : store_(store), killer_(killer) {}

  void create(store::RunRow row, store::Batch entries, store::Done done) override {
    killer_.at(points[0]);
    store_.create(std::move(row), std::move(entries), around(std::move(done)));
  }
  void append(std::string id, std::uint64_t expected, store::Batch entries, store::Change change,
              store::Done done) override {
    const bool is_reply = entries->front().line.find("\"kind\":\"reply\"") != std::string::npos;
    killer_.at(points[0]);
    if (!is_reply) {
      killer_.at(points[4]);
    }
    store_.append(std::move(id), expected, std::move(entries), std::move(change), around(std::move(done)));
  }
  void waits(std::string id, std::string why) override { store_.waits(std::move(id), std::move(why)); }
  Result<store::RunRow> find(std::string_view id) override { return store_.find(id); }
  Result<store::RunRow> find_request(std::string_view owner, std::string_view key) override {
    return store_.find_request(owner, key);
  }
  Result<store::Page> list(const store::ListQuery& query) override { return store_.list(query); }
  Result<std::vector<store::RunRow>> waiting() override { return store_.waiting(); }
  Result<store::JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max,
                                     std::uint64_t bytes_max) override {
    return store_.journal(id, from, entries_max, bytes_max);
  }
  store::Sharing* sharing() override { return store_.sharing(); }
  Result<store::Claimed> claim(const store::ClaimWish& wish) override { return store_.claim(wish); }
  Result<bool> adopt(std::string_view id) override { return store_.adopt(id); }
  Result<bool> remove(std::string_view id) override { return store_.remove(id); }
  std::string problem() override { return store_.problem(); }
  Result<store::Removed> remove_ended(std::uint64_t before) override { return store_.remove_ended(before); }

 private:
  store::Done around(store::Done done) {
    return [this, done = std::move(done)](const store::Outcome& outcome) {
      killer_.at(points[1]);
      done(outcome);
    };
  }
  store::Store& store_;
  Killer& killer_;
};

class DeadlyFulfiller final : public host::Fulfiller {
 public:
  DeadlyFulfiller(host::Fulfiller& fulfiller, Killer& killer, int calls)
      : fulfiller_(fulfiller), killer_(killer), calls_(calls) {}

  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    // What costs nothing and changes nothing, a file that is read, is made again as often as need be.
    const bool free = run::effect_type(call.kind).lost == run::Lost::again;
    const bool once = run::effect_type(call.kind).lost == run::Lost::never;
    const std::string noted = call.run + " " + call.key +
                              std::string(free   ? free_mark
                                          : once ? once_mark
                                                 : std::string_view()) +
                              "\n";
    if (::write(calls_, noted.data(), noted.size()) != static_cast<ssize_t>(noted.size())) {
      ::_exit(3);
    }
    fulfiller_.begin(std::move(call), [this, done = std::move(done)](run::Reply reply) {
      killer_.at(points[2]);
      done(std::move(reply));
      killer_.at(points[3]);
    });
  }
  void stop(std::string_view run, std::string_view key) override { fulfiller_.stop(run, key); }

 private:
  host::Fulfiller& fulfiller_;
  Killer& killer_;
  int calls_;
};

// The artifact pipeline's upstream: what `extract` answers, but that the quiz it generates is the faulty one of the
// cases, so that a repair follows.
class FaultyQuiz final : public host::Fulfiller {
 public:
  explicit FaultyQuiz(host::Fulfiller& extract) : extract_(extract) {
    std::ifstream in(plumb::test::source_dir() + "/tests/cases/seed/quiz_faulty.json");
    text_.assign(std::istreambuf_iterator<char>(in), {});
  }
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    const json::Value* phase = call.request.value().find("phase");
    const bool generates = phase != nullptr && phase->str() == "generate";
    extract_.begin(std::move(call), [this, generates, done = std::move(done)](run::Reply reply) {
      if (generates) {
        std::string json;
        json::Writer(json).begin_object().member("text", text_).member("finish", "stop").end_object();
        reply.value = run::Data::written(std::move(json));
      }
      done(std::move(reply));
    });
  }
  void stop(std::string_view run, std::string_view key) override { extract_.stop(run, key); }

 private:
  host::Fulfiller& extract_;
  std::string text_;
};

// The research pipeline's world: what `extract` answers, and searches over three small files.
class SmallWorld final : public host::Fulfiller {
 public:
  explicit SmallWorld(host::Fulfiller& extract) : extract_(extract), docs_(package_docs()) {}
  void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
    if (call.kind != run::EffectKind::search) {
      extract_.begin(std::move(call), std::move(done));
      return;
    }
    workers_.give([this, request = call.request.deep_copy(), done = std::move(done)] {
      run::Reply reply;
      reply.value = run::Data::written(docs_.search(request.value()));
      done(std::move(reply));
    });
  }
  void stop(std::string_view run, std::string_view key) override { extract_.stop(run, key); }

 private:
  host::Fulfiller& extract_;
  SmallCorpus docs_;
  host::Workers workers_{1};
};

pipelines::Prepared prepared_by(std::string_view pipeline, std::string request_text) {
  const run::Data request = run::Data::written(std::move(request_text));
  Result<pipelines::Prepared> made = pipelines::known_pipeline(pipeline)->prepare(request.value(), {});
  if (!made) {
    std::fprintf(stderr, "%s: %s\n", made.error().where.c_str(), made.error().message.c_str());
    std::exit(2);
  }
  made.value().fingerprint.clear();
  return std::move(made).value();
}

// A vignette: two answers that meet again.
std::string story_request() {
  return "{\"outline\":" +
         plumb_test::small_outline({{"a", "soft", "high", "heavy"}}, {{"start", "", "", ""},
                                                                      {"one", "a/o1", "a", ""},
                                                                      {"two", "a/o2", "a", ""},
                                                                      {"meet", "", "", ""},
                                                                      {"end", "", "", ""}}) +
         "}";
}

// Two labelled artifacts about the same sentence, which `extract` judges.
std::string labels_request() {
  const std::string one =
      R"({"content":"Photosynthesis occurs in chloroplasts. Chloroplasts contain chlorophyll.","artifact":{)"
      R"("questions":[{"question":"Where does photosynthesis occur?",)"
      R"("options":["Mitochondria","Chloroplasts","Nucleus","Cell wall"],"correct_answer":"Chloroplasts",)"
      R"("explanation":"Photosynthesis occurs in chloroplasts."}]},"labels":)";
  return R"({"contract":"quiz","artifacts":[)" + one + R"({"questions[0]":true}},)" + one +
         R"({"questions[0]":{"answerable":false}}}]})";
}

// Two briefs of which the judge sends the second back; revised it is taken.
constexpr std::string_view briefs_request = R"({"contract":{
  "$schema":"https://json-schema.org/draft/2020-12/schema","$id":"plumb:brief","title":"Brief",
  "itemId":"/area","type":"object","required":["area","problem"],
  "properties":{"area":{"type":"string"},"problem":{"type":"string"}},
  "rules":[{"id":"actionable","title":"Actionable",
  "ask":"Can a developer find the surface?","action":"Name the screen."}]},
  "items":[{"area":"login","problem":"the screen 'Sign in' takes 4 s"},{"area":"search","problem":"slow"}]})";

run::Reply judge_of_briefs(const host::EffectCall& call) {
  const bool judges = json::text_of(call.request.value(), "phase") == "validate";
  const bool revised = call.request.text().find("the screen 'Find'") != std::string_view::npos;
  const std::string_view said =
      !judges   ? R"({"items":[{"area":"search","problem":"the screen 'Find' takes 9 s"}]})"
      : revised ? R"({"accepted_items":["search"],"rejected_items":[]})"
                : R"({"accepted_items":["login"],"rejected_items":[{"item_id":"search","rule":"actionable",)"
                  R"("rejection_reason":"no screen is named","suggested_improvement":"name it"}]})";
  std::string json;
  json::Writer(json).begin_object().member("text", said).member("finish", "stop").end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(json));
  return reply;
}

// The tables of a story's graph without their times, and the entry that they are at.
struct GraphRows {
  std::string rows;
  std::uint64_t entry = 0;
};
GraphRows graph_rows(const std::string& file) {
  GraphRows out;
  if (::access(file.c_str(), F_OK) != 0) {
    return out;
  }
  SQLite::Database database(file, SQLite::OPEN_READWRITE);  // what a killed process has left in its log is undone
  SQLite::Statement made(database, "SELECT count(*) FROM sqlite_master WHERE name = 'meta'");
  if (!made.executeStep() || made.getColumn(0).getInt() == 0) {
    return out;
  }
  for (const char* asked :
       {"SELECT * FROM nodes ORDER BY id", "SELECT * FROM edges ORDER BY kind, from_id, to_id",
        "SELECT entry, stage, phase, status, changes, detail, hash FROM phase_history ORDER BY entry",
        "SELECT number, entry, operation, target, edge, to_id, delta, before, rationale FROM mutations ORDER BY number",
        "SELECT key, value FROM meta WHERE key <> 'run' ORDER BY key"}) {
    SQLite::Statement statement(database, asked);
    while (statement.executeStep()) {
      for (int i = 0; i < statement.getColumnCount(); ++i) {
        out.rows += statement.getColumn(i).getString() + "\t";
      }
      out.rows += "\n";
    }
  }
  SQLite::Statement entry(database, "SELECT value FROM meta WHERE key = 'entry'");
  out.entry = entry.executeStep() ? std::stoull(entry.getColumn(0).getString()) : 0;
  return out;
}

// What answers the runs of a child, with what that is built on.
struct World {
  std::unique_ptr<host::Fulfiller> below;
  std::unique_ptr<WorkWorld> work;
  std::unique_ptr<host::Fulfiller> answers;

  host::Fulfiller& all() const { return work != nullptr ? static_cast<host::Fulfiller&>(work->routes) : *answers; }
};

struct WorldFor {
  std::string folder;  // beside the store
  std::uint64_t delay_ms;
  Killer& killer;
};

World scripted_world(const WorldFor& wanted) {
  return {nullptr, nullptr, std::make_unique<ScriptedFulfiller>(ScriptedFulfiller::Script(), wanted.delay_ms)};
}

// A pipeline of the matrix: every row of core/pipelines/pipelines.cpp has one here, and the tests' own.
struct Row {
  std::string_view name;
  std::string_view input;  // of the tests' own
  pipelines::Prepared (*prepared)(const std::string& input);
  World (*world)(const WorldFor& wanted);
  std::span<const pipelines::Known> (*pipelines)() = pipelines::known_pipelines;
};

constexpr Row matrix_rows[] = {
    {"chain", R"({"count":3})", [](const std::string& input) { return prepared(input); }, scripted_world,
     scripted_pipelines},
    {"tree", R"({"items":3})", [](const std::string& input) { return prepared(input); }, scripted_world,
     scripted_pipelines},
    {"artifact", "", [](const std::string&) { return prepared_quiz(); },
     [](const WorldFor&) {
       World out;
       out.below = extract_fulfiller();
       out.answers = std::make_unique<FaultyQuiz>(*out.below);
       return out;
     }},
    {"calibration", "", [](const std::string&) { return prepared_by("calibration", labels_request()); },
     [](const WorldFor&) {
       return World{nullptr, nullptr, extract_fulfiller()};
     }},
    {"boundary", "", [](const std::string&) { return prepared_by("boundary", std::string(briefs_request)); },
     [](const WorldFor& wanted) {
       return World{nullptr, nullptr, std::make_unique<ScriptedFulfiller>(judge_of_briefs, wanted.delay_ms)};
     }},
    {"discovery", "", [](const std::string&) { return prepared_discovery(false); },
     [](const WorldFor&) {
       return World{nullptr, nullptr, discovery_fulfiller()};
     }},
    {"research", "", [](const std::string&) { return prepared_by("research", std::string(two_questions_request)); },
     [](const WorldFor&) {
       World out;
       out.below = extract_fulfiller();
       out.answers = std::make_unique<SmallWorld>(*out.below);
       return out;
     }},
    {"story", "", [](const std::string&) { return prepared_by("story", story_request()); }, scripted_world},
    {"workflow", "", [](const std::string&) { return prepared_workflow(); },
     [](const WorldFor& wanted) {
       World out;
       Killer& killer = wanted.killer;
       out.work = std::make_unique<WorkWorld>(wanted.folder, workflow_commands(), [&killer] { killer.at(points[5]); });
       return out;
     }},
    {"workshop", "", [](const std::string&) { return prepared_work(gates_command(true)); },
     [](const WorldFor& wanted) {
       World out;
       Killer& killer = wanted.killer;
       out.work = std::make_unique<WorkWorld>(wanted.folder, gates_command(true), [&killer] { killer.at(points[5]); });
       return out;
     },
     [] { return std::span<const pipelines::Known>(work_pipelines()); }},
};

const Row* row_of(std::string_view name) {
  for (const Row& row : matrix_rows) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

// child STORE CALLS PIPELINE INPUT RUNS DELAY_MS [POINT N]
int child(const std::vector<std::string>& words) {
  const Result<std::unique_ptr<store::Store>> store = open_test_store(words[0]);
  if (!store) {
    std::fprintf(stderr, "%s: %s\n", store.error().where.c_str(), store.error().message.c_str());
    return 2;
  }
  Killer killer;
  if (words.size() > 6) {
    killer.point = words[6];
    killer.left = std::stoi(words[7]);
  }
  const int calls = ::open(words[1].c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  DeadlyStore deadly(*store.value(), killer);
  const Row& row = *row_of(words[2]);
  const World world = row.world({words[0] + ".world", static_cast<std::uint64_t>(std::stoi(words[5])), killer});
  DeadlyFulfiller fulfiller(world.all(), killer, calls);
  host::HostSettings settings;
  settings.pipelines = row.pipelines();
  Result<std::unique_ptr<host::Host>> host = host::Host::open(deadly, fulfiller, settings);
  if (!host) {
    std::fprintf(stderr, "%s\n", host.error().message.c_str());
    return 2;
  }
  std::vector<std::string> ids;
  for (int i = 0; i < std::stoi(words[4]); ++i) {
    host::StartOptions options;
    options.request_key = "run " + std::to_string(i);
    const Result<host::Started> run = host.value()->start(words[2], row.prepared(words[3]), options);
    if (!run) {
      std::fprintf(stderr, "%s\n", run.error().message.c_str());
      return 2;
    }
    ids.push_back(run.value().id);
  }
  for (const std::string& id : ids) {
    const Result<host::Summary> summary = host.value()->wait(id, 120'000);
    if (!summary || summary.value().row.state == run::State::waiting) {
      std::fprintf(stderr, "run %s has not ended: %s\n", id.c_str(), summary ? summary.value().problem.c_str() : "");
      return 4;
    }
  }
  host.value()->stop(0);
  if (words[2] == "story") {
    const Result<run::Journal> journal = store::read_journal(*store.value(), ids.front());
    const Result<bool> done =
        journal ? story::project_graph(
                      journal.value(), words[0] + ".graph",
                      [&](std::string_view at) { killer.at(at == "rows" ? graph_points[0] : graph_points[1]); })
                : Result<bool>(journal.error());
    if (!done) {
      std::fprintf(stderr, "%s: %s\n", done.error().where.c_str(), done.error().message.c_str());
      return 2;
    }
  }
  for (const auto& [point, count] : killer.seen) {
    std::printf("%s\t%d\n", point.c_str(), count);
  }
  std::fflush(stdout);
  return 0;
}

// Starts this program again as a child. Its output, and how it ended.
struct Ended {
  int status = 0;
  std::string output;
  bool fine() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
  bool killed() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }
};

// When a child is killed from outside, and the machine that it is to be.
struct ChildOptions {
  std::function<void()> killed_after = {};  // when this returns
  std::optional<std::string> machine = {};  // else the one that is set
};

Ended run_child(std::vector<std::string> words, const ChildOptions& options = {}) {
  std::array<int, 2> out{};
  if (::pipe(out.data()) != 0) {
    std::perror("pipe");
    std::exit(2);
  }
  words.insert(words.begin(), {"kill_matrix", "child"});
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  // Made before the fork: other threads may hold locks.
  std::string machine = "PLUMB_TEST_MACHINE=" + options.machine.value_or("");
  std::vector<char*> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    if (!options.machine || std::string_view(*one).rfind("PLUMB_TEST_MACHINE=", 0) != 0) {
      variables.push_back(*one);
    }
  }
  if (options.machine) {
    variables.push_back(machine.data());
  }
  variables.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(out[1], 1);
    ::close(out[0]);
    ::close(out[1]);
    ::execve("/proc/self/exe", arguments.data(), variables.data());
    ::_exit(127);
  }
  ::close(out[1]);
  if (options.killed_after) {
    options.killed_after();
    ::kill(pid, SIGKILL);
  }
  Ended ended;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = ::read(out[0], buffer.data(), buffer.size())) > 0;) {
    ended.output.append(buffer.data(), static_cast<std::size_t>(size));
  }
  ::close(out[0]);
  ::waitpid(pid, &ended.status, 0);
  return ended;
}

std::vector<std::string> calls_of(const std::string& file) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    out.push_back(line);
  }
  return out;
}

// What the store holds of the runs, as nobody else does.
struct Held {
  std::set<std::string> replied;               // "RUN KEY"
  std::map<std::string, std::string> results;  // by request key
  std::uint64_t entries = 0;
  std::size_t waiting = 0;
  std::size_t runs = 0;
  std::size_t interrupted = 0;
};

// A result without the times that its metrics tell: those are of the one run, killed or not.
std::string timeless(std::string result) {
  for (const std::string_view member : {"\"ms\":", "\"ms_to_done\":"}) {
    for (std::size_t at = result.find(member); at != std::string::npos; at = result.find(member, at)) {
      at += member.size();
      const std::size_t end = result.find_first_not_of("0123456789", at);
      result.erase(at, end == std::string::npos ? end : end - at);
    }
  }
  // A commit has its time in its name; its tree has not.
  constexpr std::string_view commit = "\"commit\":\"";
  for (std::size_t at = result.find(commit); at != std::string::npos; at = result.find(commit, at)) {
    at += commit.size();
    result.erase(at, result.find('"', at) - at);
  }
  return result;
}

Held held(const std::string& file) {
  Held out;
  const Result<std::unique_ptr<store::Store>> store = open_test_store(file, true);
  if (!store) {
    return out;  // killed before it was made
  }
  store::ListQuery query;
  query.limit = 1000;
  const Result<store::Page> page = store.value()->list(query);
  if (!page) {
    std::fprintf(stderr, "the store cannot be read: %s\n", page.error().message.c_str());
    std::exit(2);
  }
  for (const store::RunRow& row : page.value().runs) {
    ++out.runs;
    out.waiting += row.state == run::State::waiting ? 1 : 0;
    const Result<run::Journal> journal = store::read_journal(*store.value(), row.id);
    if (!journal) {
      std::fprintf(stderr, "a journal cannot be read: %s\n", journal.error().message.c_str());
      std::exit(2);
    }
    out.entries += journal.value().entries().size();
    for (const run::Entry& entry : journal.value().entries()) {
      if (entry.kind == run::EntryKind::reply) {
        out.replied.insert(row.id + " " + entry.key);
        out.interrupted += entry.status == run::Status::interrupted ? 1 : 0;
      }
      if (entry.kind == run::EntryKind::end) {
        out.results[row.request_key] =
            timeless(std::string(run::status_name(entry.status)) + " " + std::string(entry.data.text()) + entry.error);
      }
    }
  }
  return out;
}

struct Counts {
  int positions = 0;
  int again = 0;      // calls made a second time: they were under way
  int lost = 0;       // runs that did not come to their end
  int repeated = 0;   // calls made again though their reply was stored
  int thrice = 0;     // calls made more than twice
  int differ = 0;     // results that are not those of the run without a kill
  int ran_twice = 0;  // commands that were begun more than once
  int not_there = 0;  // positions that the run did not come to
};

void count_calls(const std::vector<std::string>& calls, Counts& counts) {
  std::map<std::string, int> times;
  for (const std::string& call : calls) {
    ++times[call];
  }
  for (const auto& [call, count] : times) {
    counts.again += count == 2 ? 1 : 0;
    counts.ran_twice += count > 1 && call.find(once_mark) != std::string::npos ? 1 : 0;
    counts.thrice += count > 2 && call.find(free_mark) == std::string::npos ? 1 : 0;
  }
}

bool tell(const char* name, const Counts& counts) {
  std::printf(
      "%-28s positions %4d, not come to %d, calls made again %4d, runs lost %d, calls repeated whose reply was stored "
      "%d, calls made "
      "more than twice %d, commands run twice %d, results that differ %d\n",
      name, counts.positions, counts.not_there, counts.again, counts.lost, counts.repeated, counts.thrice,
      counts.ran_twice, counts.differ);
  return counts.ran_twice == 0 && counts.lost == 0 && counts.repeated == 0 && counts.thrice == 0 &&
         counts.differ == 0 && counts.positions > 0 && 4 * counts.not_there <= counts.positions;
}

// The repository that a run works on, where it works on one.
void make_world(const std::string& pipeline, const std::string& store) {
  if (pipeline == "workshop" || pipeline == "workflow") {
    make_repository(store + ".world");
  }
}

// Whether what the run says it has landed is what the user's repository has, and nothing else has changed there.
bool landed(const std::string& pipeline, const std::string& store, const Held& held) {
  const bool workflow = pipeline == "workflow";
  if (!workflow && (pipeline != "workshop" || held.interrupted > 0)) {
    return true;
  }
  const std::string repository = store + ".world/repo";
  const std::string branch = workflow ? "plumb/mend" : "plumb/work";
  return held.results.size() == 1 &&
         held.results.begin()->second.find(git_in(repository, {"rev-parse", branch + "^{tree}"})) !=
             std::string::npos &&
         git_in(repository, {"for-each-ref", "--format=%(refname)"}) == "refs/heads/main\nrefs/heads/" + branch &&
         git_in(repository, {"status", "--porcelain"}).empty();
}

// Every position of one pipeline, at one point.
bool matrix(const TemporaryFolder& folder, const std::string& pipeline, const std::string& input,
            std::string_view point, int times, const std::map<std::string, std::string>& expected,
            const std::string& rows, bool twice) {
  Counts counts;
  for (int n = 1; n <= times; ++n) {
    ++counts.positions;
    // A store of its own: with one that another point has left there is nothing to do, and nothing is killed.
    std::string name = pipeline + std::to_string(n) + std::string(point) + (twice ? "2" : "");
    std::replace(name.begin(), name.end(), ' ', '-');
    const std::string file = folder.file(name + ".db");
    const std::string calls = folder.file(name + ".calls");
    make_world(pipeline, file);
    ::setenv("PLUMB_TEST_MACHINE", "", 1);
    const std::vector<std::string> words = {file, calls, pipeline, input, "1", "0"};
    std::vector<std::string> deadly = words;
    deadly.insert(deadly.end(), {std::string(point), std::to_string(n)});
    for (int kill = 0; kill < (twice ? 3 : 1); ++kill) {
      const Ended ended = run_child(deadly);
      // The first time it should die there. How many appends a run makes depends on which replies come together, so
      // one of the last positions may not be there; a run that is nearly over has fewer when it is killed again.
      if (!ended.killed() && kill == 0) {
        ++counts.not_there;
        if (!ended.fine()) {
          std::fprintf(stderr, "%s %s %d: the child was not killed there and ended with status %d\n", pipeline.c_str(),
                       point.data(), n, ended.status);
          ++counts.lost;
        }
      }
      const Held before = held(file);
      if (const std::uint64_t at = graph_rows(file + ".graph").entry; at > 0 && at >= before.entries) {
        std::fprintf(stderr, "%s %d: the graph is ahead of the journal\n", point.data(), n);
        ++counts.differ;
      }
      const std::size_t made = calls_of(calls).size();
      // What one machine has left another one takes, or the same again.
      ::setenv("PLUMB_TEST_MACHINE", n % 2 == 0 ? "" : "other", 1);
      const Ended again = kill + 1 < (twice ? 3 : 1) ? run_child(deadly) : run_child(words);
      const std::vector<std::string> all = calls_of(calls);
      for (std::size_t i = made; i < all.size(); ++i) {
        counts.repeated += before.replied.count(all[i].substr(0, all[i].find('\t'))) != 0 ? 1 : 0;
      }
      if (!twice && !again.fine()) {
        ++counts.lost;
      }
    }
    const Held after = held(file);
    counts.lost += after.waiting > 0 || after.runs != 1 ? 1 : 0;
    if (!twice || after.interrupted == 0) {
      counts.differ += after.results != expected ? 1 : 0;
    }
    counts.differ += landed(pipeline, file, after) ? 0 : 1;
    counts.differ += graph_rows(file + ".graph").rows != rows ? 1 : 0;
    count_calls(calls_of(calls), counts);
    std::filesystem::remove_all(file + ".world");
  }
  return tell((pipeline + ", " + std::string(point) + (twice ? ", repeatedly" : "")).c_str(), counts);
}

// How often the child that was not killed came to this point.
int times_at(const std::string& output, std::string_view point) {
  const std::size_t at = output.find(std::string(point) + "\t");
  return at == std::string::npos ? 0 : std::atoi(output.c_str() + at + point.size() + 1);
}

// `only`: this pipeline; empty: all.
int every_position(const std::string& only = {}) {
  const TemporaryFolder folder;
  int passed = 0;
  int failed = 0;
  int positions = 0;
  for (const pipelines::Known& known : pipelines::known_pipelines()) {
    if (row_of(known.pipeline.name) == nullptr) {
      std::printf("%s has no row in the matrix\n", std::string(known.pipeline.name).c_str());
      ++failed;
    }
  }
  for (const Row& row : matrix_rows) {
    const std::string pipeline(row.name);
    const std::string input(row.input);
    if (!only.empty() && only != pipeline) {
      continue;
    }
    const std::string file = folder.file(pipeline + ".db");
    make_world(pipeline, file);
    const Ended whole = run_child({file, folder.file(pipeline + ".calls"), pipeline, input, "1", "0"});
    const Held expected = held(file);
    for (const auto& [key, result] : expected.results) {
      std::printf("%s without a kill: %zu calls, %.100s...\n", pipeline.c_str(),
                  calls_of(folder.file(pipeline + ".calls")).size(), result.c_str());
    }
    if (!whole.fine() || expected.results.size() != 1) {
      std::printf("%s: the run without a kill has no result\n", pipeline.c_str());
      ++failed;
      continue;
    }
    const std::string rows = graph_rows(file + ".graph").rows;
    const bool story = pipeline == "story";
    std::vector<std::string_view> where(points.begin(), points.end());
    if (story) {
      where = {points[0], points[1], points[4], graph_points[0], graph_points[1]};  // it asks nobody
    }
    for (const std::string_view point : where) {
      const int times = times_at(whole.output, point);
      if (times == 0 && point == points[5]) {
        continue;  // it does no work on a repository
      }
      positions += times;
      ++(matrix(folder, pipeline, input, point, times, expected.results, rows, false) ? passed : failed);
    }
    // Killed at the same place again and again, until it is let go.
    for (const std::string_view point : {points[0], story ? graph_points[0] : points[2]}) {
      const int times = times_at(whole.output, point);
      positions += times;
      ++(matrix(folder, pipeline, input, point, times, expected.results, rows, true) ? passed : failed);
    }
  }
  std::printf("%d positions tried\n", positions);
  std::printf("suite kill: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

// Until the file of calls has so many lines, or a minute is over.
void wait_for_calls(const std::string& file, std::size_t lines) {
  for (int waited_ms = 0; waited_ms < 60'000 && calls_of(file).size() < lines; waited_ms += 20) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// How long it takes until each of these runs is asked for in the file of calls, after its first `from` lines; a minute
// at most.
std::chrono::milliseconds taken_after(const std::string& file, std::size_t from, std::set<std::string> runs) {
  const auto begun = std::chrono::steady_clock::now();
  for (int waited_ms = 0; waited_ms < 60'000 && !runs.empty(); waited_ms += 20) {
    const std::vector<std::string> calls = calls_of(file);
    for (std::size_t at = std::min(from, calls.size()); at < calls.size(); ++at) {
      runs.erase(calls[at].substr(0, calls[at].find(' ')));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
}

// Two hosts on one store: one begins runs and is killed in the midst of all of them; the other takes each of them
// within ten seconds, and comes to the end of all.
bool two_hosts() {
  constexpr int runs = 12;
  constexpr std::size_t calls_each = 100;
  constexpr auto in_time = std::chrono::seconds(10);
  const std::string number = std::to_string(runs);
  const std::string input = "{\"count\":" + std::to_string(calls_each) + "}";
  const TemporaryFolder folder;
  const auto words = [&](const std::string& name) {
    return std::vector<std::string>{
        folder.file(name + ".db"), folder.file(name + ".calls"), "chain", input, number, "40"};
  };
  const bool whole = run_child(words("whole")).fine();
  const std::map<std::string, std::string> expected = held(folder.file("whole.db")).results;
  Counts counts;
  counts.positions = 1;
  const std::string calls = folder.file("two.calls");
  Ended first;
  std::thread dying([&] {
    first = run_child(words("two"), {[&] { wait_for_calls(calls, runs * calls_each / 2); }, "first"});
  });
  wait_for_calls(calls, runs * 4);
  Ended second;
  std::thread other([&] { second = run_child(words("two"), {{}, "second"}); });
  dying.join();
  const std::vector<std::string> made = calls_of(calls);
  std::set<std::string> its;
  for (const std::string& call : made) {
    its.insert(call.substr(0, call.find(' ')));
  }
  const auto took = taken_after(calls, made.size(), its);
  other.join();
  ::setenv("PLUMB_TEST_MACHINE", "reader", 1);
  const Held after = held(folder.file("two.db"));
  counts.lost += second.fine() ? 0 : 1;
  counts.lost += static_cast<int>(after.waiting) + std::abs(static_cast<int>(after.runs) - runs);
  counts.differ += after.results != expected ? 1 : 0;
  count_calls(calls_of(calls), counts);
  std::printf("two hosts: one was killed with %zu of %d runs under way, the last was taken %lld ms after\n", its.size(),
              runs, static_cast<long long>(took.count()));
  const bool good = tell("two hosts, one killed", counts);
  return good && whole && first.killed() && its.size() == runs && took < in_time;
}

int over_nats(const std::string& pipeline) {
  if (!NatsServer::is_installed()) {
    std::printf("skip: nats-server is not installed\nsuite kill-nats: 0 passed, 0 failed, 1 skipped\n");
    return 0;
  }
  ::setenv("PLUMB_TEST_STORE", ("nats://" + nats_server().address()).c_str(), 1);
  const bool taken = two_hosts();
  ::setenv("PLUMB_TEST_LEASE_MS", "400", 1);
  const int code = pipeline.empty() ? 0 : every_position(pipeline);
  std::printf("suite kill-hosts: %d passed, %d failed\n", taken ? 1 : 0, taken ? 0 : 1);
  return taken ? code : 1;
}

int soak(int seconds, int runs) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  std::printf("seed %u, %d runs at once, %d seconds\n", seed, runs, seconds);
  Counts counts;
  const TemporaryFolder reference;
  const std::string number = std::to_string(runs);
  const std::string input = R"({"items":4})";
  if (!run_child({reference.file("s.db"), reference.file("c"), "chain", R"({"count":8})", number, "2"}).fine()) {
    std::printf("the runs without a kill have not ended\n");
    return 1;
  }
  const std::map<std::string, std::string> expected = held(reference.file("s.db")).results;
  int rounds = 0;
  std::size_t interrupted = 0;
  while (std::chrono::steady_clock::now() < until) {
    ++rounds;
    const TemporaryFolder folder;
    const std::string file = folder.file("runs.db");
    const std::string calls = folder.file("calls");
    const std::vector<std::string> words = {file, calls, "chain", R"({"count":8})", number, "2"};
    Held before;
    std::size_t made = 0;
    for (int kills = 0; kills < 200; ++kills) {
      const std::uint64_t after_us = 2000 + random() % 150'000;
      const Ended ended =
          run_child(words, {[&] { std::this_thread::sleep_for(std::chrono::microseconds(after_us)); }, {}});
      const std::vector<std::string> all = calls_of(calls);
      for (std::size_t i = made; i < all.size(); ++i) {
        counts.repeated += before.replied.count(all[i]) != 0 ? 1 : 0;
      }
      made = all.size();
      before = held(file);
      ++counts.positions;
      if (!ended.killed()) {
        if (!ended.fine()) {
          ++counts.lost;
        }
        break;
      }
    }
    if (!run_child(words).fine()) {
      ++counts.lost;
    }
    const Held after = held(file);
    counts.lost += static_cast<int>(after.waiting) + std::abs(static_cast<int>(after.runs) - runs);
    interrupted += after.interrupted;
    for (const auto& [key, result] : expected) {
      // Where a call was lost twice the run was told so, and has another result.
      const auto found = after.results.find(key);
      counts.differ += after.interrupted == 0 && (found == after.results.end() || found->second != result) ? 1 : 0;
    }
    count_calls(calls_of(calls), counts);
  }
  std::printf("%d rounds, %zu calls lost twice and told as interrupted\n", rounds, interrupted);
  const bool good = tell("random kills", counts);
  std::printf("suite soak: %d passed, %d failed\n", good ? 1 : 0, good ? 0 : 1);
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  ::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 7 && words[0] == "child") {
    return child({words.begin() + 1, words.end()});
  }
  if (words.size() >= 2 && words[0] == "soak") {
    return soak(std::max(1, std::atoi(words[1].c_str())),
                words.size() > 2 ? std::max(1, std::atoi(words[2].c_str())) : 40);
  }
  if (words.empty() || (words.size() == 2 && words[0] == "only")) {
    return every_position(words.empty() ? std::string() : words[1]);
  }
  if (words.size() == 2 && words[0] == "nats") {
    return over_nats(words[1]);
  }
  if (words.size() == 1 && words[0] == "hosts") {
    return over_nats({});
  }
  if (words.size() == 1 && words[0] == "list") {
    for (const Row& row : matrix_rows) {
      std::printf("%s\n", std::string(row.name).c_str());
    }
    return 0;
  }
  std::fprintf(stderr, "usage: kill_matrix [only PIPELINE | nats PIPELINE | hosts | list | soak SECONDS [RUNS]]\n");
  return 2;
}
