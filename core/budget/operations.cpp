#include "core/budget/operations.hpp"

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/value.hpp"

namespace plumb::budget {

namespace {

constexpr Operation table[] = {
    {"tokens", "what texts cost in tokens, likely and safe", answer_tokens},
    {"window", "what a task leaves free in a model's window, before anything is done", answer_window},
    {"size", "whether a task's files are too many or too large, and how to cut it", answer_size},
    {"shares", "how a budget for documents is shared out by severity", answer_shares},
    {"assemble", "what goes into a window, and what is cut when not all of it does", answer_assemble},
    {"assign", "which model a task goes to, and why", answer_assign},
    {"pressure", "how full a window is while a run goes on, and what that calls for", answer_pressure},
    {"risk", "signals of a run that goes wrong, and what each calls for", answer_risk},
    {"loops", "calls that go round in circles", answer_loops},
    {"models", "what is known of each model", answer_models},
};

}  // namespace

std::span<const Operation> operations() { return table; }

const Operation* operation_named(std::string_view name) {
  for (const Operation& one : table) {
    if (one.name == name) {
      return &one;
    }
  }
  return nullptr;
}

std::string grouped(std::uint64_t number) {
  std::string out = json::uint_text(number);
  for (std::size_t i = out.size(); i > 3; i -= 3) {
    out.insert(i - 3, 1, ',');
  }
  return out;
}

void write_optional(json::Writer& json, std::string_view name, const std::optional<Tokens>& tokens) {
  json.key(name);
  if (tokens) {
    json.uint(*tokens);
  } else {
    json.null();
  }
}

std::string answer(const Operation& operation, std::string_view request_text) {
  Request request;
  json::Arena arena;
  std::string members;
  if (request_text.size() > request_bytes_max) {
    request.find("maximum", "", "a request has at most " + grouped(request_bytes_max) + " bytes");
  } else {
    const Result<json::Value> read = json::parse(request_text, arena);
    if (!read) {
      request.find("syntax", "",
                   "must be one JSON object: " + read.error().message + " (line " + json::uint_text(read.error().line) +
                       ", column " + json::uint_text(read.error().column) + ")");
    } else {
      Fields fields(request, read.value(), "");
      if (request.valid()) {
        read_shared(request, fields);
        json::Writer json(members);
        json.begin_object();
        operation.run(fields, json);
        json.end_object();
      }
    }
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("valid", request.valid());
  if (request.valid() && members.size() > 2) {
    // The members go beside `valid`, without their braces.
    out += ",";
    out += std::string_view(members).substr(1, members.size() - 2);
  }
  write_findings(json, request);
  json.end_object();
  return out;
}

}  // namespace plumb::budget
