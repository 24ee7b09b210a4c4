#include "store_world.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/json/members.hpp"
#include "native/store/run_tables.hpp"
#include "virtual_host.hpp"

namespace plumb::test {

namespace {

constexpr std::size_t hosts_count = 3;
constexpr std::uint64_t faults_ms = 12'000;  // how long they go on
constexpr std::uint64_t end_ms = 180'000;    // by when every run has ended
constexpr std::uint64_t settle_ms = 1'500;   // until every copy has read the last message
constexpr std::uint64_t minute_ms = 60'000;

struct Request {
  std::string key, pipeline, input, id;  // id: as it was told; empty: not yet
  std::uint64_t asked = 0;
};

std::string text(std::uint64_t number) { return std::to_string(number); }

class Play {
 public:
  Play(const WorldPlay& play) : world_(play.seed, hosts_count, play.folder, play.tracing) {
    for (std::size_t i = 0; i < hosts_count; ++i) {
      hosts_.push_back(std::make_unique<VirtualHost>(world_, i));
    }
  }
  WorldEnd go();
  void make_empty() { (void)reader("empty")->open(); }

 private:
  void clear_folder() const;
  std::unique_ptr<store::LogEngine> reader(const std::string& name);
  void set_up();
  void tick();
  void ask(std::size_t request);
  void fault();
  void at_fault(VirtualHost& host, std::size_t number);
  void heal();
  bool all_ended();
  void broken(const std::string& law) { world_.books.broken.push_back(law); }

  void check_history();
  void check_taken(const store::LogMessage& message, const std::string& from);
  void check_told(const std::string& all);
  void check_runs();
  void check_journal(const Request& request, const store::RunRow& row, const run::Journal& journal);
  void check_names();
  std::string all_of(store::LogEngine& engine);

