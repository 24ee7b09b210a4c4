#include "native/provider/extract_answer.hpp"

#include <optional>
#include <vector>

#include "core/extract/extract.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"

namespace plumb::provider {

namespace {

Error refused(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

// A member as JSON text. A text is taken as it is: an artifact that is no JSON is handed over as what the model wrote.
Result<std::string> part(const json::Value& task, std::string_view name) {
  const json::Value* const value = task.find(name);
  if (value == nullptr || value->is(json::Kind::null))
    return refused("extract needs the " + std::string(name) + " in the task", "/task/" + std::string(name));
  return value->is(json::Kind::string) ? std::string(value->str()) : json::value_text(*value);
}

std::size_t number(const json::Value* options, std::string_view name, std::size_t otherwise) {
  const json::Value* const value = options == nullptr ? nullptr : options->find(name);
  std::uint64_t out = 0;
  return value != nullptr && value->is(json::Kind::number) && json::read_uint(value->str(), out)
             ? static_cast<std::size_t>(out)
             : otherwise;
}

}  // namespace

Result<std::string> extract_answer(const json::Value* task) {
  if (task == nullptr)
    return refused("extract has no model to ask: it needs a task, which this request does not carry", "/task");
  const json::Value* const name = task->find("name");
  const json::Value* const kind_value = task->find("kind");
  const std::string_view step = name == nullptr ? std::string_view() : name->str();
  const std::string_view kind_name = kind_value == nullptr ? std::string_view() : kind_value->str();
  const std::optional<extract::Kind> kind = extract::kind_named(kind_name);
  if (!kind) {
    return refused("extract makes quiz, flashcards and mindmap, not '" + std::string(kind_name) +
                       "': choose a provider with a model (--provider ollama/NAME)",
                   "/task/kind");
  }
  const json::Value* const passages = task->find("chunks");
  if (passages == nullptr)
    return refused("extract needs the chunks of the source in the task", "/task/chunks");
  const Result<std::vector<extract::Chunk>> chunks = extract::read_chunks(*passages);
  if (!chunks)
    return chunks.error();
  if (step == "artifact.plan") {
    const json::Value* const options = task->find("options");
    const extract::Request usual;
    return extract::plan(*kind, chunks.value(),
                         {number(options, "count", usual.count), number(options, "depth", usual.depth)});
  }
  if (step == "artifact.generate") {
    const Result<std::string> plan = part(*task, "plan");
    return plan ? extract::generate(*kind, plan.value(), chunks.value()) : plan;
  }
  if (step != "artifact.judge" && step != "artifact.repair") {
    return refused(
        "extract does not do '" + std::string(step) + "': choose a provider with a model (--provider ollama/NAME)",
        "/task/name");
  }
  if (step == "artifact.repair" && task->find("artifact") == nullptr) {
    // What some other provider wrote is no JSON at all: there is nothing to mend in it.
    const Result<std::string> plan = part(*task, "plan");
    return plan ? extract::generate(*kind, plan.value(), chunks.value()) : plan;
  }
  const Result<std::string> artifact = part(*task, "artifact");
  if (!artifact)
    return artifact;
  if (step == "artifact.judge")
    return extract::judge(*kind, artifact.value(), chunks.value());
  const Result<std::string> verdict = part(*task, "verdict");
  if (!verdict)
    return verdict;
  const Result<std::string> plan = part(*task, "plan");
  return plan ? extract::repair(*kind, artifact.value(), verdict.value(), plan.value(), chunks.value()) : plan;
}

}  // namespace plumb::provider
