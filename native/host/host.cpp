#include "native/host/host.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "native/host/driver.hpp"
#include "native/host/lacking.hpp"
#include "native/host/run_id.hpp"

namespace plumb::host {

namespace {

constexpr std::uint64_t answer_ms = 60'000;
constexpr std::uint64_t wait_max_ms = std::uint64_t{24} * 3600 * 1000;
constexpr std::uint64_t part_bytes_max = std::uint64_t{32} << 20U;

Error host_error(ErrorCode code, std::string message, std::string where = {}) {
  return Error{code, std::move(message), std::move(where), 0, 0};
}

// Why it does not go on, its mutex held; empty: it does.
std::string why_not(const LiveRun& run) {
  return !run.problem.empty() ? run.problem : !run.held.empty() ? run.held : run.blocked;
}

class DrivenHost final : public Host {
 public:
  explicit DrivenHost(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  ~DrivenHost() override { driver_->stop(0); }

  Result<Started> start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options) override;
  Result<ForkStarted> fork(std::string_view id, ForkWish wish, GoOn with) override;
  Result<Summary> resume(std::string_view id, GoOn with, std::string_view by) override;
  Result<bool> cancel(std::string_view id, std::string_view why) override;
  Result<bool> signal(std::string_view id, std::string_view name, run::Data value) override;
  Result<bool> reply(std::string_view id, std::string_view key, const run::Reply& reply) override;
  Result<bool> answer(std::string_view id, std::string_view key, run::Data value) override;
  Result<Summary> summary(std::string_view id) override;
  Result<store::Page> list(const store::ListQuery& query) override;
  Result<store::JournalPart> journal(std::string_view id, std::uint64_t from, std::size_t entries_max) override {
    return driver_->store().journal(id, from, entries_max, part_bytes_max);
  }
  Result<std::shared_ptr<const run::Journal>> snapshot(std::string_view id) override;
  Result<std::unique_ptr<Watch>> watch(std::string_view id, std::uint64_t from) override;
  Result<Summary> wait(std::string_view id, std::uint64_t timeout_ms) override;
  Counts counts() const override { return driver_->counts(); }
  std::string store_problem() override { return driver_->store().problem(); }
  Result<bool> remove(std::string_view id) override { return driver_->store().remove(id); }
  void stop(std::uint64_t grace_ms) override { driver_->stop(grace_ms); }

 private:
  Result<Started> same(const std::string& id);
  std::string made_elsewhere(const store::RunRow& wanted, const Error& why);
  Result<bool> tell(std::string_view id, Event event);

