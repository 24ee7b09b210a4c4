#include "virtual_host.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/run/run.hpp"
#include "native/store/run_tables.hpp"

namespace plumb::test {

namespace {

using run::EffectKind;
using store::LoggedOp;
using store::LogOp;

constexpr std::uint64_t gather_ms = 60;  // how long what others wrote may lie
constexpr std::uint64_t retry_ms = 400;  // and twice that, up to:
constexpr std::uint64_t retry_max_ms = 12'000;
constexpr std::size_t tries_max = 10;

run::Effect effect_of(EffectKind kind, std::string json) {
  run::Effect effect;
  effect.kind = kind;
  effect.request = [json = std::move(json)] { return run::Data::written(json); };
  return effect;
}

std::string question(std::uint64_t number, const std::string& last, std::size_t bytes) {
  std::string json;
  json::Writer(json)
      .begin_object()
      .member("prompt", std::to_string(number) + last + std::string(bytes, 'x'))
      .end_object();
  return json;
}

std::string said(const run::Reply& reply) {
  return reply.ok() ? std::string(json::text_of(reply.value.value(), "text"))
                    : std::string(run::status_name(reply.status));
}

std::string asked_in_turn(run::Run& run) {
  const std::uint64_t count = json::number_of(run.input().value(), "count");
  const std::uint64_t bytes = json::number_of(run.input().value(), "bytes");
  std::string last;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i + 1 == count && count > 2) {  // two at once
      std::vector<run::Effect> two;
      two.push_back(effect_of(EffectKind::model, question(i, last, bytes)));
      two.push_back(effect_of(EffectKind::model, question(i, last + "b", bytes)));
      const auto replies = run.ask_all(std::move(two));
      last = said(*replies[0]) + said(*replies[1]);
    } else {
      last = said(run.ask(effect_of(EffectKind::model, question(i, last, bytes))));
    }
  }
  return last;
}

Result<run::Data> questions(run::Run& run) { return run::Data::string(asked_in_turn(run)); }

Result<run::Data> named(run::Run& run) {
  const std::string name(json::text_of(run.input().value(), "name"));
  std::string wish;
  json::Writer(wish).begin_object().member("name", name).member_boolean("wait", true).end_object();
  while (!run.ask(effect_of(EffectKind::claim, wish)).ok()) {
  }
  const std::string last = asked_in_turn(run);
  std::string back;
  json::Writer(back).begin_object().member("name", name).member_boolean("release", true).end_object();
  while (!run.ask(effect_of(EffectKind::claim, back)).ok()) {
  }
  return run::Data::string(last);
}

constexpr run::Pipeline pipelines[] = {{"questions", 1, questions}, {"named", 1, named}};

}  // namespace

void World::trace(const std::string& who, const std::string& what) const {
  if (tracing) {
    std::printf("%8llu %-6s %s\n", static_cast<unsigned long long>(time.now_ms() - 1'000'000), who.c_str(),
                what.c_str());
  }
}

void copy_empty(const std::string& folder, const std::string& to) {
  std::error_code there_already;
  std::filesystem::copy_file(folder + "/empty.db", to + ".db", std::filesystem::copy_options::skip_existing,
                             there_already);
}

void World::begins(std::size_t host, const std::string& name) {
  began[name] = time.now_ms();
  for (Trouble& one : troubles[host]) {
    one.until_ms = one.until_ms == UINT64_MAX ? time.now_ms() : one.until_ms;
  }
}

bool World::was_well(std::size_t host, std::uint64_t from_ms, std::uint64_t until_ms, bool only_its_network) const {
  return std::none_of(troubles[host].begin(), troubles[host].end(), [&](const Trouble& one) {
    return one.from_ms <= until_ms && from_ms <= one.until_ms && (one.cut || !only_its_network);
  });
}

const run::Pipeline* world_pipeline(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(pipelines), std::end(pipelines), [&](const auto& one) { return one.name == name; });
  return found == std::end(pipelines) ? nullptr : found;
}

