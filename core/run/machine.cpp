// The driver of a run: entries go in, the pipeline is called, wants and notes come out.

#include "core/run/machine.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/contract/check.hpp"
#include "core/json/writer.hpp"
#include "core/run/run_state.hpp"

namespace plumb::run {

namespace {

constexpr std::uint64_t attempts_max = 2;  // of an effect whose host was lost
// Of one that costs nothing: whoever is lost so often is lost by it.
constexpr std::uint64_t free_attempts_max = 50;
constexpr std::array<std::string_view, 4> states = {"waiting", "done", "failed", "cancelled"};

json::Value read_begin(const Data& begin, json::Arena& arena) {
  Result<json::Value> told = json::parse(begin.text(), arena);
  PLUMB_REQUIRE(static_cast<bool>(told), "the first entry of a journal is JSON");
  return told.value();
}

Error mismatch(std::string message, std::string where = {}) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = "journal_mismatch: " + std::move(message);
  error.where = std::move(where);
  return error;
}

// What the host may give for a kind of effect: compiled once, the same for all runs.
const contract::Contract& reply_contract(EffectKind kind) {
  static const std::vector<contract::Contract> contracts = [] {
    std::vector<contract::Contract> all;
    for (const EffectType& type : effect_types()) {
      Result<contract::Contract> read = contract::Contract::read(type.reply_contract);
      PLUMB_REQUIRE(static_cast<bool>(read), "the contracts of the effects are contracts");
      all.push_back(std::move(read).value());
    }
    return all;
  }();
  return contracts[static_cast<std::size_t>(kind)];
}

Error limit_reached(std::string message) {
  Error error;
  error.code = ErrorCode::limit;
  error.message = std::move(message);
  return error;
}

}  // namespace

std::string_view state_name(State state) { return states[static_cast<std::size_t>(state)]; }

ScopeState& ScopeState::child(std::string_view child_name) {
  const auto [found, fresh] = scope_by_name.emplace(std::string(child_name), scopes.size());
  if (fresh) {
    scopes.push_back(std::make_unique<ScopeState>());
    ScopeState& added = *scopes.back();
    added.name = std::string(child_name);
    added.path = path.empty() ? added.name : path + "/" + added.name;
    added.level = level + 1;
  }
  return *scopes[found->second];
}

std::size_t& ScopeState::done_of(std::string_view each_name) {
  for (auto& [known, count] : each_done) {
    if (known == each_name) {
      return count;
    }
  }
  return each_done.emplace_back(std::string(each_name), 0).second;
}

// Why nothing more may be journalled, or an empty sentence. Replies are: they have been paid for.
std::string MachineState::full() const {
  if (journal.bytes() >= options.bounds.bytes_max) {
    return "the run's journal has " + std::to_string(journal.bytes()) + " bytes; there may be " +
           std::to_string(options.bounds.bytes_max);
  }
  if (journal.entries().size() >= options.bounds.entries_max) {
    return "the run's journal has " + std::to_string(journal.entries().size()) + " entries; there may be " +
           std::to_string(options.bounds.entries_max);
  }
  return {};
}

std::uint64_t MachineState::append(Entry entry) {
  const bool always = entry.kind == EntryKind::end || entry.kind == EntryKind::reply || entry.kind == EntryKind::cancel;
  if (std::string why = always ? std::string() : full(); !why.empty()) {
    throw Stopped{limit_reached(std::move(why))};
  }
  entry.at_ms = now_ms;
  return journal.append(std::move(entry));
}

// A finished part keeps its result and nothing else.
void MachineState::forget(ScopeState& scope) {
  for (const std::unique_ptr<Slot>& slot : scope.effects) {
    if (slot != nullptr) {
      judged.erase(&slot->reply);
      slot_by_key.erase(slot->key);
    }
  }
  for (const std::unique_ptr<ScopeState>& inner : scope.scopes) {
    forget(*inner);
  }
  scope.effects.clear();
  scope.effects.shrink_to_fit();
  scope.scopes.clear();
  scope.scope_by_name.clear();
  scope.kept.clear();
}