  std::shared_ptr<Driver> driver_;
};

// A run that is there already: given as soon as it is stored.
Result<Started> DrivenHost::same(const std::string& id) {
  if (RunRef run = driver_->runs().find(id)) {
    std::unique_lock<std::mutex> lock(run->mutex);
    run->changed.wait(lock, [&] { return run->is_known_as_stored(); });
    if (run->not_created) {
      return *run->not_created;
    }
    return Started{id, false};
  }
  const Result<store::RunRow> row = driver_->store().find(id);
  if (!row) {
    return row.error();
  }
  if (row.value().state == run::State::waiting && !driver_->others().elsewhere(id)) {
    const Result<RunRef> taken = driver_->take_up(row.value());
    if (!taken) {
      return taken.error();
    }
  }
  return Started{id, false};
}

// The run that another host has made of the same request; empty: there is none.
std::string DrivenHost::made_elsewhere(const store::RunRow& wanted, const Error& why) {
  if (!driver_->others().is_shared() || why.code != ErrorCode::invalid_argument) {
    return {};
  }
  if (!wanted.request_key.empty()) {
    if (const Result<store::RunRow> row = driver_->store().find_request(wanted.owner, wanted.request_key)) {
      return row.value().id;
    }
  }
  const Result<std::vector<store::RunRow>> waiting = driver_->store().waiting();
  for (const store::RunRow& row : waiting ? waiting.value() : std::vector<store::RunRow>()) {
    if (!wanted.fingerprint.empty() && row.fingerprint == wanted.fingerprint) {
      return row.id;
    }
  }
  return {};
}

Result<Started> DrivenHost::start(std::string_view pipeline, pipelines::Prepared prepared, StartOptions options) {
  const pipelines::Known* known = driver_->known(pipeline);
  if (known == nullptr) {
    std::string names;
    for (const pipelines::Known& one : driver_->settings().pipelines) {
      names += (names.empty() ? "" : ", ") + std::string(one.pipeline.name);
    }
    return host_error(ErrorCode::not_found,
                      "there is no pipeline '" + std::string(pipeline) + "'; there are: " + names);
  }
  if (std::optional<Error> lacks = lacking(driver_->fulfiller(), *known)) {
    return *lacks;
  }
  const AskedOf& asked_of = driver_->settings().asked_of;
  prepared.fingerprint = fingerprint_of(prepared, asked_of);
  if (!options.same_as.empty() && options.same_as != prepared.fingerprint) {
    return host_error(ErrorCode::invalid_argument,
                      "the same request is another run here: other providers, contracts, prompts or settings");
  }
  if (!asked_of.empty()) {
    prepared.pins.emplace_back(asked_of_name, run::Data::written(asked_of_pin(asked_of, prepared.input.value())));
  }
  if (!options.project.empty() && !prepared.fingerprint.empty()) {
    prepared.fingerprint = json::sha256_hex(options.project + '\n' + prepared.fingerprint);
  }
  options.request_key = stored_request_key(options.project, options.request_key);
  if (const std::string id = driver_->runs().same_as(prepared.fingerprint, options.owner, options.request_key);
      !id.empty()) {
    return same(id);
  }
  if (!options.request_key.empty()) {
    const Result<store::RunRow> row = driver_->store().find_request(options.owner, options.request_key);
    if (row) {
      return same(row.value().id);
    }
    if (row.error().code != ErrorCode::not_found) {
      return row.error();
    }
  }
  store::RunRow row;
  row.id = new_run_id();
  row.pipeline = std::string(pipeline);
  row.version = known->pipeline.version;
  row.owner = std::move(options.owner);
  row.fingerprint = std::move(prepared.fingerprint);
  row.request_key = std::move(options.request_key);
  row.project = std::move(options.project);
  row.created_ms = driver_->now_ms();
  row.changed_ms = row.created_ms;
  run::Machine machine = run::Machine::start(known->pipeline, row.id, prepared.input, prepared.pins,
                                             driver_->machine_options(), row.created_ms);
  const std::string id = row.id;
  const store::RunRow wanted = row;
  std::string other;
  const Result<RunRef> run = driver_->add(std::move(row), std::move(machine), other);
  if (!run) {
    return run.error();
  }
  if (!other.empty()) {
    return same(other);
  }
  if (std::optional<Error> error = driver_->created(run.value())) {
    other = made_elsewhere(wanted, *error);
    return other.empty() ? Result<Started>(*error) : same(other);
  }
  return Started{id, true};
}

Result<ForkStarted> DrivenHost::fork(std::string_view id, ForkWish wish, GoOn with) {
  const Result<store::RunRow> row = driver_->store().find(id);
  if (!row) {
    return row.error();
  }
  if (const pipelines::Known* known = driver_->known(row.value().pipeline)) {
    if (std::optional<Error> lacks = lacking(driver_->fulfiller(), *known)) {
      return *lacks;
    }
  }
  const Result<std::shared_ptr<const run::Journal>> journal = snapshot(id);
  if (!journal) {
    return journal.error();
  }
  Result<MadeFork> made = make_fork(row.value(), *journal.value(), driver_->settings().pipelines, std::move(wish),
                                    with == GoOn::same ? AskedOf{} : driver_->settings().asked_of,
                                    driver_->machine_options(), driver_->now_ms());
  if (!made) {
    return made.error();
  }
  ForkStarted started{made.value().row.id, made.value().taken, std::move(made.value().left)};
  std::string other;
  const Result<RunRef> run = driver_->add(std::move(made.value().row), std::move(made.value().machine), other);
  if (!run) {
    return run.error();
  }
  if (std::optional<Error> error = driver_->created(run.value())) {
    return *error;
  }
  return started;
}

Result<Summary> DrivenHost::summary(std::string_view id) {
  Result<store::RunRow> row = driver_->store().find(id);
  if (!row) {
    return row.error();
  }
  Summary summary;
  summary.row = std::move(row).value();
  if (const RunRef run = driver_->runs().find(id); run != nullptr && summary.row.state == run::State::waiting) {
    const std::lock_guard<std::mutex> lock(run->mutex);
    summary.problem = why_not(*run);
    summary.stored_again = run->is_stored_again();
    summary.held = !run->held.empty();
    summary.under_way = run->calls.size();
  }
  return summary;
}

// The reason why a run waits is the one of this moment.
Result<store::Page> DrivenHost::list(const store::ListQuery& query) {
  Result<store::Page> page = driver_->store().list(query);
  if (!page) {
    return page;
  }
  for (store::RunRow& row : page.value().runs) {
    const RunRef run = row.state == run::State::waiting ? driver_->runs().find(row.id) : nullptr;
    if (run != nullptr) {
      const std::lock_guard<std::mutex> lock(run->mutex);
      row.error = why_not(*run);
    }
  }
  return page;
}

Result<Summary> DrivenHost::resume(std::string_view id, GoOn with, std::string_view by) {
  const Result<store::RunRow> row = driver_->store().find(id);
  if (!row) {
    return row.error();
  }
  if (row.value().state != run::State::waiting) {
    return host_error(ErrorCode::invalid_argument,
                      "the run has ended (" + std::string(run::state_name(row.value().state)) + ")",
                      "run " + std::string(id));
  }
  if (with != GoOn::same) {
    Event event;
    event.what = Event::What::choice;
    event.with = with;
    event.name = by;
    const Result<bool> told = tell(id, std::move(event));
    return told ? summary(id) : Result<Summary>(told.error());
  }
  if (driver_->others().elsewhere(id)) {
    return summary(id);  // it goes on there
  }
  const Result<RunRef> run = driver_->take_up(row.value());
  if (!run) {
    return run.error();
  }
  return summary(id);
}

// Gives it to the run and waits until it is stored.
Result<bool> DrivenHost::tell(std::string_view id, Event event) {
  if (driver_->stopping()) {
    return host_error(ErrorCode::unavailable, "the host is being stopped");
  }
  RunRef run = driver_->runs().find(id);
  if (run == nullptr && driver_->others().elsewhere(id)) {
    Result<bool> told = driver_->others().tell(std::string(id), event);
    if (told || told.error().code != ErrorCode::not_found) {
      return told;
    }
    run = driver_->runs().find(id);
  }
  const auto answer = std::make_shared<std::promise<Result<bool>>>();
  std::future<Result<bool>> answered = answer->get_future();
  event.answer = std::make_shared<const Answering>([answer](const Result<bool>& how) { answer->set_value(how); });
  if (run != nullptr) {
    driver_->post(run, std::move(event));
  } else {
    const Result<store::RunRow> row = driver_->store().find(id);
    if (!row) {
      return row.error();
    }
    if (row.value().state != run::State::waiting) {
      return false;
    }
    std::vector<Event> first;
    first.push_back(std::move(event));
    const Result<RunRef> taken = driver_->take_up(row.value(), std::move(first));
    if (!taken) {
      return taken.error();
    }
  }
  if (answered.wait_for(std::chrono::milliseconds(answer_ms)) != std::future_status::ready) {
    return host_error(ErrorCode::unavailable, "this was not stored within a minute; the run's summary may say why",
                      "run " + std::string(id));
  }
  return answered.get();
}

Result<bool> DrivenHost::cancel(std::string_view id, std::string_view why) {
  Event event;
  event.what = Event::What::cancel;
  event.name = std::string(why);
  return tell(id, std::move(event));
}

Result<bool> DrivenHost::signal(std::string_view id, std::string_view name, run::Data value) {
  if (name == asked_of_name) {
    return host_error(ErrorCode::invalid_argument, "signals of this name are the host's own", std::string(name));
  }
  Event event;
  event.what = Event::What::signal;
  event.name = std::string(name);
  event.value = std::move(value);
  return tell(id, std::move(event));
}

Result<bool> DrivenHost::answer(std::string_view id, std::string_view key, run::Data value) {
  if (value.value().find("decision") == nullptr) {
    return host_error(ErrorCode::invalid_argument, "an answer is an object with `decision`", "run " + std::string(id));
  }
  Event event;
  event.what = Event::What::answer;
  event.key = std::string(key);
  event.value = std::move(value);
  return tell(id, std::move(event));
}

Result<bool> DrivenHost::reply(std::string_view id, std::string_view key, const run::Reply& reply) {
  std::string value;
  json::Writer json(value);
  json.begin_object().member("status", run::status_name(reply.status)).member("error", reply.error);
  json.key("value").raw(reply.value.is_null() ? "null" : reply.value.text()).end_object();
  Event event;
  event.what = Event::What::answer;
  event.key = std::string(key);
  event.value = run::Data::written(std::move(value));
  return tell(id, std::move(event));
}

Result<std::shared_ptr<const run::Journal>> DrivenHost::snapshot(std::string_view id) {
  if (const RunRef run = driver_->runs().find(id)) {
    std::unique_lock<std::mutex> lock(run->mutex);
    // While a worker has the machine nobody else looks at it; what it works on lasts no longer than a step.
    const bool free = run->changed.wait_for(lock, std::chrono::milliseconds(answer_ms),
                                            [&] { return !run->is_worked_on() || !run->problem.empty(); });
    if (free && !run->is_worked_on() && run->stored > 0 && run->machine) {
      std::shared_ptr<const run::Journal> known = run->snapshot.lock();
      if (known == nullptr || run->snapshot_entries != run->stored) {
        known = std::make_shared<const run::Journal>(run->machine->journal().copy_of(run->stored));
        run->snapshot = known;
        run->snapshot_entries = run->stored;
      }
      return known;
    }
  }
  Result<run::Journal> journal = store::read_journal(driver_->store(), id);
  if (!journal) {
    return journal.error();
  }
  return std::make_shared<const run::Journal>(std::move(journal).value());
}

Result<std::unique_ptr<Watch>> DrivenHost::watch(std::string_view id, std::uint64_t from) {
  const RunRef run = driver_->runs().find(id);
  const Result<store::RunRow> row = driver_->store().find(id);
  if (!row) {
    return row.error();
  }
  if (from > row.value().entries) {
    return host_error(ErrorCode::invalid_argument,
                      "the run has " + std::to_string(row.value().entries) + " entries; entry " + std::to_string(from) +
                          " is not the next one",
                      "run " + std::string(id));
  }
  Result<std::shared_ptr<WatchState>> state =
      driver_->watches().open(run, row.value().entries, row.value().state != run::State::waiting);
  if (!state) {
    return state.error();
  }
  if (run == nullptr && row.value().state == run::State::waiting) {
    driver_->others().watch(std::string(id), state.value());
  }
  return std::unique_ptr<Watch>(std::make_unique<RunWatch>(driver_->store(), std::string(id), from, state.value(),
                                                           [weak = std::weak_ptr<Driver>(driver_)] {
                                                             if (const auto driver = weak.lock()) {
                                                               driver->watches().closed();
                                                             }
                                                           }));
}

Result<Summary> DrivenHost::wait(std::string_view id, std::uint64_t timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::min(timeout_ms, wait_max_ms));
  std::uint64_t seen = 0;
  for (;;) {
    if (const RunRef run = driver_->runs().find(id)) {
      std::unique_lock<std::mutex> lock(run->mutex);
      run->changed.wait_until(lock, until, [&] {
        const bool idle = run->inbox.empty() && run->holder.is(RunHolder::nobody);
        const bool held = !run->held.empty() && run->calls.empty();
        return run->is_over() || (run->phase.is(RunPhase::parked) && run->inbox.empty()) || (held && idle);
      });
      const bool lost = run->phase.is(RunPhase::given_up) && driver_->others().is_shared();
      if (!lost) {
        break;
      }
    }
    Result<Summary> now = summary(id);
    if (!now || now.value().row.state != run::State::waiting || !driver_->others().is_shared() || driver_->stopping()) {
      return now;
    }
    if (!driver_->others().wait_for_change(seen, until)) {
      return summary(id);
    }
  }
  return summary(id);
}

}  // namespace

