#include "native/proxy/maintenance.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "native/base/file_bytes.hpp"
#include "native/base/file_mark.hpp"
#include "native/proxy/access_log.hpp"
#include "native/proxy/counters_file.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/settings_file.hpp"
#include "native/proxy/span_sender.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr unsigned owner_only = 0600;
constexpr int reads_max = 3;  // of settings that name other files each time; the next look goes on

// plumb.yaml's, and then those of the files that the settings were made of.
std::vector<FileMark> marks_of(const std::string& config, const Settings& settings) {
  std::vector<FileMark> marks = {mark_of(config)};
  for (const std::string& path : settings.files) {
    marks.push_back(mark_of(path));
  }
  return marks;
}

}  // namespace

struct Maintenance::State {
  State(Policy& of, MaintenanceOptions with) : policy(of), options(std::move(with)) {}

  Policy& policy;
  MaintenanceOptions options;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  bool reload = false;
  std::vector<FileMark> config;
  std::vector<FileMark> config_before;  // at the look before: a file that is being written is left for the next look
  FileMark keys;
  std::string keys_file;
  std::uint64_t counters_written = 0;  // Ledger::changes() then
  std::uint64_t counters_at_ms = 0;
  std::string counters_problem;
  std::string recording_problem;
  SpanSender sender;
  std::thread thread;

  void log(std::string_view level, std::string_view event, std::string_view message);
  void look_at_config(bool anyway);
  void look_at_keys(bool anyway);
  void write_counters(bool anyway);
  void write_recording();
  void run();
};

void Maintenance::State::log(std::string_view level, std::string_view event, std::string_view message) {
  policy.tell(level, event, message);
}

void Maintenance::State::look_at_config(bool anyway) {
  if (options.config.empty()) {
    return;
  }
  const std::vector<FileMark> now = marks_of(options.config, *policy.settings());
  const bool settled = now == config_before;
  config_before = now;
  if (!anyway && (now == config || !settled)) {
    return;
  }
  PolicyState& state = policy.state();
  Result<bool> taken = false;
  config = now;
  for (int round = 0; round < reads_max; ++round) {
    const std::vector<std::string> files = policy.settings()->files;
    const Result<std::shared_ptr<const Settings>> read = options.read_settings(options.config);
    taken = read ? policy.replace(read.value(), moment_now()) : Result<bool>(read.error());
    if (!taken || policy.settings()->files == files) {
      break;
    }
    // Files that the settings name for the first time: they may have changed since they were read, so they are marked
    // and all is read once more.
    config = config_before = marks_of(options.config, *policy.settings());
  }
  if (taken) {
    ++state.metrics.reloads;
    log("info", "reload", "plumb.yaml has been read again");
    return;
  }
  ++state.metrics.reloads_refused;
  const std::string problem = sentence(taken.error());
  {
    const std::lock_guard lock(state.mutex);
    state.config_problem = problem;
  }
  log("error", "reload", "refused, the old settings stay: " + problem);
}

void Maintenance::State::look_at_keys(bool anyway) {
  const std::string path = policy.settings()->keys_file;
  const FileMark now = mark_of(path);
  if (!anyway && path == keys_file && now == keys) {
    return;
  }
  keys_file = path;
  keys = now;
  PolicyState& state = policy.state();
  const Result<bool> changed = state.take_keys(*policy.settings());
  if (state.keys_emptied) {
    keys = {};  // and looked at again
  }
  if (!changed || !changed.value()) {
    return;
  }
  std::string problem;
  {
    const std::lock_guard lock(state.mutex);
    problem = state.keys_problem;
  }
  if (problem.empty()) {
    log("info", "keys", "the client keys of " + path + " are accepted again");
  } else {
    log("error", "keys", problem);
  }
}

void Maintenance::State::write_counters(bool anyway) {
  const TimePoint now = moment_now();
  const std::shared_ptr<const Settings> settings = policy.settings();
  const std::uint64_t changes = policy.state().ledger.changes();
  if (settings->counters_file.empty() || changes == counters_written ||
      (!anyway && now.steady_ms() < counters_at_ms + options.counters_ms)) {
    return;
  }
  counters_at_ms = now.steady_ms();
  const std::string text = counters_text(policy.state().ledger.used(now), now.wall_ms / day_ms);
  const Result<bool> written = plumb::write_file(settings->counters_file, text, owner_only);
  if (written) {
    counters_written = changes;
    counters_problem.clear();
    return;
  }
  ++policy.state().metrics.counters_failed;
  const std::string problem = sentence(written.error());
  if (problem != counters_problem) {
    log("error", "counters", "the day's counts would begin anew after a restart: " + problem);
  }
  counters_problem = problem;
}

void Maintenance::State::write_recording() {
  const std::string directory = policy.settings()->record_directory;
  if (directory.empty()) {
    return;
  }
  const Result<bool> written = policy.state().recording.write(directory, moment_now().wall_ms);
  const std::string problem = written ? std::string() : sentence(written.error());
  if (!problem.empty() && problem != recording_problem) {
    log("error", "record", problem);
  }
  recording_problem = problem;
}

void Maintenance::State::run() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    wake.wait_for(lock, std::chrono::milliseconds(options.look_ms), [this] { return stopping || reload; });
    const bool again = reload;
    reload = false;
    lock.unlock();
    look_at_config(again);
    look_at_keys(again);
    write_counters(false);
    write_recording();
    sender.work(policy.state().spans, *policy.settings(), moment_now());
    lock.lock();
  }
}

Maintenance::Maintenance(Policy& policy, MaintenanceOptions options)
    : state_(std::make_unique<State>(policy, std::move(options))) {
  if (!state_->options.read_settings) {
    state_->options.read_settings = [](const std::string& path) { return read_proxy_settings(path); };
  }
  state_->config = state_->config_before = marks_of(state_->options.config, *policy.settings());
  state_->thread = std::thread([this] { state_->run(); });
}

Maintenance::~Maintenance() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
  state_->write_counters(true);
  state_->write_recording();
  state_->sender.finish(state_->policy.state().spans, *state_->policy.settings());
}

void Maintenance::reload() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->reload = true;
  }
  state_->wake.notify_all();
}

}  // namespace plumb::proxy
