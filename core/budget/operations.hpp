// Operations: all budget functions, from JSON to JSON. The command line, the npm package, HTTP and the page call them,
// so all give the same bytes.
//
//   answer(*operation_named("window"), R"({"window":32000,"system":2000,"task":6000,"output":1000})")
//   {"valid":true,"fit":"fits","reason":"16,600 tokens are left ...","window":32000, ... ,"findings":[]}
//
// Every answer has `valid` and `findings`. If `valid` is false, it has no other members, and each finding says what is
// wrong and where (core/budget/request.hpp). Every request may have `model`, `encoding` and `models` (the registry).
// docs/budget.md has all members of all operations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/budget/request.hpp"
#include "core/budget/shares.hpp"
#include "core/budget/window.hpp"
#include "core/json/writer.hpp"

namespace plumb::budget {

struct Operation {
  std::string_view name;     // "window"
  std::string_view summary;  // one line
  // Reads the request, and writes the answer's members unless there was an error.
  void (*run)(Fields& fields, json::Writer& json);
};
std::span<const Operation> operations();
const Operation* operation_named(std::string_view name);

// The largest request in bytes; a larger one is an error.
constexpr std::size_t request_bytes_max = std::size_t{16} << 20;

std::string answer(const Operation& operation, std::string_view request);

// The operations, by file.
void answer_tokens(Fields& fields, json::Writer& json);  // operations_window.cpp
void answer_window(Fields& fields, json::Writer& json);
void answer_size(Fields& fields, json::Writer& json);
void answer_shares(Fields& fields, json::Writer& json);  // operations_context.cpp
void answer_assemble(Fields& fields, json::Writer& json);
void answer_pressure(Fields& fields, json::Writer& json);  // operations_run.cpp
void answer_risk(Fields& fields, json::Writer& json);
void answer_loops(Fields& fields, json::Writer& json);
void answer_assign(Fields& fields, json::Writer& json);  // operations_models.cpp
void answer_models(Fields& fields, json::Writer& json);

// Shared by several operations.
void write_optional(json::Writer& json, std::string_view name, const std::optional<Tokens>& tokens);  // or null
std::string grouped(std::uint64_t number);                                                            // "16,600"
SeverityShares read_severity_shares(Fields& fields);
// Reads `system`, `plan`, `task`, `output` and `margin_percent`.
WindowPlan read_window_amounts(Fields& fields);

}  // namespace plumb::budget