// The same of somebody else is another run.
std::string stored_request_key(std::string_view project, std::string_view request_key) {
  // A client's key has no line end.
  return project.empty() || request_key.empty() ? std::string(request_key)
                                                : std::string(project) + '\n' + std::string(request_key);
}

std::string fingerprint_of(const pipelines::Prepared& prepared, const AskedOf& asked_of) {
  return prepared.fingerprint.empty() || asked_of.empty()
             ? prepared.fingerprint
             : json::sha256_hex(prepared.fingerprint + "\n" + asked_of_pin(asked_of, prepared.input.value()));
}

Result<std::unique_ptr<Host>> Host::open(store::Store& store, Fulfiller& fulfiller, HostSettings settings) {
  const bool takes_up = settings.take_up;
  const auto driver = std::make_shared<Driver>(store, fulfiller, std::move(settings));
  auto host = std::make_unique<DrivenHost>(driver);
  const Result<std::vector<store::RunRow>> waiting = store.waiting();
  if (!waiting) {
    return waiting.error();
  }
  for (const store::RunRow& row : waiting.value()) {
    if (driver->others().elsewhere(row.id)) {
      continue;
    }
    driver->runs().remember(row);
    if (takes_up) {
      const Result<RunRef> run = driver->take_up(row);
      if (!run) {
        return run.error();
      }
    }
  }
  driver->begin();
  return std::unique_ptr<Host>(std::move(host));
}

}  // namespace plumb::host
