// `plumb serve`.
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/json/members.hpp"
#include "native/base/edge_build.hpp"
#include "native/base/log.hpp"
#include "native/base/random_seed.hpp"
#include "native/base/version.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/keys_place.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/run_settings.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/served_events.hpp"
#include "native/cli/served_proxy.hpp"
#include "native/cli/served_sample.hpp"
#include "native/cli/store_file.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/work_setup.hpp"
#include "native/control/counted_fulfiller.hpp"
#include "native/control/server.hpp"
#include "native/host/file_reads.hpp"
#include "native/host/host.hpp"
#include "native/host/isolated_call.hpp"
#include "native/host/measured_judges.hpp"
#include "native/host/routes.hpp"
#include "native/host/workers.hpp"
#include "native/proxy/key_changes.hpp"
#include "native/proxy/project_keys.hpp"
#include "native/proxy/time_point.hpp"
#include "native/store/open_store.hpp"
#include "native/workflow/results.hpp"

namespace plumb::cli {

namespace {

// How long requests under way may take then.
constexpr time_t stop_requests_s = 30;

// Where the binary is, wherever it was started from: "../web" of a build, else "../share/plumbline/web" of a package.
std::string default_web_folder() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) == path.size()) {
    return "";
  }
  path.resize(static_cast<std::size_t>(size));
  path.resize(path.rfind('/'));
  const std::string built = path + "/../web";
  return ::access((built + "/index.html").c_str(), R_OK) == 0 ? built : path + "/../share/plumbline/web";
}

// Flag, else variable, else the built-in value.
std::string setting(const Arguments& arguments, std::string_view flag, const char* variable,
                    std::string_view otherwise) {
  if (arguments.has(flag)) {
    return arguments.text(flag);
  }
  const char* said = std::getenv(variable);
  return said != nullptr && *said != '\0' ? std::string(said) : std::string(otherwise);
}

Result<control::ServerSettings> server_settings(const Arguments& arguments) {
  control::ServerSettings settings;
  settings.host = setting(arguments, "--host", "PLUMB_HOST", settings.host);
  const std::string port = setting(arguments, "--port", "PLUMB_PORT", "8787");
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), settings.port);
  if (failed != std::errc() || end != port.data() + port.size() || settings.port < 0 || settings.port > 65535) {
    return Error{ErrorCode::invalid_argument, "must be a whole number from 0 to 65535, not '" + port + "'",
                 arguments.has("--port") ? "--port" : "PLUMB_PORT", 0, 0};
  }
  const Result<std::uint64_t> body = arguments.size("--max-body", settings.body_bytes_max, 200U << 20);
  if (!body) {
    return body.error();
  }
  settings.body_bytes_max = body.value();
  settings.web = arguments.text("--web", default_web_folder());
  return settings;
}

// SIGINT, SIGTERM and SIGHUP are taken by one thread that waits for them; every thread made after this inherits the
// mask.
sigset_t blocked_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Until the time is up, or another signal to end has come.
void wait_or_signal(const sigset_t& signals, std::uint64_t ms) {
  sigset_t ending = signals;
  sigdelset(&ending, SIGHUP);
  const timespec delay{static_cast<time_t>(ms / 1'000), static_cast<long>(ms % 1'000 * 1'000'000)};
  if (ms != 0) {
    sigtimedwait(&ending, nullptr, &delay);
  }
}

