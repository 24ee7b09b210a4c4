#include "native/mcp/known_tools.hpp"

#include <algorithm>

#include "core/text/steps.hpp"

namespace plumb::mcp {

namespace {

// Servers without a handshake say how long a list holds (`ttlMs`), most of them 0. A list is asked for at most once a
// minute, and at least once an hour.
constexpr std::uint64_t holds_ms_min = 60'000;
constexpr std::uint64_t holds_ms_max = 3'600'000;
constexpr std::uint64_t schema_steps_max = 20'000'000;

std::uint64_t holds_until(const Message& listed, std::uint64_t now_ms) {
  const json::Value* said = listed.in_result("ttlMs");
  if (said == nullptr) {
    return 0;
  }
  std::uint64_t ms = 0;
  for (const char c : said->str()) {
    if (c < '0' || c > '9' || ms > holds_ms_max) {
      break;
    }
    ms = ms * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return now_ms + std::clamp(ms, holds_ms_min, holds_ms_max);
}

}  // namespace

std::string_view side_name(Side side) { return side == Side::arguments ? "arguments" : "result"; }
std::string_view schema_name(Side side) { return side == Side::arguments ? "inputSchema" : "outputSchema"; }

void KnownTools::learn(const Message& listed, std::uint64_t now_ms) {
  const json::Value* tools = listed.in_result("tools");
  const std::lock_guard<std::mutex> lock(mutex_);
  if (tools != nullptr) {
    for (const json::Value& one : tools->array()) {
      const json::Value* name = one.find("name");
      if (name == nullptr || !name->is(json::Kind::string)) {
        continue;
      }
      if (tools_.size() >= tools_max && tools_.find(name->str()) == tools_.end()) {
        continue;
      }
      Tool& tool = tools_[std::string(name->str())];
      for (const Side side : {Side::arguments, Side::result}) {
        const json::Value* schema = one.find(schema_name(side));
        const std::string_view text = schema == nullptr ? std::string_view() : listed.slice(*schema);
        Kept& kept = tool.sides[static_cast<std::size_t>(side)];
        if (kept.text != text) {
          kept = Kept{std::string(text), false, nullptr};
        }
      }
    }
  }
  const json::Value* more = listed.in_result("nextCursor");
  if (more == nullptr || !more->is(json::Kind::string) || more->str().empty()) {
    known_ = true;
    until_ms_ = holds_until(listed, now_ms);
  }
}

bool KnownTools::known(std::uint64_t now_ms) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return known_ && (until_ms_ == 0 || now_ms < until_ms_);
}

void KnownTools::stale() {
  const std::lock_guard<std::mutex> lock(mutex_);
  known_ = false;
}

Schema KnownTools::schema(std::string_view tool, Side side) {
  std::string text;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = tools_.find(tool);
    if (found == tools_.end()) {
      return {};
    }
    const Kept& kept = found->second.sides[static_cast<std::size_t>(side)];
    if (kept.text.empty()) {
      return {};
    }
    if (kept.compiled) {
      return {true, kept.contract, {}};
    }
    text = kept.text;
  }
  text::Steps steps(steps_max_ == 0 ? 0 : std::min(steps_max_, schema_steps_max));
  contract::ReadOptions options;
  options.name = schema_name(side);
  options.steps = &steps;
  const Result<contract::Contract> read = contract::Contract::read(text, options);
  Schema out;
  out.there = true;
  if (read) {
    out.contract = std::make_shared<const contract::Contract>(read.value());
  } else {
    out.problem = read.error().message + (read.error().where.empty() ? "" : " (at " + read.error().where + ")");
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = tools_.find(tool);
  if (found == tools_.end()) {
    return out;
  }
  Kept& kept = found->second.sides[static_cast<std::size_t>(side)];
  if (kept.text == text && !kept.compiled) {
    kept.compiled = true;
    kept.contract = out.contract;
  } else {
    out.problem.clear();  // another thread has told it
  }
  return out;
}

}  // namespace plumb::mcp