Slot& MachineState::slot(ScopeState& scope, std::size_t ordinal) {
  if (scope.effects.size() <= ordinal) {
    scope.effects.resize(ordinal + 1);
  }
  std::unique_ptr<Slot>& at = scope.effects[ordinal];
  if (at == nullptr) {
    at = std::make_unique<Slot>();
    at->key = scope.path + ":" + std::to_string(ordinal);
    slot_by_key[at->key] = at.get();
  }
  return *at;
}

void MachineState::set_reply(Slot& slot, Reply reply, std::uint64_t position) {
  slot.has_reply = true;
  slot.running = false;
  slot.reply = std::move(reply);
  slot.position = position;
}

// A stored effect is what the pipeline asks for now, or the difference is noted.
void MachineState::verify(Slot& slot, const Effect& effect) {
  slot.verified = true;
  Data now = effect.request();
  const std::string hash = now.hash();
  if (hash == slot.hash) {
    return;
  }
  const std::string drifted = slot.key + " " + hash;
  if (std::find(drifts.begin(), drifts.end(), drifted) == drifts.end()) {
    drifts.push_back(drifted);
    Entry entry;
    entry.kind = EntryKind::drift;
    entry.key = slot.key;
    entry.hash = hash;
    std::string text;
    json::Writer(text).begin_object().member("was", slot.hash).member("now", hash).end_object();
    entry.data = Data::written(std::move(text));
    append(std::move(entry));
  }
  if (options.strict) {
    throw Stopped{mismatch("the request is not the one that was journalled", slot.key)};
  }
  if (!slot.has_reply) {
    slot.request = std::move(now);
  }
}

