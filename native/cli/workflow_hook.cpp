#include "native/cli/workflow_hook.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/workflow/gate_results.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t said_max = std::size_t{1} << 20U;
constexpr std::chrono::seconds said_within{5};
constexpr std::size_t shown_max = 4'000;

std::string standard_input() {
  std::string out;
  if (is_terminal(STDIN_FILENO)) {
    return out;
  }
  const auto end = std::chrono::steady_clock::now() + said_within;
  std::array<char, 65'536> piece{};
  while (out.size() < said_max) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) {
      break;
    }
    const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (size <= 0) {
      break;
    }
    out.append(piece.data(), static_cast<std::size_t>(size));
  }
  return out;
}

}  // namespace

AgentSays read_agent() {
  const std::string text = standard_input();
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  AgentSays out;
  if (read && read.value().is(json::Kind::object)) {
    out.stopped_before = json::flag_of(read.value(), "stop_hook_active");
    out.folder = json::text_of(read.value(), "cwd");
  }
  return out;
}

int answer_agent(const AgentSays& agent, const std::string& feedback, const std::string& for_user) {
  if (!feedback.empty() && !agent.stopped_before) {
    write_all(STDERR_FILENO, feedback);
    return exit_undecided;
  }
  std::string shown = for_user;
  if (!feedback.empty()) {
    shown = "The agent was held back once and stops now, though the check still fails:\n" +
            workflow::first_and_last(feedback, shown_max) + (for_user.empty() ? "" : "\n" + for_user);
  }
  if (!shown.empty()) {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("systemMessage", "plumb workflow check: " + shown).end_object();
    write_all(STDOUT_FILENO, out + "\n");
  }
  return exit_clean;
}

int tell_user(const Error& error) {
  complain("the work was not checked: " + error_line(error));
  return exit_findings;
}

}  // namespace plumb::cli
