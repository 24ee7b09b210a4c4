// runs_bench [FOLDER [many]]: what runs cost natively. Prints a table; the last column is what was promised.
//
//   step     the pipeline is called again and nothing is new, at 200 and 2,000 entries of 2 KB
//   round    a reply goes in, the run goes on, the next request and its attempt come out
//   verify   a stored journal of 2,000 is read, and its requests are held against what the pipeline asks now, once
//   appends  of many runs at once, each durable before the next of its run (the store in FOLDER, else where files are
//            are kept)
//   runs     1,000 at once, each four questions one after the other, against an upstream that answers in 200 ms
//   memory   of a run that waits, beyond its text
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../native/artifact_runs.hpp"
#include "../native/scripted_runs.hpp"
#include "core/json/writer.hpp"
#include "core/run/run.hpp"
#include "native/host/host.hpp"
#include "native/store/sqlite_store.hpp"

using namespace plumb;
using namespace plumb::test;
using Clock = std::chrono::steady_clock;

namespace {

bool missed = false;

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

void row(const std::string& what, double value, const char* unit, double promised, bool at_least = false) {
  const bool good = promised == 0 || (at_least ? value >= promised : value <= promised);
  missed = missed || !good;
  std::printf("%-44s %12.3f %-9s", what.c_str(), value, unit);
  if (promised != 0) {
    std::printf(" %s %.3g%s", at_least ? "at least" : "at most", promised, good ? "" : "  !");
  }
  std::printf("\n");
  std::fflush(stdout);
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

const std::string filling(2000, 'y');

Result<run::Data> steps(run::Run& run) {
  for (std::uint64_t i = 0;; ++i) {
    run::Effect effect;
    effect.request = [i] {
      std::string json;
      json::Writer(json)
          .begin_object()
          .member("phase", "generate")
          .key("messages")
          .begin_array()
          .begin_object()
          .member("role", "user")
          .member("content", std::to_string(i) + filling)
          .end_object()
          .end_array()
          .end_object();
      return run::Data::written(std::move(json));
    };
    run.ask(std::move(effect));
  }
}

run::Reply answer() {
  std::string json;
  json::Writer(json).begin_object().member("text", filling).end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(json));
  return reply;
}

void machine_rows() {
  const run::Pipeline pipeline{"steps", 1, steps};
  run::Machine machine = run::Machine::start(pipeline, "r1", run::Data::written("{}"), {}, {}, 1);
  std::uint64_t now = 1;
  machine.step(++now);
  std::vector<run::Stored> stored;
  auto keep = [&] {
    for (run::Stored& one : machine.take()) {
      stored.push_back(std::move(one));
    }
  };
  keep();
  for (const std::size_t size : {std::size_t{200}, std::size_t{2000}}) {
    std::vector<double> rounds;
    while (machine.journal().entries().size() < size) {
      const Clock::time_point from = Clock::now();
      const std::string key = machine.wanted().front().key;
      machine.attempt(key, ++now);
      keep();
      machine.reply(key, answer(), ++now);
      keep();
      machine.step(++now);
      rounds.push_back(ms_since(from));
    }
    std::vector<double> times;
    for (int i = 0; i < 1000; ++i) {
      const Clock::time_point from = Clock::now();
      machine.step(++now);
      times.push_back(ms_since(from));
    }
    const std::string entries = ", " + std::to_string(size) + " entries";
    row("step" + entries, median(times), "ms", size == 200 ? 0.1 : 0.5);
    rounds.erase(rounds.begin(),
                 rounds.end() - std::min<std::ptrdiff_t>(50, static_cast<std::ptrdiff_t>(rounds.size())));
    row("round" + entries, median(rounds), "ms", 0);
  }
  std::vector<std::string_view> lines;
  std::map<std::string, const std::string*, std::less<>> texts;
  for (const run::Stored& one : stored) {
    lines.push_back(one.line);
    for (const run::Blob& blob : one.blobs) {
      texts.emplace(blob.hash, &blob.text);
    }
  }
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    const Clock::time_point from = Clock::now();
    Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) {
      const auto found = texts.find(hash);
      return found == texts.end() ? nullptr : found->second;
    });
    Result<run::Machine> again = run::Machine::resume(pipeline, std::move(journal).value(), {}, now);
    again.value().step(++now);
    times.push_back(ms_since(from));
    if (again.value().wanted().size() != 1) {
      std::printf("the journal was not verified\n");
      std::exit(1);
    }
  }
  row("verify, 2000 entries", median(times), "ms", 200);
}