// The scope with that path, made where it is not known; nullptr when a scope above it has finished.
ScopeState* MachineState::scope_at(std::string_view path) {
  ScopeState* at = &root;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    at = &at->child(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

void MachineState::load() {
  const std::vector<Entry>& entries = journal.entries();
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::size_t colon = entry.key.rfind(':');
    const bool ordinal_key = entry.kind == EntryKind::attempt || entry.kind == EntryKind::reply ||
                             entry.kind == EntryKind::note || entry.kind == EntryKind::handover;
    std::size_t ordinal = 0;
    ScopeState* scope = nullptr;
    if (ordinal_key) {
      bool digits = colon != std::string::npos && colon + 1 < entry.key.size() && entry.key.size() - colon < 12;
      for (std::size_t k = colon + 1; digits && k < entry.key.size(); ++k) {
        digits = ascii::is_digit(entry.key[k]);
        ordinal = ordinal * 10 + static_cast<std::size_t>(entry.key[k] - '0');
      }
      if (!digits || ordinal >= options.bounds.entries_max) {
        throw Stopped{mismatch("entry " + std::to_string(i) + " has no key of an effect", entry.key)};
      }
      scope = scope_at(std::string_view(entry.key).substr(0, colon));
    }
    switch (entry.kind) {
      case EntryKind::attempt: {
        Slot& s = slot(*scope, ordinal);
        s.kind = effect_type(entry.name)->kind;
        s.stored = true;
        s.attempts = entry.count;
        s.deadline_ms = entry.deadline_ms;
        if (entry.count <= 1) {
          s.request = entry.data;
          s.hash = entry.hash;
        }
        if (entry.count == s.handed_over + 1) {
          s.since_ms = entry.at_ms;
        }
        break;
      }
      case EntryKind::handover: {
        Slot& s = slot(*scope, ordinal);
        s.handed_over = s.attempts;
        ++s.handovers;
        break;
      }
      case EntryKind::reply: {
        Slot& s = slot(*scope, ordinal);
        if (!s.has_reply) {
          Reply reply;
          reply.status = entry.status;
          reply.value = entry.data;
          reply.error = entry.error;
          set_reply(s, std::move(reply), i);
          // One that was never begun has no request to compare with.
          s.verified = s.attempts == 0;
          s.stored = true;
        }
        break;
      }
      case EntryKind::note:
        scope->notes.resize(std::max(scope->notes.size(), ordinal + 1));
        scope->notes[ordinal] = i;
        notes_by_kind[entry.name].push_back(i);
        break;
      case EntryKind::scope: {
        scope = scope_at(entry.key);
        scope->finished = true;
        scope->result = entry.data;
        scope->signals = entry.signals;
        scope->position = i;
        forget(*scope);
        break;
      }
      case EntryKind::version:
        scope_at(entry.key)->versions.emplace_back(entry.name, entry.count);
        break;
      case EntryKind::drift:
        drifts.push_back(entry.key + " " + entry.hash);
        break;
      case EntryKind::signal:
        signals.push_back({entry.name, i, entry.data});
        break;
      case EntryKind::cancel:
        cancelled_at = i;
        break;
      case EntryKind::end:
        state = entry.status == Status::ok          ? State::done
                : entry.status == Status::cancelled ? State::cancelled
                                                    : State::failed;
        result = entry.data;
        error.message = entry.error;
        break;
      case EntryKind::begin:
        break;
    }
  }
}

// Input and pins, from the first entry: their texts are its text.
void MachineState::take_parts(const Data& begin, const json::Value& told) {
  input = Data::part(begin, told.find("input"));
  const json::Value* fork = told.find("fork");
  const json::Value* first = fork == nullptr ? nullptr : fork->find("seed");
  seed = first == nullptr ? id : std::string(first->str());
  if (const json::Value* pinned = told.find("pins")) {
    for (const json::Value& pin : pinned->array()) {
      const json::Value* name = pin.find("name");
      if (name != nullptr) {
        pins.emplace_back(std::string(name->str()), Data::part(begin, pin.find("text")));
      }
    }
  }
}

Machine::Machine(std::unique_ptr<MachineState> state) : state_(std::move(state)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

Machine Machine::start(const Pipeline& pipeline, std::string id, Data input, Pins pins, const MachineOptions& options,
                       std::uint64_t now_ms) {
  return begin(pipeline, std::move(id), std::move(input), std::move(pins), {}, options, now_ms);
}

// `fork`: what the first entry says of the run that this one comes from, as JSON; empty: of none.
Machine Machine::begin(const Pipeline& pipeline, std::string id, Data input, Pins pins, std::string_view fork,
                       const MachineOptions& options, std::uint64_t now_ms) {
  auto state = std::make_unique<MachineState>();
  state->pipeline = pipeline;
  state->options = options;
  state->id = std::move(id);
  state->now_ms = now_ms;
  std::string text;
  json::Writer json(text);
  json.begin_object().member("run", state->id).member_uint("version", pipeline.version);
  json.key("input").raw(Data::part(input, &input.value()).text());
  json.key("pins").begin_array();
  for (const auto& [name, pin] : pins) {
    const Data pinned = Data::part(pin, &pin.value());
    json.begin_object().member("name", name).member("hash", pinned.hash()).key("text").raw(pinned.text()).end_object();
  }
  json.end_array();
  if (!fork.empty()) {
    json.key("fork").raw(fork);
  }
  json.end_object();
  Entry begin;
  begin.kind = EntryKind::begin;
  begin.name = std::string(pipeline.name);
  begin.at_ms = now_ms;
  begin.data = Data::written(std::move(text));
  json::Arena passing;  // a tree of all that the run begins with is not kept
  state->take_parts(begin.data, read_begin(begin.data, passing));
  state->journal.append(std::move(begin));
  return Machine(std::move(state));
}

Result<Machine> Machine::resume(const Pipeline& pipeline, Journal journal, const MachineOptions& options,
                                std::uint64_t now_ms) {
  PLUMB_REQUIRE(!journal.entries().empty(), "a journal has a first entry");
  auto state = std::make_unique<MachineState>();
  state->pipeline = pipeline;
  state->options = options;
  state->journal = std::move(journal);
  state->now_ms = now_ms;
  const Entry& begin = state->journal.begin();
  json::Arena passing;
  const json::Value told = read_begin(begin.data, passing);
  if (begin.name != pipeline.name) {
    return mismatch("the journal is of the pipeline '" + begin.name + "', not of '" + std::string(pipeline.name) + "'");
  }
  const json::Value* run = told.find("run");
  const json::Value* version = told.find("version");
  if (run == nullptr || version == nullptr || !version->is(json::Kind::number)) {
    return mismatch("the first entry does not say which run this is");
  }
  const std::string current = std::to_string(pipeline.version);
  const std::string_view was = version->str();
  if (was.size() > current.size() || (was.size() == current.size() && was > current)) {
    return mismatch("the journal is of version " + std::string(was) + " of the pipeline '" + begin.name +
                    "', this program has version " + current);
  }
  state->id = std::string(run->str());
  state->take_parts(begin.data, told);
  try {
    state->load();
    if (state->state == State::waiting) {
      for (const Entry& entry : std::vector<Entry>(state->journal.entries())) {
        if (entry.kind != EntryKind::attempt) {
          continue;
        }
        const auto found = state->slot_by_key.find(entry.key);
        if (found == state->slot_by_key.end()) {
          continue;
        }
        Slot& slot = *found->second;
        // Also those before one that was handed over.
        const std::uint64_t losses = slot.attempts == slot.handed_over ? 0 : slot.attempts - slot.handovers;
        // What was under way when the run was cancelled is answered `cancelled`, as it was before the host was lost.
        if (slot.has_reply || losses == 0 || state->cancelled_at != 0) {
          continue;
        }
        const Lost usual = effect_type(slot.kind).lost;
        const Lost when_lost = options.lost ? options.lost(slot.kind, slot.request) : usual;
        const std::uint64_t most = when_lost == Lost::never ? 1 : when_lost == usual ? attempts_max : free_attempts_max;
        if (losses >= most && usual != Lost::again) {
          Entry lost;
          lost.kind = EntryKind::reply;
          lost.key = slot.key;
          lost.status = Status::interrupted;
          lost.error = "the host was lost while this was under way";
          Reply reply;
          reply.status = lost.status;
          reply.error = lost.error;
          state->set_reply(slot, std::move(reply), state->append(std::move(lost)));
        }
      }
    }
  } catch (const Stopped& stopped) {
    return stopped.error;
  }
  return Machine(std::move(state));
}

State Machine::step(std::uint64_t now_ms) {
  MachineState& m = *state_;
  if (m.state != State::waiting) {
    return m.state;
  }
  m.now_ms = now_ms;
  ++m.pass;
  m.suspended = false;
  m.outstanding.clear();
  m.abandoned.clear();
  Entry end;
  end.kind = EntryKind::end;
  try {
    if (std::string why = m.full(); !why.empty()) {
      throw Stopped{limit_reached(std::move(why))};
    }
    Run run(*this, m.root, 0);
    Result<Data> result = m.pipeline.function(run);
    PLUMB_REQUIRE(!m.suspended, "a pipeline that waits does not return: none may catch Suspended");
    run.leave();
    if (result) {
      m.state = m.cancelled_at != 0 ? State::cancelled : State::done;
      m.result = result.value();
      end.status = m.cancelled_at != 0 ? Status::cancelled : Status::ok;
      end.data = m.result;
    } else {
      m.state = State::failed;
      m.error = result.error();
    }
  } catch (const Suspended&) {
    return m.state;
  } catch (const Stopped& stopped) {
    m.state = State::failed;
    m.error = stopped.error;
  }
  if (m.state == State::failed) {
    end.status = Status::failed;
    end.error = m.error.message;
    end.key = m.error.where;
  }
  for (const Slot* slot : m.outstanding) {
    if (slot->running) {
      m.abandoned.push_back(slot->key);
    }
  }
  m.outstanding.clear();
  m.append(std::move(end));
  return m.state;
}

State Machine::state() const { return state_->state; }
const Data& Machine::result() const { return state_->result; }
const Error& Machine::error() const { return state_->error; }
const Journal& Machine::journal() const { return state_->journal; }
const std::string& Machine::id() const { return state_->id; }
std::vector<Stored> Machine::take() { return state_->journal.take(); }
const Data* Machine::pin(std::string_view name) const {
  for (const auto& [known, text] : state_->pins) {
    if (known == name) {
      return &text;
    }
  }
  return nullptr;
}

std::vector<std::string> Machine::abandoned() const { return state_->abandoned; }

std::vector<Want> Machine::wanted() const {
  std::vector<Want> out;
  for (const Slot* slot : state_->outstanding) {
    if (!slot->running && !slot->has_reply) {
      out.push_back({slot->key, slot->kind, slot->request, slot->deadline_ms, slot->attempts, slot->since_ms,
                     slot->attempts == slot->handed_over});
    }
  }
  return out;
}

std::vector<Want> Machine::under_way() const {
  std::vector<Want> out;
  for (const Slot* slot : state_->outstanding) {
    if (slot->running && !slot->has_reply) {
      out.push_back({slot->key, slot->kind, slot->request, slot->deadline_ms, slot->attempts, slot->since_ms,
                     slot->attempts == slot->handed_over});
    }
  }
  return out;
}

bool Machine::attempt(std::string_view key, std::uint64_t now_ms) {
  MachineState& m = *state_;
  const auto found = m.slot_by_key.find(std::string(key));
  if (m.state != State::waiting || found == m.slot_by_key.end() || found->second->has_reply || found->second->running) {
    return false;
  }
  Slot& slot = *found->second;
  m.now_ms = now_ms;
  Entry entry;
  entry.kind = EntryKind::attempt;
  entry.key = slot.key;
  entry.name = std::string(effect_type(slot.kind).name);
  entry.count = slot.attempts + 1;
  entry.deadline_ms = slot.deadline_ms;
  if (slot.attempts == 0) {
    slot.hash = slot.request.hash();
    entry.hash = slot.hash;
    entry.data = slot.request;
  }
  try {
    const std::uint64_t number = m.append(std::move(entry));
    if (slot.attempts++ == slot.handed_over) {
      slot.since_ms = m.journal.entries()[static_cast<std::size_t>(number)].at_ms;
    }
  } catch (const Stopped&) {
    return false;  // the next step ends the run with this bound
  }
  slot.running = true;
  return true;
}

bool Machine::hand_over(std::string_view key, std::uint64_t now_ms) {
  MachineState& m = *state_;
  const auto found = m.slot_by_key.find(std::string(key));
  if (m.state != State::waiting || found == m.slot_by_key.end() || found->second->has_reply ||
      !found->second->running || effect_type(found->second->kind).lost == Lost::never) {
    return false;
  }
  Slot& slot = *found->second;
  m.now_ms = now_ms;
  Entry entry;
  entry.kind = EntryKind::handover;
  entry.key = slot.key;
  try {
    m.append(std::move(entry));
  } catch (const Stopped&) {
    return false;  // the journal is full: the next step ends the run
  }
  slot.handed_over = slot.attempts;
  ++slot.handovers;
  slot.running = false;
  return true;
}

bool Machine::reply(std::string_view key, Reply reply, std::uint64_t now_ms) {
  MachineState& m = *state_;
  const auto found = m.slot_by_key.find(std::string(key));
  if (m.state != State::waiting || found == m.slot_by_key.end() || found->second->has_reply) {
    return false;
  }
  Slot& slot = *found->second;
  m.now_ms = now_ms;
  if (reply.ok()) {
    // What the host gives must be what the kind of effect promises.
    const contract::Verdict verdict = contract::check_text(reply_contract(slot.kind), reply.value.text());
    if (!verdict.valid) {
      reply.status = Status::failed;
      reply.error = "the reply is not what '" + std::string(effect_type(slot.kind).name) +
                    "' promises: " + (verdict.findings.empty() ? std::string() : verdict.findings.front().message);
    }
  }
  Entry entry;
  entry.kind = EntryKind::reply;
  entry.key = slot.key;
  entry.status = reply.status;
  entry.error = reply.error;
  entry.data = reply.value;
  const std::uint64_t number = m.append(std::move(entry));
  m.set_reply(slot, std::move(reply), number);
  return true;
}

bool Machine::signal(std::string_view name, Data value, std::uint64_t now_ms) {
  MachineState& m = *state_;
  if (m.state != State::waiting) {
    return false;
  }
  m.now_ms = now_ms;
  Entry entry;
  entry.kind = EntryKind::signal;
  entry.name = std::string(name);
  entry.data = value;
  try {
    m.signals.push_back({std::string(name), m.append(std::move(entry)), std::move(value)});
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

void Machine::cancel(std::string_view why, std::uint64_t now_ms) {
  MachineState& m = *state_;
  if (m.state != State::waiting || m.cancelled_at != 0) {
    return;
  }
  m.now_ms = now_ms;
  Entry entry;
  entry.kind = EntryKind::cancel;
  entry.error = std::string(why);
  m.cancelled_at = m.append(std::move(entry));
}

}  // namespace plumb::run