  World world_;
  std::vector<std::unique_ptr<VirtualHost>> hosts_;
  std::vector<Request> requests_;
  bool healed_ = false, no_losses_ = false;
  WorldEnd end_;
  std::map<std::string, std::uint64_t> sequence_of_;        // "RUN NUMBER" of an entry -> of its message
  std::map<std::string, std::vector<std::string>> takers_;  // hosts, by run
  struct Held {
    std::uint64_t from, until;
    std::string name, run;
  };
  std::vector<Held> held_;
};

void Play::clear_folder() const {
  std::error_code ignored;
  for (const auto& one : std::filesystem::directory_iterator(world_.folder, ignored)) {
    if (one.path().filename() != "empty.db") {
      std::filesystem::remove_all(one.path(), ignored);
    }
  }
}

std::unique_ptr<store::LogEngine> Play::reader(const std::string& name) {
  store::LogStoreSettings settings;
  settings.projection = world_.folder + "/" + name;
  settings.read_only = true;
  copy_empty(world_.folder, settings.projection);
  store::LogClock clock;
  clock.steady_ms = clock.boot_ms = [this] { return world_.time.now_ms(); };
  clock.system_ms = [this] { return world_.time.now_ms() + VirtualServers::since_1970_ms; };
  return std::make_unique<store::LogEngine>(world_.servers.client({0, [](auto) {}, [] {}}), settings, clock, name,
                                            [](store::Woken) {});
}

// Something is always to happen, so that the end is looked for.
void Play::tick() {
  world_.time.after(250, [this] { tick(); });
}

void Play::set_up() {
  tick();
  Dice& dice = world_.dice;
  VirtualFaults faults;
  if (!dice.percent(15)) {
    faults.lost = dice.below(16);
    faults.unsaid = dice.below(20);
    faults.twice = dice.below(16);
    faults.away = dice.below(16);
    faults.late_ms = dice.percent(50) ? dice.below(10) : dice.below(400);
  }
  world_.servers.set_faults(faults);
  no_losses_ = faults.lost == 0;
  const std::uint64_t count = dice.between(2, 5);
  for (std::uint64_t i = 0; i < count; ++i) {
    Request one;
    one.key = "k" + text(i);
    one.pipeline = dice.percent(45) ? "named" : "questions";
    one.input = R"({"name":"n)" + text(dice.below(2)) + R"(","count":)" + text(dice.between(1, 4)) + R"(,"bytes":)" +
                text(dice.percent(12) ? dice.between(3'000, 6'000) : dice.below(40)) + "}";
    requests_.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const std::uint64_t at = dice.below(faults_ms / 2);
    world_.time.after(at, [this, i] { ask(i); });
    if (dice.percent(40)) {
      world_.time.after(at + dice.below(1'000), [this, i] { ask(i); });
    }
  }
  for (std::uint64_t i = dice.below(8); i > 0; --i) {
    world_.time.after(dice.below(faults_ms), [this] { fault(); });
  }
}

// A user asks a host, and asks again elsewhere until somebody has said that the run is there.
void Play::ask(std::size_t request) {
  Request& one = requests_[request];
  VirtualHost& host = *hosts_[world_.dice.below(hosts_count)];
  const std::uint64_t turn = ++one.asked;
  if (host.is_up() && host.is_awake()) {
    host.start(one.key, one.pipeline, one.input, [this, request](const Result<std::string>& id) {
      Request& of = requests_[request];
      if (!id) {
        return;
      }
      if (!of.id.empty() && of.id != id.value()) {
        broken("law 3: request " + of.key + " is run " + of.id + " and run " + id.value());
      }
      of.id = id.value();
    });
  }
  world_.time.after(world_.dice.between(500, 6'000), [this, request, turn] {
    if (requests_[request].id.empty() && requests_[request].asked == turn) {
      ask(request);
    }
  });
}

void Play::fault() {
  if (healed_) {
    return;
  }
  ++end_.faults;
  const std::size_t number = world_.dice.below(hosts_count);
  at_fault(*hosts_[number], number);
}

void Play::at_fault(VirtualHost& host, std::size_t number) {
  Dice& dice = world_.dice;
  const std::uint64_t long_ms = dice.percent(30) ? dice.between(6'000, 20'000) : dice.between(100, 5'000);
  const auto healed = [this, number] { world_.servers.cut(number, Cut::none); };
  switch (dice.below(8)) {
    case 0:
    case 1: {
      const Cut how = dice.percent(50) ? Cut::told : Cut::silent;
      world_.trace("world", "host " + text(number) + " is cut off, " + (how == Cut::told ? "and sees it" : "silently"));
      world_.trouble(number, long_ms, true);
      world_.servers.cut(number, how);
      world_.time.after(long_ms, healed);
      break;
    }
    case 2:  // the servers are away
      world_.trace("world", "the servers are away");
      for (std::size_t i = 0; i < hosts_count; ++i) {
        world_.trouble(i, long_ms + 300, true);
        world_.servers.cut(i, Cut::told);
        world_.time.after(long_ms + dice.below(300), [this, i] { world_.servers.cut(i, Cut::none); });
      }
      break;
    case 3:
      host.sleep(long_ms, false);
      break;
    case 4:
      host.sleep(long_ms, true);
      break;
    case 5:
    case 6:
      if (host.is_up()) {
        if (dice.percent(30)) {
          host.stop();
        } else {
          host.die(dice.percent(40));
        }
        world_.time.after(dice.percent(50) ? dice.below(600) : long_ms, [this, number] {
          if (!hosts_[number]->is_up()) {
            hosts_[number]->begin();
          }
        });
      }
      break;
    default: {
      const auto ahead =
          static_cast<std::int64_t>(dice.below(20 * minute_ms)) - static_cast<std::int64_t>(10 * minute_ms);
      world_.trace("world", "the clock of host " + text(number) + " jumps to " + std::to_string(ahead) + " ms ahead");
      host.set_system_clock(ahead);
      break;
    }
  }
}

void Play::heal() {
  world_.trace("world", "no more faults");
  healed_ = true;
  world_.servers.set_faults({});
  for (std::size_t i = 0; i < hosts_count; ++i) {
    world_.servers.cut(i, Cut::none);
  }
}

bool Play::all_ended() {
  if (std::any_of(requests_.begin(), requests_.end(), [](const Request& one) { return one.id.empty(); })) {
    return false;
  }
  for (const auto& host : hosts_) {
    if (!host->is_up() || !host->is_awake()) {
      return false;
    }
    const auto waiting = host->engine()->projection().readers().read<std::vector<store::RunRow>>(
        [](store::Connection& connection) { return store::waiting_runs(connection); });
    if (!waiting || !waiting.value().empty() || host->engine()->position() < world_.servers.all().size()) {
      return false;
    }
  }
  return true;
}

WorldEnd Play::go() {
  clear_folder();
  set_up();
  for (const auto& host : hosts_) {
    host->begin();
  }
  const std::uint64_t begun = world_.time.now_ms();
  std::uint64_t looked = 0;
  std::uint64_t ended = 0;
  while (world_.books.broken.empty() && world_.time.step()) {
    ++end_.events;
    const std::uint64_t now = world_.time.now_ms() - begun;
    if (!healed_ && now >= faults_ms) {
      heal();
    }
    if (healed_ && now >= looked + 500) {
      looked = now;
      for (const auto& host : hosts_) {
        if (!host->is_up() && now >= faults_ms + 30'000) {
          host->begin();
        }
      }
      ended = !all_ended() ? 0 : ended == 0 ? now : ended;
    }
    if (ended != 0 && now >= ended + settle_ms) {
      if (all_ended()) {
        break;
      }
      ended = 0;
    }
    if (now >= end_ms) {
      broken("law 6: not all runs have ended " + text((end_ms - faults_ms) / 1'000) + " s after the last fault");
    }
  }
  end_.virtual_ms = world_.time.now_ms() - begun;
  if (world_.books.broken.empty()) {
    check_history();
    check_runs();
    check_names();
  }
  end_.messages = world_.servers.all().size();
  for (const auto& [call, times] : world_.books.calls) {
    end_.calls += times;
    end_.calls_again += times - 1;
  }
  end_.taken = world_.books.taken;
  end_.dropped = world_.books.dropped;
  end_.handed_over = world_.books.handed_over;
  end_.broken = world_.books.broken;
  return std::move(end_);
}

// ---------------------------------------------------------------- laws

// Law 1, by what the log has.
void Play::check_history() {
  struct Had {
    std::uint64_t entries = 0;
    std::string driver;
  };
  std::map<std::string, Had> runs;
  std::set<std::string> keys;
  for (const store::LogMessage& message : world_.servers.all()) {
    std::string body = message.body;
    if (const std::string name = store::body_name_in(body); !name.empty()) {
      body = world_.servers.text_of(name);
    }
    std::vector<store::TextPlace> missing;
    const Result<store::LoggedOp> read = store::read_op(body, missing);
    if (!read) {
      broken("message " + text(message.sequence) + " cannot be read");
      continue;
    }
    const store::LoggedOp& op = read.value();
    Had& run = runs[op.run];
    const std::string where = "law 1: message " + text(message.sequence) + " by " + message.by + " of " + op.run;
    if (op.op == store::LogOp::create && keys.insert(op.row.request_key).second) {
      run = {op.entries->size(), message.by};
    } else if (op.op == store::LogOp::take) {
      check_taken(message, run.driver);
      run.driver = message.by;
      takers_[op.run].push_back(message.by);
    } else if (op.op == store::LogOp::append) {
      if (op.expected != run.entries) {
        broken(where + " goes on from " + text(op.expected) + ", there were " + text(run.entries));
      }
      // Who finds the driver dead when it appends drives it from then on.
      check_taken(message, run.driver);
      run.driver = message.by;
      run.entries += op.entries->size();
    } else {
      continue;
    }
    if (op.op != store::LogOp::take) {
      for (const run::Stored& entry : *op.entries) {
        sequence_of_.emplace(op.run + " " + text(entry.number), message.sequence);
      }
    }
  }
}

// A host that is well is not taken for dead. (What was put while a host was cut off comes when that is over.)
void Play::check_taken(const store::LogMessage& message, const std::string& from) {
  const std::uint64_t until = message.at_ms - VirtualServers::since_1970_ms;
  const std::uint64_t since = until - 3 * VirtualHost::lease_ms;
  const auto number = [](const std::string& name) { return static_cast<std::size_t>(name[1] - '0'); };
  // One that has just begun has nothing behind it, and one that died is well no more, though it began again.
  const auto began = world_.began.find(from);
  const std::uint64_t from_ms = began == world_.began.end() ? since : std::max(since, began->second + 1);
  const bool again = std::any_of(world_.began.begin(), world_.began.end(), [&](const auto& one) {
    return number(one.first) == number(from) && one.second > world_.began[from] && one.second <= until;
  });
  if (no_losses_ && message.by != from && !again && world_.was_well(number(from), from_ms, until) &&
      world_.was_well(number(message.by), since, until, true)) {
    broken("law 1: message " + text(message.sequence) + ": " + message.by + " has taken the run of " + from +
           ", which lives");
  }
}

std::string Play::all_of(store::LogEngine& engine) {
  std::string out;
  const auto page = engine.projection().readers().read<store::Page>(
      [](store::Connection& connection) { return store::list_runs(connection, {}); });
  for (const store::RunRow& row : page.value().runs) {
    out += row.id + " " + text(row.number) + " " + std::string(run::state_name(row.state)) + " " + row.error + " " +
           row.request_key + " " + text(row.changed_ms) + " " + text(row.bytes) + "\n";
    const auto part = engine.projection().readers().read<store::JournalPart>(
        [&](store::Connection& connection) { return store::read_entries(connection, row.id, 0, 10'000, 1U << 30U); });
    for (const run::Stored& entry : part.value().entries) {
      out += row.id + " " + text(entry.number) + " " + entry.line;
      for (const run::Blob& blob : entry.blobs) {
        out += " " + blob.hash + " " + text(blob.text.size());
      }
      out += "\n";
    }
  }
  return out;
}

// Laws 2 and 7, then what each run says.
void Play::check_runs() {
  std::string all;
  {
    for (const auto& host : hosts_) {
      if (host->engine() == nullptr) {
        broken("law 6: a host does not begin again");
        return;
      }
    }
    const std::unique_ptr<store::LogEngine> anew = reader("anew");
    store::LogEngine& engine = *anew;
    const Result<std::uint64_t> last = engine.open();
    while (last && engine.position() < last.value() && engine.follow(0) == 0) {
    }
    all = all_of(engine);
    for (const auto& host : hosts_) {
      if (all_of(*host->engine()) != all) {
        broken("law 7: the copy of a host differs from one that is made anew");
      }
    }
    for (const Request& request : requests_) {
      const auto row = engine.projection().readers().read<store::RunRow>(
          [&](store::Connection& connection) { return store::find_run(connection, request.id); });
      if (!row) {
        broken("law 2: the run " + request.id + " was begun and is not there");
        continue;
      }
      const auto part = engine.projection().readers().read<store::JournalPart>([&](store::Connection& connection) {
        return store::read_entries(connection, request.id, 0, 10'000, 1U << 30U);
      });
      std::vector<std::string_view> lines;
      std::map<std::string_view, const std::string*> texts;
      for (const run::Stored& entry : part.value().entries) {
        lines.push_back(entry.line);
        for (const run::Blob& blob : entry.blobs) {
          texts.emplace(blob.hash, &blob.text);
        }
      }
      const Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) {
        const auto found = texts.find(hash);
        return found == texts.end() ? nullptr : found->second;
      });
      if (!journal) {
        broken("law 1: the journal of " + request.id + " cannot be read: " + journal.error().message);
        continue;
      }
      check_journal(request, row.value(), journal.value());
    }
  }
  check_told(all);
}

void Play::check_told(const std::string& all) {
  std::set<std::string_view> lines;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at);
    lines.insert(std::string_view(all).substr(at, end - at));
    at = end + 1;
  }
  const auto there = [&](const std::string& line) {
    const auto at = lines.lower_bound(line);
    return at != lines.end() && at->substr(0, line.size()) == line;
  };
  for (const auto& [place, line] : world_.books.stored) {
    if (!there(place + " " + line)) {
      broken("law 2: " + place + " was told as stored and is not there: " + line);
    }
  }
  for (const auto& [line, told] : world_.books.refused) {
    // Where another host has taken the run and gone on from it, who stored it is refused too.
    const std::vector<std::string>& takers = takers_[told.first];
    const std::string& host = told.second;
    const bool taken =
        std::any_of(takers.begin(), takers.end(), [&](const std::string& taker) { return taker != host; });
    if (there(line) && !taken) {
      broken("law 2: was told as refused and is there: " + line);
    }
  }
}

// What the run gives where nothing happens to it.
std::string undisturbed(const Request& request) {
  run::Machine machine =
      run::Machine::start(*world_pipeline(request.pipeline), "r", run::Data::written(request.input), {}, {}, 1);
  while (machine.step(1) == run::State::waiting) {
    for (const run::Want& want : machine.wanted()) {
      machine.attempt(want.key, 1);
      run::Reply reply = world_answer(want.request);
      if (want.kind == run::EffectKind::claim) {
        reply.value = run::Data::written(R"({"granted":true})");
      }
      machine.reply(want.key, std::move(reply), 1);
    }
  }
  return std::string(machine.result().text());
}

// Laws 4, 5 (what it held, and when) and 6 (what it gives).
void Play::check_journal(const Request& request, const store::RunRow& row, const run::Journal& journal) {
  struct Effect {
    std::uint64_t attempts = 0, handed_over = 0, replies = 0;
    std::string kind;
    bool release = false;
  };
  std::map<std::string, Effect> effects;
  bool disturbed = false;
  std::uint64_t number = 0;
  std::optional<Held> holds;
  for (const run::Entry& entry : journal.entries()) {
    const std::uint64_t sequence = sequence_of_[row.id + " " + text(number++)];
    Effect& effect = effects[entry.key];
    if (entry.kind == run::EntryKind::attempt) {
      if (++effect.attempts == 1) {
        effect.kind = entry.name;
        effect.release = json::flag_of(entry.data.value(), "release");
      }
      if (effect.release && holds) {
        holds->until = sequence;
        held_.push_back(*std::exchange(holds, std::nullopt));
      }
    } else if (entry.kind == run::EntryKind::handover) {
      ++effect.handed_over;
    } else if (entry.kind == run::EntryKind::reply) {
      ++effect.replies;
      const bool claims = effect.kind == "claim";
      disturbed = disturbed || (!claims && entry.status != run::Status::ok);
      end_.interrupted += entry.status == run::Status::interrupted ? 1 : 0;
      if (claims && !effect.release && entry.status == run::Status::ok) {
        const json::Value input = journal.begin().data.value();
        holds = Held{sequence, 0, std::string(json::text_of(*input.find("input"), "name")), row.id};
      }
    }
  }
  for (const auto& [key, effect] : effects) {
    const auto made = world_.books.calls.find(row.id + " " + key);
    const std::uint64_t calls = made == world_.books.calls.end() ? 0 : made->second;
    if (calls > effect.attempts || (effect.kind == "model" && effect.attempts > 2 + effect.handed_over)) {
      broken("law 4: " + row.id + " " + key + " was called " + text(calls) + " times, with " + text(effect.attempts) +
             " attempts, " + text(effect.handed_over) + " of them handed over");
    }
    if (effect.replies > 1) {
      broken("law 4: " + row.id + " " + key + " has " + text(effect.replies) + " replies");
    }
  }
  const run::Entry& last = journal.entries().back();
  const std::string gives = last.kind == run::EntryKind::end ? std::string(last.data.text()) : "no end";
  if (row.state != run::State::done || (!disturbed && gives != undisturbed(request))) {
    broken("law 6: " + row.id + " gives " + gives + " and is " + std::string(run::state_name(row.state)));
  }
}

// Law 5.
void Play::check_names() {
  for (const Held& one : held_) {
    for (const Held& other : held_) {
      if (one.run < other.run && one.name == other.name && one.from < other.until && other.from < one.until) {
        broken("law 5: " + one.name + " is held by " + one.run + " from message " + text(one.from) + " to " +
               text(one.until) + " and by " + other.run + " from " + text(other.from) + " to " + text(other.until));
      }
    }
  }
}

}  // namespace

WorldEnd play_world(const WorldPlay& play) {
  if (!std::filesystem::exists(play.folder + "/empty.db")) {
    Play({0, play.folder, false}).make_empty();
  }
  return Play(play).go();
}

}  // namespace plumb::test
