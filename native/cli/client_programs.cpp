#include "native/cli/client_programs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "core/run/person.hpp"
#include "native/process/command.hpp"

extern char** environ;

namespace plumb::cli {

namespace {

constexpr std::size_t at_once = 8;
constexpr std::uint64_t answer_bytes_max = std::uint64_t{16} << 20U;
constexpr std::size_t error_shown_max = 300;

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> out;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string_view text = *one;
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return out;
}

// Where a program may write: as declared commands that run without isolation.
std::vector<std::string> writable_folders(const std::string& folder) {
  std::vector<std::string> out = {folder, "/tmp"};
  for (const char* name : {"HOME", "TMPDIR"}) {
    if (const char* path = std::getenv(name); path != nullptr && *path == '/') {
      out.emplace_back(path);
    }
  }
  return out;
}

std::string this_folder() {
  char* path = ::getcwd(nullptr, 0);
  std::string out = path == nullptr ? "/" : path;
  std::free(path);
  return out;
}

// Why a program has not answered; empty: it has.
std::string failed_how(const process::Outcome& outcome, std::uint64_t time_ms) {
  std::string why;
  if (outcome.end == process::End::timed_out) {
    return "its program did not answer within " + std::to_string(time_ms) + " ms";
  }
  if (outcome.end == process::End::too_much_output) {
    return "its program wrote more than 16 MB";
  }
  if (outcome.end == process::End::signalled) {
    why = "its program was ended by signal " + std::to_string(outcome.signal);
  } else if (outcome.exit_code != 0) {
    why = "its program ended with exit code " + std::to_string(outcome.exit_code);
  }
  const std::string said = outcome.err.text();
  const std::size_t last = said.find_last_not_of(" \n\r\t");
  if (!why.empty() && last != std::string::npos) {
    const std::size_t from = said.find_last_of('\n', last);
    why += ": " + json::excerpt(said.substr(from == std::string::npos ? 0 : from + 1), error_shown_max);
  }
  return why;
}

}  // namespace

struct ClientPrograms::Shared {
  Programs programs;
  std::string folder = this_folder();
  std::vector<std::string> writable = writable_folders(folder);
  std::vector<std::pair<std::string, std::string>> variables = environment();
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<process::Stop>, std::less<>> under_way;

  const std::string* program_for(const host::EffectCall& call) const {
    const json::Value* question = call.request.value().find("question");
    for (const auto& [what, line] : programs) {
      if (question != nullptr && run::asks_client(call.kind, call.request.value()) &&
          json::text_of(*question, "what") == what) {
        return &line;
      }
    }
    return nullptr;
  }

  run::Reply answer(const host::EffectCall& call, const std::string& line, process::Stop& stop) const {
    const json::Value& request = call.request.value();
    process::Command command;
    command.argv = {"/bin/sh", "-c", line};
    command.folder = folder;
    command.environment = variables;
    command.input = json::value_text(*request.find("question")) + "\n";
    command.writable = writable;
    command.network = true;
    command.as_user = true;
    command.most = process::Isolation::partial;
    command.limits.time_ms = call.deadline_ms > 0 ? call.deadline_ms : command.limits.time_ms;
    command.limits.output_max = answer_bytes_max;
    command.limits.first_bytes = answer_bytes_max;
    command.limits.file_max = 0;
    const Result<process::Outcome> outcome = process::run(command, &stop);
    if (!outcome) {
      return pipelines::client_failure(request, outcome.error().message);
    }
    if (const std::string why = failed_how(outcome.value(), command.limits.time_ms); !why.empty()) {
      return pipelines::client_failure(request, why);
    }
    json::Arena arena;
    const std::string text = outcome.value().out.text();
    const Result<json::Value> answered = json::parse(text, arena);
    if (!answered) {
      return pipelines::client_failure(request,
                                       "its program did not write one line of JSON: " + answered.error().message);
    }
    const Result<run::Reply> reply = pipelines::client_reply(request, answered.value());
    return reply ? reply.value()
                 : pipelines::client_failure(
                       request,
                       reply.error().message + (reply.error().where.empty() ? "" : " (" + reply.error().where + ")"));
  }
};

ClientPrograms::ClientPrograms(Programs programs, host::Fulfiller& others)
    : shared_(std::make_shared<Shared>()), others_(others), workers_(at_once) {
  shared_->programs = std::move(programs);
}

void ClientPrograms::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  const std::string* line = shared_->program_for(call);
  if (line == nullptr) {
    others_.begin(std::move(call), std::move(done));
    return;
  }
  const auto stop = std::make_shared<process::Stop>();
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->under_way[call.key] = stop;
  }
  const auto held = std::make_shared<host::EffectCall>(std::move(call));
  workers_.give([shared = shared_, held, line, stop, done = std::move(done)] {
    run::Reply reply = shared->answer(*held, *line, *stop);
    {
      const std::lock_guard<std::mutex> lock(shared->mutex);
      shared->under_way.erase(held->key);
    }
    done(std::move(reply));
  });
}

void ClientPrograms::stop(std::string_view run, std::string_view key) {
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    if (const auto found = shared_->under_way.find(key); found != shared_->under_way.end()) {
      found->second->now();
      return;
    }
  }
  others_.stop(run, key);
}

}  // namespace plumb::cli
