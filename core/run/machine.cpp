// Drives a run: takes entries, calls the pipeline, and collects wants and notes.

#include "core/run/machine.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/contract/check.hpp"
#include "core/json/writer.hpp"
#include "core/run/outcome.hpp"
#include "core/run/run_state.hpp"

namespace plumb::run {

namespace {

constexpr std::uint64_t attempts_max = 2;  // attempts of an effect whose host was lost
// The same for an effect that costs nothing. If its host is lost this often, the effect is the cause.
constexpr std::uint64_t free_attempts_max = 50;
constexpr std::array<std::string_view, 4> states = {"waiting", "done", "failed", "cancelled"};

json::Value read_begin(const Data& begin, json::Arena& arena) {
  Result<json::Value> told = json::parse(begin.text(), arena);
  PLUMB_REQUIRE(static_cast<bool>(told), "the first entry of a journal is JSON");
  return told.value();
}

// The contract for replies of a kind of effect. It is compiled once, for all runs.
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

}  // namespace

std::string_view state_name(State state) { return states[static_cast<std::size_t>(state)]; }

Machine::Machine(std::unique_ptr<MachineState> state) : state_(std::move(state)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

Machine Machine::start(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       const MachineOptions& options, std::uint64_t now_ms) {
  return begin(pipeline, std::move(id), input, pins, {}, options, now_ms);
}

// `fork`: what the first entry says about the run that this one is a fork of, as JSON; empty for none.
Machine Machine::begin(const Pipeline& pipeline, std::string id, const Data& input, const Pins& pins,
                       std::string_view fork, const MachineOptions& options, std::uint64_t now_ms) {
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
  json::Arena passing;  // the tree of the first entry is not kept
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
    return journal_mismatch("the journal is of the pipeline '" + begin.name + "', not of '" +
                            std::string(pipeline.name) + "'");
  }
  const json::Value* run = told.find("run");
  const json::Value* version = told.find("version");
  if (run == nullptr || version == nullptr || !version->is(json::Kind::number)) {
    return journal_mismatch("the first entry does not say which run this is");
  }
  const std::string current = std::to_string(pipeline.version);
  const std::string_view was = version->str();
  if (was.size() > current.size() || (was.size() == current.size() && was > current)) {
    return journal_mismatch("the journal is of version " + std::string(was) + " of the pipeline '" + begin.name +
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
        // Includes attempts before one that was handed over.
        const std::uint64_t losses = slot.attempts == slot.handed_over ? 0 : slot.attempts - slot.handovers;
        // If the run was cancelled, an effect that was in progress is answered `cancelled`, even though its host was
        // lost.
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
    end.reason = m.error.reason;
    end.key = m.error.where;
  }
  for (const Slot* slot : m.outstanding) {
    if (slot->running) {
      m.abandoned.push_back(slot->key);
    }
  }
  m.outstanding.clear();
  if (m.pipeline.came_to != nullptr) {
    Journal ended = m.journal.prefix(m.journal.entries().size());
    ended.append(end);
    end.outcome = Data::of(m.pipeline.came_to(ended));
  }
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
    // The host's value must keep the contract of its kind.
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