run::Reply world_answer(const run::Data& request) {
  run::Reply reply;
  reply.value = run::Data::written("{\"text\":\"" + json::sha256_hex(std::string(request.text())).substr(0, 8) + "\"}");
  return reply;
}

struct VirtualHost::Live {
  std::string id;
  store::RunRow row;
  std::optional<run::Machine> machine;
  bool loaded = false, taking = false, storing = false, step = true, create = false, over = false;
  std::uint64_t stored = 0;  // entries
  std::size_t tries = 0;
  store::Batch batch;
  store::Change change;
  std::vector<run::Want> begin;                // attempts that are in the batch
  std::map<std::string, std::uint64_t> calls;  // under way
  struct Came {
    std::string key;
    std::uint64_t number = 0;
    run::Reply reply;
  };
  std::vector<Came> inbox;
  bool hand_over = false;
  std::function<void(const Result<std::string>&)> told;
};

VirtualHost::VirtualHost(World& world, std::size_t number)
    : world_(world), number_(number), boot_ahead_ms_(world.dice.below(1'000'000'000)) {}

VirtualHost::~VirtualHost() = default;

// ---------------------------------------------------------------- its life

std::uint64_t VirtualHost::system_ms() const {
  const std::uint64_t now = world_.time.now_ms() + VirtualServers::since_1970_ms;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(now) + system_ahead_ms_);
}

void VirtualHost::here(std::function<void()> what) { later(0, std::move(what)); }

void VirtualHost::later(std::uint64_t ms, std::function<void()> what) {
  world_.time.after(ms, [this, life = life_, what = std::move(what)]() mutable {
    if (life != life_) {
      return;
    }
    if (!is_awake()) {
      later(wakes_ms_ - world_.time.now_ms(), std::move(what));
      return;
    }
    what();
    poke();
  });
}

void VirtualHost::begin() {
  ++life_;
  const std::uint64_t life = life_;
  name_ = "h" + std::to_string(number_) + "-" + std::to_string(life_);
  working_ = following_ = stopping_ = false;
  VirtualServers::Place place;
  place.host = number_;
  place.give = [this, life](std::function<void()> what) {
    if (life == life_) {
      here(std::move(what));
    }
  };
  place.comes = [this, life] {
    if (life == life_) {
      follow_soon(world_.dice.below(engine_ == nullptr || engine_->is_awaited() ? 3 : gather_ms));
    }
  };
  store::LogStoreSettings settings;
  settings.projection = world_.folder + "/host" + std::to_string(number_);
  settings.name = name_;
  settings.lease_ms = lease_ms;
  settings.heartbeat_ms = lease_ms / 5;
  settings.operation_ms = 4 * VirtualServers::answer_ms;
  settings.told = [this](store::StoreTold, const std::string& text) { world_.trace(name_, "says: " + text); };
  store::LogClock clock;
  clock.steady_ms = [this] { return world_.time.now_ms() - stood_ms_; };
  clock.system_ms = [this] { return system_ms(); };
  clock.boot_ms = [this] { return world_.time.now_ms() + boot_ahead_ms_; };
  copy_empty(world_.folder, settings.projection);
  engine_ = std::make_unique<store::LogEngine>(world_.servers.client(std::move(place)), std::move(settings),
                                               std::move(clock), name_, [this, life](store::Woken what) {
                                                 if (life == life_ && what == store::Woken::reading) {
                                                   following_ = false;  // what was to lie a while is read now
                                                   follow_soon(world_.dice.below(3));
                                                 }
                                               });
  const Result<std::uint64_t> last = engine_->open();
  if (!last) {
    world_.trace(name_, "does not begin: " + last.error().message);
    engine_.reset();
    world_.time.after(500, [this, life] {
      if (life == life_ && engine_ == nullptr) {
        begin();
      }
    });
    return;
  }
  world_.begins(number_, name_);
  world_.trace(name_, "begins, having read " + std::to_string(engine_->position()));
  later(1, [this, at = last.value()] { hear_when_read(at); });
  follow_soon(1);
  later(world_.dice.below(engine_->keep_ms()), [this] { keep(); });
}

// A host begins with its runs when it has read what there is.
void VirtualHost::hear_when_read(std::uint64_t last) {
  if (engine_->position() < last) {
    later(50, [this, last] { hear_when_read(last); });
    return;
  }
  store::Sharing::Heard heard;
  heard.freed = [this](const store::RunRow& row) { here([this, row] { take_up(row); }); };
  heard.works_on = [this](const std::string& id) {
    const LiveRef live = found(id);
    return live != nullptr && !live->over;
  };
  heard.changed = [this](const std::string&, std::uint64_t, run::State state) {
    if (state != run::State::waiting) {
      here([this] { claim_again(); });
    }
  };
  heard.claims_changed = [this] { here([this] { claim_again(); }); };
  engine_->hear(std::move(heard));
  // As Host::open().
  const auto waiting = engine_->projection().readers().read<std::vector<store::RunRow>>(
      [](store::Connection& connection) { return store::waiting_runs(connection); });
  for (const store::RunRow& row : waiting ? waiting.value() : std::vector<store::RunRow>()) {
    const Result<store::RunInLog> now = engine_->projection().run(row.id);
    if (now && !engine_->is_alive(now.value().driver)) {
      take_up(row);
    }
  }
}

void VirtualHost::die(bool with_its_copy) {
  world_.is_down(number_);
  world_.trace(name_, with_its_copy ? "dies, and its copy with it" : "dies");
  ++life_;
  wakes_ms_ = 0;
  // What a process that is killed has not said it does not say.
  world_.servers.cut(number_, Cut::told);
  engine_.reset();
  world_.servers.cut(number_, Cut::none);
  lives_.clear();
  claims_.clear();
  if (with_its_copy) {
    std::error_code ignored;
    for (const char* part : {".db", ".db-wal", ".db-shm"}) {
      std::filesystem::remove(world_.folder + "/host" + std::to_string(number_) + part, ignored);
    }
  }
}

void VirtualHost::stop() {
  if (engine_ == nullptr || std::exchange(stopping_, true)) {
    return;
  }
  world_.is_down(number_);
  world_.trace(name_, "is stopped");
  engine_->hear({});
  for (const auto& [id, live] : std::map<std::string, LiveRef>(lives_)) {
    if (live->loaded && !live->over && !live->calls.empty()) {
      live->hand_over = true;
      turn(live);
    }
  }
  later(world_.dice.below(3'000), [this] { engine_->close(); });
  later(2'000 + world_.dice.below(4'000), [this] { go(); });
}

// What is under way still ends first.
void VirtualHost::go() {
  if (!engine_->is_over()) {
    later(200, [this] { go(); });
    return;
  }
  world_.trace(name_, "goes");
  ++life_;
  engine_.reset();
  lives_.clear();
  claims_.clear();
}

void VirtualHost::sleep(std::uint64_t ms, bool suspended) {
  world_.trace(name_, (suspended ? "is suspended for " : "sleeps for ") + std::to_string(ms) + " ms");
  world_.trouble(number_, ms);
  wakes_ms_ = std::max(wakes_ms_, world_.time.now_ms() + ms);
  if (suspended) {
    stood_ms_ += ms;
  }
}

void VirtualHost::poke() {
  if (engine_ == nullptr || working_ || !engine_->has_work()) {
    return;
  }
  working_ = true;
  later(world_.dice.below(2), [this] {
    working_ = false;
    for (std::uint64_t pieces = world_.dice.between(1, 4); pieces > 0 && engine_->work(); --pieces) {
    }
  });
}

void VirtualHost::follow_soon(std::uint64_t ms) {
  if (std::exchange(following_, true)) {
    return;
  }
  later(ms, [this] {
    following_ = false;
    const std::uint64_t before = engine_->position();
    const std::uint64_t pause_ms = engine_->follow(0);
    if (pause_ms > 0) {
      follow_soon(pause_ms);
    } else if (engine_->position() != before) {
      follow_soon(world_.dice.below(2));
    }
  });
}

void VirtualHost::keep() {
  engine_->keep();
  if (world_.dice.below(8) == 0) {
    follow_soon(0);
  }
  later(engine_->keep_ms(), [this] { keep(); });
}

// ---------------------------------------------------------------- runs

std::optional<std::string> VirtualHost::run_of(const std::string& key) {
  const Result<store::RunRow> row = engine_->projection().readers().read<store::RunRow>(
      [&](store::Connection& connection) { return store::find_run_of_request(connection, "user", key); });
  return row ? std::optional<std::string>(row.value().id) : std::nullopt;
}

void VirtualHost::start(const std::string& key, const std::string& pipeline, const std::string& input,
                        std::function<void(const Result<std::string>& id)> told) {
  if (const auto there = run_of(key)) {
    told(*there);
    return;
  }
  auto live = std::make_shared<Live>();
  live->id = "r" + key + "-" + name_ + "-" + std::to_string(++calls_);
  live->row.id = live->id;
  live->row.pipeline = pipeline;
  live->row.owner = "user";
  live->row.request_key = key;
  live->row.created_ms = live->row.changed_ms = system_ms();
  live->create = live->loaded = true;
  live->told = [this, key, told = std::move(told)](const Result<std::string>& id) {
    const std::optional<std::string> there = id ? std::nullopt : run_of(key);
    told(there ? Result<std::string>(*there) : id);
  };
  live->machine.emplace(
      run::Machine::start(*world_pipeline(pipeline), live->id, run::Data::written(input), {}, {}, system_ms()));
  lives_[live->id] = live;
  give(live);
}

VirtualHost::LiveRef VirtualHost::found(const std::string& id) {
  const auto at = lives_.find(id);
  return at == lives_.end() ? nullptr : at->second;
}

void VirtualHost::take_up(const store::RunRow& row) {
  const LiveRef there = found(row.id);
  if (stopping_ || (there != nullptr && !there->over)) {
    return;
  }
  auto live = std::make_shared<Live>();
  live->id = row.id;
  live->row = row;
  lives_[row.id] = live;
  turn(live);
}

void VirtualHost::take(const LiveRef& live) {
  live->taking = true;
  LoggedOp op;
  op.op = LogOp::take;
  op.run = live->id;
  engine_->submit(std::move(op), 0, [this, live](const store::Outcome& outcome, const store::Applied&) {
    live->taking = false;
    if (outcome) {
      drop(live, outcome->message);
      return;
    }
    const Result<store::RunInLog> now = engine_->projection().run(live->id);
    if (!now || now.value().driver != name_) {
      drop(live, "another host has it");
      return;
    }
    ++world_.books.taken;
    world_.trace(name_, "takes " + live->id);
    if (!load(*live)) {
      world_.books.broken.push_back("the journal of " + live->id + " cannot be read");
      return;
    }
    turn(live);
  });
}

bool VirtualHost::load(Live& live) {
  const Result<store::JournalPart> part = engine_->projection().readers().read<store::JournalPart>(
      [&](store::Connection& connection) { return store::read_entries(connection, live.id, 0, 10'000, 1U << 30U); });
  if (!part) {
    return false;
  }
  std::vector<std::string_view> lines;
  std::map<std::string_view, const std::string*> texts;
  for (const run::Stored& entry : part.value().entries) {
    lines.push_back(entry.line);
    for (const run::Blob& blob : entry.blobs) {
      texts.emplace(blob.hash, &blob.text);
    }
  }
  Result<run::Journal> journal = run::Journal::read(lines, [&](std::string_view hash) {
    const auto text = texts.find(hash);
    return text == texts.end() ? nullptr : text->second;
  });
  if (!journal) {
    return false;
  }
  live.stored = journal.value().entries().size();
  Result<run::Machine> machine =
      run::Machine::resume(*world_pipeline(live.row.pipeline), std::move(journal).value(), {}, system_ms());
  if (!machine || machine.value().state() != run::State::waiting) {
    return false;
  }
  live.machine.emplace(std::move(machine).value());
  live.loaded = true;
  return true;
}

// As Driver::work(): events, then a step, then what it wants.
void VirtualHost::turn(const LiveRef& live) {
  if (live->over || live->storing || live->taking) {
    return;
  }
  if (!live->loaded) {
    take(live);
    return;
  }
  if (live->change.state != run::State::waiting) {
    lives_.erase(live->id);
    live->over = true;
    world_.trace(name_, "has ended " + live->id);
    claim_again();
    return;
  }
  for (const run::Want& want : std::exchange(live->begin, {})) {
    begin_call(live, want);
  }
  if (!apply_replies(*live)) {
    live->step = true;
    give(live);
    return;
  }
  if (std::exchange(live->step, false)) {
    live->change.state = live->machine->step(system_ms());
  }
  if (live->machine->state() == run::State::waiting && !stopping_) {
    for (run::Want& want : live->machine->wanted()) {
      if (live->calls.count(want.key) == 0 && live->machine->attempt(want.key, system_ms())) {
        live->begin.push_back(std::move(want));
      }
    }
  }
  give(live);
}

// False: there is something of them to store.
bool VirtualHost::apply_replies(Live& live) {
  bool any = false;
  for (Live::Came& came : std::exchange(live.inbox, {})) {
    const auto call = live.calls.find(came.key);
    if (call != live.calls.end() && call->second == came.number) {
      live.calls.erase(call);
      any = live.machine->reply(came.key, std::move(came.reply), system_ms()) || any;
    }
  }
  if (std::exchange(live.hand_over, false)) {
    for (const auto& [key, number] : std::exchange(live.calls, {})) {
      const bool handed = live.machine->hand_over(key, system_ms());
      world_.books.handed_over += handed ? 1 : 0;
      any = handed || any;
    }
  }
  return !any;
}

void VirtualHost::give(const LiveRef& live) {
  std::vector<run::Stored> fresh = live->machine->take();
  if (fresh.empty()) {
    return;
  }
  live->change.at_ms = live->machine->journal().entries().back().at_ms;
  live->batch = std::make_shared<const std::vector<run::Stored>>(std::move(fresh));
  live->storing = true;
  live->tries = 0;
  submit(live);
}

void VirtualHost::submit(const LiveRef& live) {
  if (live->over) {
    return;
  }
  LoggedOp op;
  op.op = live->create ? LogOp::create : LogOp::append;
  op.run = live->id;
  op.row = live->create ? live->row : store::RunRow{};
  op.expected = live->stored;
  op.entries = live->batch;
  op.change = live->create ? store::Change{} : live->change;
  engine_->submit(std::move(op), store::batch_bytes(live->batch),
                  [this, live](const store::Outcome& outcome, const store::Applied&) { stored(live, outcome); });
}

void VirtualHost::stored(const LiveRef& live, const store::Outcome& outcome) {
  if (!outcome) {
    for (const run::Stored& entry : *live->batch) {
      const std::string place = live->id + " " + std::to_string(entry.number);
      const auto [at, fresh] = world_.books.stored.emplace(place, entry.line);
      if (!fresh) {
        world_.books.broken.push_back("two were told that they stored " + place);
      }
    }
    live->stored += live->batch->size();
    live->storing = false;
    if (std::exchange(live->create, false)) {
      world_.trace(name_, "has begun " + live->id);
      live->told(live->id);
    }
    turn(live);
    return;
  }
  world_.trace(name_, live->id + " from " + std::to_string(live->stored) + ": " + outcome->message);
  if (outcome->code == ErrorCode::invalid_argument) {
    for (const run::Stored& entry : *live->batch) {
      world_.books.refused[live->id + " " + std::to_string(entry.number) + " " + entry.line] = {live->id, name_};
    }
  }
  if (live->create) {
    drop(live, outcome->message);
    live->told(Result<std::string>(*outcome));
  } else if (outcome->code == ErrorCode::invalid_argument) {
    drop(live, outcome->message);
  } else if (live->tries < tries_max) {
    later(std::min(retry_ms << live->tries++, retry_max_ms), [this, live] { submit(live); });
  } else {
    ++world_.books.given_up;
    live->over = true;
    live->calls.clear();
  }
}

void VirtualHost::drop(const LiveRef& live, const std::string& why) {
  ++world_.books.dropped;
  world_.trace(name_, "drops " + live->id + ": " + why);
  live->over = true;
  if (found(live->id) == live) {
    lives_.erase(live->id);
  }
}

// ---------------------------------------------------------------- calls

void VirtualHost::begin_call(const LiveRef& live, const run::Want& want) {
  const std::uint64_t number = ++calls_;
  live->calls[want.key] = number;
  if (want.kind != EffectKind::claim) {
    ++world_.books.calls[live->id + " " + want.key];
    later(world_.dice.between(5, 1'500),
          [this, id = live->id, key = want.key, number, request = std::string(want.request.text())] {
            reply(id, key, number, world_answer(run::Data::written(request)));
          });
    return;
  }
  Claiming one;
  one.run = live->id;
  one.key = want.key;
  one.number = number;
  one.wish.run = live->id;
  one.wish.names = {std::string(json::text_of(want.request.value(), "name"))};
  one.wish.release = json::flag_of(want.request.value(), "release");
  claims_.push_back(one);
  claim(one);
}

void VirtualHost::reply(const std::string& run, const std::string& key, std::uint64_t number, run::Reply reply) {
  if (const LiveRef live = found(run)) {
    live->inbox.push_back({key, number, std::move(reply)});
    turn(live);
  }
}

// As Driver::claim_again(): those that wait ask again whenever something may have become free.
void VirtualHost::claim_again() {
  for (Claiming& one : claims_) {
    one.again = one.asked;
  }
  for (const Claiming& one : std::deque<Claiming>(claims_)) {
    if (!one.asked) {
      claim(one);
    }
  }
}

void VirtualHost::claim(const Claiming& wanted) {
  const auto find = [this, key = wanted.key, run = wanted.run] {
    return std::find_if(claims_.begin(), claims_.end(),
                        [&](const Claiming& one) { return one.run == run && one.key == key; });
  };
  const auto at = find();
  const LiveRef live = found(wanted.run);
  const bool wants =
      live != nullptr && !live->over && live->calls.count(wanted.key) != 0 && live->calls[wanted.key] == wanted.number;
  if (at == claims_.end() || !wants) {
    if (at != claims_.end()) {
      claims_.erase(at);
    }
    return;
  }
  at->asked = true;
  LoggedOp op;
  op.op = LogOp::claim;
  op.run = wanted.run;
  op.wish = wanted.wish;
  engine_->submit(std::move(op), 0, [this, wanted, find](const store::Outcome& outcome, const store::Applied& applied) {
    const auto now = find();
    if (now == claims_.end() || now->number != wanted.number) {
      return;
    }
    now->asked = false;
    if (!outcome && !wanted.wish.release && !applied.claimed.granted) {
      if (std::exchange(now->again, false)) {
        claim(wanted);
      }
      return;
    }
    claims_.erase(now);
    run::Reply answer;
    if (outcome) {
      answer.status = run::Status::failed;
      answer.error = outcome->message;
    } else {
      answer.value = run::Data::written(wanted.wish.release ? R"({"granted":true,"released":true})"
                                                            : R"({"granted":true,"holder":")" + wanted.run + "\"}");
    }
    reply(wanted.run, wanted.key, wanted.number, std::move(answer));
    claim_again();
  });
}

}  // namespace plumb::test
