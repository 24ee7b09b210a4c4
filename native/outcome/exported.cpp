#include "native/outcome/exported.hpp"

#include "core/json/arena.hpp"
#include "core/pipelines/outcomes.hpp"
#include "native/base/near_miss.hpp"
#include "native/outcome/outcome_table.hpp"

namespace plumb::outcome {

Result<const exports::Format*> export_format(std::string_view name) {
  if (const exports::Format* found = exports::format_named(name)) {
    return found;
  }
  std::vector<std::string_view> names;
  for (const exports::Format& one : exports::formats()) {
    names.push_back(one.name);
  }
  return Error{ErrorCode::invalid_argument,
               "there is no export format '" + std::string(name) + "'" + did_you_mean(name, names) +
                   "; the formats are " + exports::format_names(),
               "", 0, 0};
}

Result<std::string> exported(const pipelines::Known& known, const run::Journal& journal, std::string_view delivered,
                             const exports::Format& format) {
  if (known.pipeline.name != "artifact") {
    return Error{ErrorCode::invalid_argument,
                 "only artifacts can be exported, and this is a run of '" + std::string(known.pipeline.name) + "'", "",
                 0, 0};
  }
  json::Arena arena;
  const Result<json::Value> artifact = json::parse(delivered, arena);
  if (!artifact) {
    return artifact.error();
  }
  const run::Data view = run::Data::written(known.view(journal));
  return exports::write(format, artifact.value(), view.value());
}

std::string export_mark(const run::Journal& journal) {
  const run::Outcome came_to = pipelines::outcome_of(journal);
  return is_only_unverified(came_to) ? "not verified by a judge" : outcome_words(came_to);
}

}  // namespace plumb::outcome
