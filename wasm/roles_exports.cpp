// What a research loop's roles ask of the module beside checks: functions of their requests, as those of
// wasm/author_exports.cpp. In every module that judges texts.
#include <cstdint>
#include <optional>
#include <string>

#include "core/contract/measured.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/roles/clarify.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_verdict.hpp"
#include "wasm/texts.hpp"

using plumb::json::Value;
using namespace plumb::wasm;

bool plumb::wasm::reads_texts() { return true; }

// What Intake would ask. In the buffer: `size` bytes of JSON, a verdict. The result is the tool call, or null.
PLUMB_EXPORT(plumb_clarify)(std::uint32_t size)->std::uint32_t {
  return answer(size, [](const Value& verdict) -> plumb::Result<std::string> {
    const std::optional<plumb::roles::Clarification> asks = plumb::roles::clarify(read_verdict(verdict));
    return asks ? plumb::roles::clarification_json(*asks) : std::string("null");
  });
}

// What a check measures of a history. In the buffer: `size` bytes of JSON, the list.
PLUMB_EXPORT(plumb_measure)(std::uint32_t size)->std::uint32_t {
  return answer(size, [](const Value& history) -> plumb::Result<std::string> {
    return plumb::contract::measure_history(history);
  });
}
