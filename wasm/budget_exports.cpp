// plumb-budget.wasm: budgets, estimates of tokens, pressure, risk and loops (core/budget/operations.hpp), behind the C
// ABI of wasm/abi.hpp. wasm/package/src/budget.ts loads it when it is wanted. It holds nothing of contracts, so a page
// that only budgets loads nothing else of size.
//
// One call: {operation, request: text} answers with what the operation writes; nothing is kept between calls.
#include <cstdint>
#include <string>

#include "core/budget/operations.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_json.hpp"

namespace {

using plumb::Result;
using plumb::json::Value;
using namespace plumb::wasm;

// {version, operations: [{name, summary}]}
Result<std::string> about(const Value&) {
  std::string out;
  plumb::json::Writer json(out);
  json.begin_object().member("version", PLUMB_VERSION).key("operations").begin_array();
  for (const plumb::budget::Operation& one : plumb::budget::operations()) {
    json.begin_object().member("name", one.name).member("summary", one.summary).end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> budget(const Value& request) {
  const plumb::budget::Operation* operation = plumb::budget::operation_named(view_text(request, "operation"));
  if (operation == nullptr) {
    return plumb::Error{plumb::ErrorCode::not_found, "there is no such operation", "", 0, 0};
  }
  return plumb::budget::answer(*operation, view_text(request, "request"));
}

}  // namespace

PLUMB_EXPORT(plumb_budget_about)(std::uint32_t size)->std::uint32_t { return answer(size, about); }
PLUMB_EXPORT(plumb_budget)(std::uint32_t size)->std::uint32_t { return answer(size, budget); }
