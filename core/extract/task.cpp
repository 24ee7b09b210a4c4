#include "core/extract/task.hpp"

#include <cstdint>
#include <vector>

#include "core/extract/discovery.hpp"
#include "core/extract/extract.hpp"
#include "core/extract/research.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::extract {
namespace {

Error unknown(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "/task", 0, 0}; }

std::string_view string_of(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  return value != nullptr && value->is(json::Kind::string) ? value->str() : std::string_view();
}

// A member as JSON text; a string is taken as JSON text itself, as a model wrote it.
std::string written_member(const json::Value& object, std::string_view name) {
  const json::Value* value = object.find(name);
  if (value == nullptr) {
    return "null";
  }
  return value->is(json::Kind::string) ? std::string(value->str()) : json::value_text(*value);
}

void read_option(const json::Value& options, std::string_view name, std::size_t& out) {
  const json::Value* value = options.find(name);
  std::uint64_t number = 0;
  if (value != nullptr && value->is(json::Kind::number) && json::read_uint(value->str(), number)) {
    out = static_cast<std::size_t>(number < items_max ? number : items_max);
  }
}

// What a task that is there asks for.
Result<std::string> do_task(const json::Value& task) {
  const std::string_view name = string_of(task, "name");
  if (is_research_task(name)) {
    return research(name, task);
  }
  if (name.starts_with("discovery.")) {
    return discovery_answer(name, task);
  }
  if (name.starts_with("boundary.")) {
    return unknown("extract can neither judge nor revise at a boundary: choose a provider with a model");
  }
  const std::string_view kind_name = string_of(task, "kind");
  const std::optional<Kind> kind = kind_named(kind_name);
  if (!kind) {
    return unknown("extract makes quiz, flashcards and mindmap, not '" + std::string(kind_name) +
                   "': choose a provider with a model");
  }
  const json::Value* given = task.find("chunks");
  if (given == nullptr) {
    return unknown("the task has no chunks");
  }
  const Result<std::vector<Chunk>> chunks = read_chunks(*given);
  if (!chunks) {
    return chunks.error();
  }
  if (name == "artifact.plan") {
    Request request;
    if (const json::Value* options = task.find("options")) {
      read_option(*options, "count", request.count);
      read_option(*options, "depth", request.depth);
    }
    return plan(*kind, chunks.value(), request);
  }
  if (name == "artifact.generate") {
    if (task.find("plan") == nullptr) {
      return unknown("the task has no plan");
    }
    return generate(*kind, written_member(task, "plan"), chunks.value());
  }
  if (name == "artifact.judge") {
    if (task.find("artifact") == nullptr) {
      return unknown("the task has no artifact");
    }
    return judge(*kind, written_member(task, "artifact"), chunks.value());
  }
  if (name == "artifact.repair") {
    return repair(*kind, written_member(task, "artifact"), written_member(task, "verdict"),
                  written_member(task, "plan"), chunks.value());
  }
  return unknown("extract plans, generates, judges and repairs artifacts; it does not know the task '" +
                 std::string(name) + "': choose a provider with a model");
}

}  // namespace

Result<std::string> answer_to(const json::Value* task) {
  if (task == nullptr || !task->is(json::Kind::object)) {
    return unknown(
        "extract works from the task of a request, and this request has none: choose a provider with a model");
  }
  return do_task(*task);
}

Result<std::string> reply_to(const json::Value& request) {
  Result<std::string> text = answer_to(request.find("task"));
  if (!text) {
    return text.error();
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("text", text.value()).member("finish", "stop");
  json.member("model", "extract").member("provider", "extract").key("usage").begin_object();
  json.member_uint("input_tokens", 0).member_uint("output_tokens", 0).end_object().end_object();
  return out;
}

}  // namespace plumb::extract