// Serves until a signal comes. The waiting thread ends with the process: after the first signal it waits for the
// requests under way, but not for ever, and for a second one, which does not wait at all. It must not touch the server
// once that has stopped running. SIGHUP reads the proxy's configuration again.
void serve_until_told(control::Server& server, const sigset_t& signals, host::Host& runs, ServedProxy* proxy,
                      std::atomic<bool>& not_ready) {
  struct Stopping {
    std::mutex mutex;
    bool over = false;
    std::thread proxy;
  };
  const auto stopping = std::make_shared<Stopping>();
  const auto grace_s =
      proxy == nullptr ? 0 : static_cast<time_t>(proxy->policy().settings()->bounds.grace_ms / 1'000) + 2;
  std::thread([signals, &server, &runs, &not_ready, proxy, stopping, grace_s] {
    int got = 0;
    while (sigwait(&signals, &got) == 0 && got == SIGHUP) {
      const std::lock_guard<std::mutex> lock(stopping->mutex);
      if (proxy != nullptr && !stopping->over) {
        proxy->maintenance().reload();
      }
    }
    if (got == SIGTERM && proxy != nullptr) {
      // Both ports go on answering while /readyz says no, so that whoever shares out the load has time to see it.
      not_ready = true;
      proxy->policy().set_stopping();
      wait_or_signal(signals, proxy->policy().settings()->bounds.stop_delay_ms);
    }
    {
      const std::lock_guard<std::mutex> lock(stopping->mutex);
      if (!stopping->over) {
        if (proxy != nullptr) {
          stopping->proxy = std::thread([proxy] { proxy->stop(); });
        }
        server.stop();
      }
    }
    sigset_t ending = signals;
    sigdelset(&ending, SIGHUP);
    const timespec patience{std::max(stop_requests_s, grace_s), 0};
    if (sigtimedwait(&ending, nullptr, &patience) > 0) {
      ::_exit(exit_undecided);
    }
    const std::lock_guard<std::mutex> lock(stopping->mutex);
    if (!stopping->over) {
      log_warn("requests that do not end are left alone");
      runs.stop(0);
      close_log();
      ::_exit(exit_clean);
    }
  }).detach();
  server.run();
  std::thread proxy_end;
  {
    const std::lock_guard<std::mutex> lock(stopping->mutex);
    proxy_end = std::move(stopping->proxy);
  }
  if (proxy_end.joinable()) {
    proxy_end.join();
  }
  const std::lock_guard<std::mutex> lock(stopping->mutex);
  stopping->over = true;
}

// Where this machine reaches it.
std::string server_address(const std::string& host, const control::Server& server) {
  const std::string shown = host.find(':') != std::string::npos ? "[" + host + "]"
                            : host == "0.0.0.0"                 ? "127.0.0.1"
                                                                : host;
  return "http://" + shown + ":" + std::to_string(server.port());
}

std::string address_line(const std::string& host, const control::Server& server) {
  return "Plumbline is at " + server_address(host, server) + "/" +
         (server.has_page() ? "" : " (no page: it is not built, see ./dev build)") + ". Ctrl-C ends it.\n";
}

void log_of_store(store::StoreTold kind, const std::string& text) { log_at(level_of(kind), "the store ", text); }

// Keys of projects open their runs: those that the proxy knows, else those of the file that it would have.
control::FindKey project_keys(const Arguments& arguments, ServedProxy* proxy) {
  if (proxy != nullptr) {
    return [&policy = proxy->policy()](std::string_view text) {
      return proxy::project_of_key(text, *policy.keys(), proxy::moment_now().wall_ms);
    };
  }
  const Result<KeysPlace> place = keys_place(arguments);
  const auto told = [](std::string_view problem) {
    if (problem.empty()) {
      log_info("the client keys are accepted again");
    } else {
      log_error("client keys: ", problem);
    }
  };
  const auto book = std::make_shared<proxy::KeyBook>(place ? place.value().file : std::string(), told);
  return
      [book](std::string_view text) { return proxy::project_of_key(text, *book->keys(), proxy::moment_now().wall_ms); };
}

// Patterns of a run's approved reviews become conventions of its repository, as after `plumb workflow run`.
void learn_from(store::Store& store, const workflow::Repositories& all, const std::string& id) {
  if constexpr (edge_build) {
    return;
  }
  const Result<store::RunRow> row = store.find(id);
  if (!row || row.value().pipeline != "workflow") {
    return;
  }
  const host::CallOutcome outcome = host::isolated_call([&store, &all, id] {
    const Result<run::Journal> journal = store::read_journal(store, id);
    const json::Value* input = journal ? journal.value().begin().data.value().find("input") : nullptr;
    const auto names = input == nullptr ? std::vector<std::string>() : json::texts_of(*input, "repositories");
    const auto on = names.empty() ? all.by_name.end() : all.by_name.find(names.front());
    if (on == all.by_name.end()) {
      return;
    }
    const run::Data view = run::Data::written(pipelines::known_pipeline("workflow")->view(journal.value()));
    if (const Result<bool> learnt = workflow::learn(all.at(on->second), view.value()); !learnt) {
      log_warn("conventions of ", on->first, ": ", learnt.error().message);
    }
  });
  if (!outcome.finished) {
    log_error("conventions of run ", id, ": ", outcome.problem);
  }
}

// Who may ask what of the control port.
Result<control::Access> access_to(const Arguments& arguments, const std::string& host) {
  Result<control::Access> access =
      control::Access::make(host, setting(arguments, "--token", "PLUMB_TOKEN", ""), arguments.list("--allow-host"));
  if (!access) {
    return access;
  }
  if (const std::string reader = setting(arguments, "--metrics-token", "PLUMB_METRICS_TOKEN", ""); !reader.empty()) {
    if (const std::optional<Error> error = access.value().set_metrics_token(reader)) {
      return *error;
    }
  }
  if (const std::optional<Error> error = access.value().set_origins(arguments.list("--allow-origin"))) {
    return *error;
  }
  return access;
}

// What of the host's work is said, and which repositories hold nothing.
void tell_of_work(ReadyWork& work) {
  for (const std::string& one : work.told) {
    note(one);
  }
  for (auto& [name, one] : work.repositories.by_name) {
    if (!one.not_held) {
      continue;
    }
    note("no workflow is begun in the repository '" + name + "': " + error_line(*one.not_held));
    one.not_held->message += "; then start the server again";
  }
}

// What runs are served with, as options and plumb.yaml say.
struct Declared {
  ReadyProviders models;
  ReadySearch searches;
  pipelines::Texts texts;
  RunSettings runs;
  EventsSection events;
};

Result<Declared> declared_by(const Arguments& arguments) {
  Result<ReadyProviders> models = ready_providers(arguments);
  if (!models) {
    return models.error();
  }
  Result<ReadySearch> searches = ready_search(arguments);
  if (!searches) {
    return searches.error();
  }
  Result<pipelines::Texts> texts = pipeline_texts(arguments, models.value().choices);
  if (!texts) {
    return texts.error();
  }
  Result<RunSettings> kept = run_settings(arguments);
  if (!kept) {
    return kept.error();
  }
  Result<EventsSection> told = events_section(arguments);
  if (!told) {
    return told.error();
  }
  return Declared{std::move(models).value(), std::move(searches).value(), std::move(texts).value(),
                  std::move(kept).value(), std::move(told).value()};
}

void add_effects(host::Routes& effects, const Declared& declared, ReadyWork& work) {
  add_work(effects, work);
  effects.add(run::EffectKind::model, *declared.models.fulfiller);
  if (declared.searches.fulfiller) {
    effects.add(run::EffectKind::search, *declared.searches.fulfiller);
    declared.searches.fulfiller->prepare();
  }
}

void tell_control(control::Control& control, const Declared& declared, const std::map<std::string, std::string>& roots,
                  ReadyWork& work) {
  control.texts.root = [known_roots = roots](std::string_view name) {
    Result<bool> known = host::known_root(known_roots, name);
    if (known) {
      return known;
    }
    Error error = known.error();
    error.message += " (plumb serve --root NAME=DIR)";
    return Result<bool>(error);
  };
  work.tell(control.texts);
  control.repositories = work.repositories;
  control.trees = work.worktree.get();
  for (const auto& [name, folder] : roots) {
    control.roots.push_back(name);
  }
  control.searches = declared.searches.fulfiller != nullptr;
  for (const provider::Choice& choice : declared.models.also) {
    control.texts.also.push_back(choice.said.text);
  }
}

host::HostSettings settings_of_host(const Declared& declared, const std::map<std::string, std::string>& roots,
                                    const ReadyWork& work, control::EndedJobs& ended_jobs) {
  host::HostSettings settings;
  settings.asked_of = declared.models.asked_of;
  for (const host::AskedOf& more : {declared.searches.asked_of, asked_of_roots(roots), work.asked_of}) {
    settings.asked_of.insert(settings.asked_of.end(), more.begin(), more.end());
  }
  settings.store_fails = [](std::string_view problem) {
    if (problem.empty()) {
      log_warn("the store can be written again");
    } else {
      log_error("the store ", problem, "; runs wait until it can be written");
    }
  };
  settings.lost = [](std::string_view id, std::string_view why) {
    log_warn("run ", id, " is not driven here any more: ", why);
  };
  settings.ended_elsewhere = [&ended_jobs](std::string_view id) { ended_jobs.tell(id); };
  return settings;
}

// Nothing where nobody is told of events.
Result<std::unique_ptr<ServedEvents>> open_events(const EventsSection& told, const store::StoreSettings& kept_in,
                                                  store::Store& store, control::Control& control) {
  if (told.nats.empty()) {
    return std::unique_ptr<ServedEvents>();
  }
  if (edge_build) {
    return Error{ErrorCode::unavailable, "this plumb is the small one for edges: it tells of no workflows",
                 "plumb.yaml events", 0, 0};
  }
  return ServedEvents::open(told, kept_in, store, control);
}

// Told at once, learnt from behind the others.
std::function<void(std::string_view)> when_ended(control::EndedJobs& ended_jobs, host::Workers& learning,
                                                 store::Store& store, const workflow::Repositories& all) {
  return [&ended_jobs, &learning, &store, &all](std::string_view id) {
    log_event(LogLevel::info, "run", {{"run", id}}, concat("run ", id, " has ended"));
    ended_jobs.tell(id);
    learning.give([&store, &all, run = std::string(id)] { learn_from(store, all, run); });
  };
}

// The port; the page too, where it is asked for.
Result<std::unique_ptr<control::Server>> bind(const Arguments& arguments, const control::ServerSettings& settings,
                                              control::Access& access, control::Control& control) {
  const Result<std::uint64_t> steps =
      arguments.number("--check-steps", control::check_steps_usual, 0, 1'000'000'000'000);
  if (!steps) {
    return steps.error();
  }
  control.check_steps_max = steps.value();
  control.hash_seed = random_seed();
  Result<std::unique_ptr<control::Server>> bound = control::Server::bind(settings, access, control);
  if (bound && arguments.has("--web") && !bound.value()->has_page()) {
    return Error{ErrorCode::not_found, "no index.html in this folder; ./dev build makes the page in build/web",
                 settings.web, 0, 0};
  }
  return bound;
}

// Client keys over the control port: those of the proxy, else those of the file that it would have.
control::KeysView keys_view(const Arguments& arguments, ServedProxy* proxy) {
  const Result<KeysPlace> place = keys_place(arguments);
  const auto file = [proxy, otherwise = place]() -> Result<std::string> {
    if (proxy == nullptr) {
      return otherwise ? Result<std::string>(otherwise.value().file) : Result<std::string>(otherwise.error());
    }
    const std::string& known = proxy->policy().settings()->keys_file;
    return known.empty()
               ? Result<std::string>(Error{ErrorCode::not_found,
                                           "There are no client keys here: plumb.yaml has `keys: none`.", "", 0, 0})
               : Result<std::string>(known);
  };
  control::KeysView view =
      proxy::keys_over_http(file, [proxy] { return proxy == nullptr ? nullptr : proxy->policy().settings(); });
  if (proxy != nullptr) {
    view.token = [proxy](const json::Value& wanted, std::string_view client_key) {
      return proxy->policy().sign_token(wanted, client_key, proxy::moment_now());
    };
  }
  return view;
}

void know_measured_judges(control::Control& control, store::Store& store) {
  control.texts.measured = [&store](const judge::JudgeKey& key) {
    const Result<std::optional<judge::Measured>> found = host::measured_judge(store, key);
    return found ? found.value() : std::nullopt;
  };
}

void use_proxy(const Arguments& arguments, ServedProxy* proxy, control::Control& control, control::Access& access) {
  if (proxy != nullptr) {
    control.proxy = proxy_view(proxy->policy());
    control.proxy.port = proxy->port();
    if (!arguments.has("--log")) {
      open_log(proxy->log_kind(), arguments.text("--log-level", "warn"));
    }
  }
  access.set_keys(project_keys(arguments, proxy));
  control.client_keys = keys_view(arguments, proxy);
}

}  // namespace