// Each of `lines` runs has one append under way at a time.
double appends_per_second(const std::string& file, std::size_t runs) {
  Result<std::unique_ptr<store::Store>> store = store::open_sqlite({.file = file});
  if (!store) {
    std::printf("%s: %s\n", file.c_str(), store.error().message.c_str());
    std::exit(1);
  }
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t under_way = 0;
    std::atomic<std::uint64_t> done{0};
    std::atomic<bool> stopping{false};
  } state;
  auto batch = [&](std::uint64_t n) {
    auto out = std::make_shared<std::vector<run::Stored>>();
    out->push_back({n, "{\"n\":" + std::to_string(n) + ",\"data\":\"" + filling + "\"}", {}});
    return out;
  };
  std::function<void(std::size_t, std::uint64_t)> next = [&](std::size_t r, std::uint64_t n) {
    store.value()->append("r" + std::to_string(r), n, batch(n), {}, [&, r, n](const store::Outcome& outcome) {
      ++state.done;
      if (!outcome && !state.stopping) {
        next(r, n + 1);
      } else {
        const std::lock_guard<std::mutex> lock(state.mutex);
        --state.under_way;
        state.changed.notify_all();
      }
    });
  };
  state.under_way = runs;
  for (std::size_t r = 0; r < runs; ++r) {
    store::RunRow row;
    row.id = "r" + std::to_string(r);
    store.value()->create(row, batch(0), [&, r](const store::Outcome&) { next(r, 1); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::uint64_t before = state.done;
  const Clock::time_point from = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  const double rate = static_cast<double>(state.done - before) / ms_since(from) * 1000;
  state.stopping = true;
  std::unique_lock<std::mutex> lock(state.mutex);
  state.changed.wait(lock, [&] { return state.under_way == 0; });
  return rate;
}

std::uint64_t resident_bytes() {
  ::malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  in >> pages >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double cpu_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1000 + static_cast<double>(time.tv_usec) / 1000;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// A thousand runs that ask four questions each, of an upstream that answers in 200 ms and so many at once.
void wave_rows(const std::string& file, std::size_t at_once) {
  constexpr std::size_t count = 1000;
  constexpr std::uint64_t delay_ms = 200;
  constexpr double questions = 4;
  const Result<std::unique_ptr<store::Store>> store = store::open_sqlite({.file = file});
  ScriptedFulfiller fulfiller({}, delay_ms);
  host::HostSettings settings;
  settings.pipelines = scripted_pipelines();
  settings.effects_max = at_once;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), fulfiller, settings);
  const double cpu_before = cpu_ms();
  const Clock::time_point from = Clock::now();
  std::vector<std::string> ids(count);
  std::vector<std::thread> starters;
  for (std::size_t t = 0; t < 32; ++t) {
    starters.emplace_back([&, t] {
      for (std::size_t i = t; i < count; i += 32) {
        ids[i] = host.value()->start("chain", prepared(R"({"count":4,"bytes":2000})")).value().id;
      }
    });
  }
  for (std::thread& starter : starters) {
    starter.join();
  }
  const double starting = ms_since(from);
  for (const std::string& id : ids) {
    if (host.value()->wait(id, 600'000).value().row.state != run::State::done) {
      std::printf("a run has not ended\n");
      std::exit(1);
    }
  }
  const double all = ms_since(from);
  const double bound = questions * static_cast<double>(delay_ms) * static_cast<double>(count / at_once);
  row("1000 runs, 4000 calls, " + std::to_string(at_once) + " at once", all, "ms", 0);
  row("  the upstream's own bound", bound, "ms", 0);
  row("  over it", all / bound, "times", at_once < count ? 1.3 : 0);
  row("  until all were begun and stored", starting, "ms", 0);
  row("  processor time of it", cpu_ms() - cpu_before, "ms", 0);
  row("  most calls at once", static_cast<double>(fulfiller.most_at_once()), "", 0);
}

void waiting_rows(const std::string& file) {
  const Result<std::unique_ptr<store::Store>> store = store::open_sqlite({.file = file});
  ScriptedFulfiller fulfiller;
  host::HostSettings settings;
  settings.pipelines = scripted_pipelines();
  settings.effects_max = 2000;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), fulfiller, settings);
  fulfiller.hold(true);
  auto begin = [&](std::size_t runs, std::uint64_t bytes) {
    std::vector<std::string> begun;
    const std::size_t calls = fulfiller.held();
    for (std::size_t i = 0; i < runs; ++i) {
      begun.push_back(
          host.value()->start("chain", prepared("{\"count\":4,\"bytes\":" + std::to_string(bytes) + "}")).value().id);
    }
    while (fulfiller.held() < calls + runs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return begun;
  };
  begin(20, 2000);
  const std::uint64_t before = resident_bytes();
  constexpr std::size_t waiting = 900;
  const std::vector<std::string> begun = begin(waiting, 2000);
  const std::uint64_t after = resident_bytes();
  std::uint64_t text = 0;
  for (const std::string& id : begun) {
    text += host.value()->summary(id).value().row.bytes;
  }
  row("memory of a waiting run", static_cast<double>(after - before) / waiting / 1024, "KB", 0);
  row("  beyond its text", (static_cast<double>(after - before) - static_cast<double>(text)) / waiting / 1024, "KB",
      64);
  fulfiller.hold(false);
}

// Artifact runs that wait for their judge: plan, artifact, prompts and contracts are there.
void artifact_rows(const std::string& file) {
  class HeldJudge final : public host::Fulfiller {
   public:
    explicit HeldJudge(host::Fulfiller& others) : others_(others) { held.hold(true); }
    void begin(host::EffectCall call, std::function<void(run::Reply)> done) override {
      const bool judges = call.request.text().rfind("{\"phase\":\"judge\"", 0) == 0;
      (judges ? static_cast<host::Fulfiller&>(held) : others_).begin(std::move(call), std::move(done));
    }
    void stop(std::string_view run, std::string_view key) override {
      held.stop(run, key);
      others_.stop(run, key);
    }
    ScriptedFulfiller held;

   private:
    host::Fulfiller& others_;
  };
  const Result<std::unique_ptr<store::Store>> store = store::open_sqlite({.file = file});
  const std::unique_ptr<host::Fulfiller> extract = extract_fulfiller();
  HeldJudge fulfiller(*extract);
  host::HostSettings settings;
  settings.pipelines = pipelines::known_pipelines();
  settings.effects_max = 2000;
  const Result<std::unique_ptr<host::Host>> host = host::Host::open(*store.value(), fulfiller, settings);
  auto begin = [&](std::size_t runs) {
    const std::size_t before = fulfiller.held.held();
    for (std::size_t i = 0; i < runs; ++i) {
      (void)host.value()->start("artifact", prepared_quiz());
    }
    while (fulfiller.held.held() < before + runs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  };
  begin(20);
  const std::uint64_t before = resident_bytes();
  constexpr std::size_t waiting = 200;
  begin(waiting);
  const std::uint64_t after = resident_bytes();
  const store::RunRow row_of_one = host.value()->list({.limit = 1}).value().runs.front();
  row("memory of a waiting artifact run", static_cast<double>(after - before) / waiting / 1024, "KB", 0);
  row("  its text", static_cast<double>(row_of_one.bytes) / 1024, "KB", 0);
  row("  beyond its text",
      (static_cast<double>(after - before) / waiting - static_cast<double>(row_of_one.bytes)) / 1024, "KB", 64);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    machine_rows();
  }
  const TemporaryFolder temporary;
  const std::string folder = argc > 1 && *argv[1] != 0 ? std::string(argv[1]) : temporary.file("");
  const std::string file = folder + "/plumb_bench_runs";
  for (const std::string number : {"", "2", "3", "4", "5", "6"}) {
    for (const char* end : {".db", ".db-wal", ".db-shm", ".db.lock"}) {
      ::unlink((file + number + end).c_str());
    }
  }
  if (argc < 3) {
    row("appends, one run", appends_per_second(file + ".db", 1), "per s", 0);
    row("appends, 32 runs at once", appends_per_second(file + "2.db", 32), "per s", 0);
  }
  wave_rows(file + "3.db", 250);
  wave_rows(file + "4.db", 1000);
  waiting_rows(file + "5.db");
  artifact_rows(file + "6.db");
  return missed ? 1 : 0;
}
