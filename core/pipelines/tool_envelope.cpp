#include "core/pipelines/tool_envelope.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/contract/render.hpp"
#include "core/require.hpp"

namespace plumb::pipelines {

namespace {

constexpr std::string_view backward[] = {"try again",           "retry",         "search again",   "once more",
                                         "again with the same", "call it again", "repeat the call"};

}  // namespace

bool points_forward(std::string_view action) {
  const std::string plain = ascii::lower(action);
  return !action.empty() && std::none_of(std::begin(backward), std::end(backward),
                                         [&](std::string_view one) { return plain.find(one) != std::string::npos; });
}

std::string envelope(std::string_view result, const std::function<void(json::Writer&)>& members,
                     std::string_view action) {
  PLUMB_REQUIRE(points_forward(action), "the action of a tool's answer points forward");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("result", result);
  if (members) {
    members(json);
  }
  json.member("action", action).end_object();
  return out;
}

std::string failed_envelope(std::string_view error, std::string_view action) {
  return envelope(
      "error", [&](json::Writer& json) { json.member("error", error); }, action);
}

std::string unknown_tool_envelope(std::string_view tool, std::span<const std::string_view> known) {
  return envelope(
      "error",
      [&](json::Writer& json) {
        json.member("error", "there is no tool '" + json::excerpt(tool, 60) + "'").key("tools").begin_array();
        for (const std::string_view one : known) {
          json.string(one);
        }
        json.end_array();
      },
      "Use one of the tools that there are, or answer without one.");
}

std::string invalid_arguments_envelope(std::string_view tool, const contract::Verdict& verdict,
                                       std::string_view arguments) {
  if (verdict.count(contract::Severity::error) == 0) {
    return failed_envelope("the arguments of '" + std::string(tool) + "' are not complete; nothing was done");
  }
  return contract::render_llm(verdict, tool, "", arguments);
}

}  // namespace plumb::pipelines