int run_serve(const Arguments& arguments) {
  if (arguments.has("--sample")) {
    return serve_sample(arguments);
  }
  const Result<control::ServerSettings> settings = server_settings(arguments);
  if (!settings) {
    return fail(settings.error());
  }
  Result<control::Access> access = access_to(arguments, settings.value().host);
  if (!access) {
    return fail(access.error());
  }
  open_log(arguments.text("--log", "text"), arguments.text("--log-level", "warn"));
  host::install_requirement_handler();
  const sigset_t signals = blocked_signals();

  // The port first: a server that cannot have it must not take up runs.
  control::Metrics metrics;
  control::EndedJobs ended_jobs;
  control::AnsweredKeys keys;
  control::Control control{nullptr, pipelines::known_pipelines(), {}, metrics, ended_jobs, keys, std::string(version)};
  Result<std::unique_ptr<control::Server>> bound = bind(arguments, settings.value(), access.value(), control);
  if (!bound) {
    return fail(bound.error());
  }
  control::Server& server = *bound.value();
  Result<std::unique_ptr<ServedProxy>> proxy = open_proxy(arguments);
  if (!proxy) {
    return fail(proxy.error());
  }
  use_proxy(arguments, proxy.value().get(), control, access.value());
  Result<Declared> declared = declared_by(arguments);
  if (!declared) {
    return fail(declared.error());
  }
  control.texts = std::move(declared.value().texts);
  Result<store::StoreSettings> kept_in = store_settings(arguments, false);
  if (!kept_in) {
    return fail(kept_in.error());
  }
  kept_in.value().server = server_address(settings.value().host, server);
  kept_in.value().told = log_of_store;
  Result<std::unique_ptr<store::Store>> store = store::open_store(kept_in.value());
  if (!store) {
    return fail(store.error());
  }
  know_measured_judges(control, *store.value());
  const Result<std::map<std::string, std::string>> roots = declared_roots(arguments);
  if (!roots) {
    return fail(roots.error());
  }
  Result<ReadyWork> work = ready_work(arguments);
  if (!work) {
    return fail(work.error());
  }
  sweep(work.value(), *store.value());
  tell_of_work(work.value());
  tell_control(control, declared.value(), roots.value(), work.value());
  host::FileReads files(roots.value(), {});
  host::Routes effects;
  effects.add(run::EffectKind::read, files);
  add_effects(effects, declared.value(), work.value());
  control::CountedFulfiller fulfiller(effects, metrics);
  host::HostSettings host_settings = settings_of_host(declared.value(), roots.value(), work.value(), ended_jobs);
  host_settings.pipelines = control.pipelines;
  host_settings.keep_ms = declared.value().runs.keep_ms;
  host::Workers learning(1);
  host_settings.ended = when_ended(ended_jobs, learning, *store.value(), work.value().repositories);
  Result<std::unique_ptr<ServedEvents>> opened_events =
      open_events(declared.value().events, kept_in.value(), *store.value(), control);
  if (!opened_events) {
    return fail(opened_events.error());
  }
  ServedEvents* const events = opened_events.value().get();
  if (events != nullptr) {
    host_settings.stored = [events](std::string_view id, std::string_view pipeline) { events->stored(id, pipeline); };
  }
  const Result<std::unique_ptr<host::Host>> runs = host::Host::open(*store.value(), fulfiller, host_settings);
  if (!runs) {
    return fail(runs.error());
  }
  control.host = runs.value().get();
  if (events != nullptr) {
    events->attach();
  }
  if (!write_all(STDOUT_FILENO, address_line(settings.value().host, server) +
                                    (proxy.value() ? proxy.value()->address_line() : std::string()))) {
    return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
  }

  serve_until_told(server, signals, *runs.value(), proxy.value().get(), control.serving->leaving);
  runs.value()->stop(declared.value().runs.stop_grace_ms);
  learning.stop();
  if (events != nullptr) {
    events->stop();
  }
  close_log();
  return exit_clean;
}

}  // namespace plumb::cli
