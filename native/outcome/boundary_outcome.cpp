#include "native/outcome/boundary_outcome.hpp"

#include "core/json/excerpt.hpp"
#include "core/json/indented.hpp"
#include "core/json/members.hpp"
#include "core/pipelines/boundary/boundary_pipeline.hpp"
#include "core/wording.hpp"

namespace plumb::outcome {

namespace {

using json::text_of;
using json::Value;

constexpr std::size_t lines_max = 1'000;
constexpr std::size_t reason_shown = 400;

}  // namespace

std::string boundary_envelope(const Value& view) {
  const std::string text = pipelines::boundary::envelope(view);
  return text.empty() ? text : json::indented(text) + "\n";
}

std::vector<std::string> beside_lines(std::string_view pipeline, const Value& view) {
  std::vector<std::string> out;
  const Value* result = pipeline == "boundary" ? view.find("result") : nullptr;
  if (result == nullptr) {
    return out;
  }
  std::size_t more = 0;
  const auto tell = [&](const Value& item, std::string_view what, std::string_view why) {
    if (out.size() == lines_max) {
      ++more;
      return;
    }
    const std::string_view name = text_of(item, "name");
    out.push_back("item " + std::string(text_of(item, "id")) +
                  (name.empty() ? "" : " (" + json::excerpt(name, 60) + ")") + " " + std::string(what) + ": " +
                  json::excerpt(why, reason_shown));
  };
  for (const Value& item : json::list_of(*result, "items")) {
    for (const Value& warning : json::list_of(item, "validation_warnings")) {
      tell(item, "has a warning", warning.str());
    }
  }
  for (const Value& item : json::list_of(*result, "held_back")) {
    tell(item, "is held back", text_of(item, "reason"));
  }
  if (more > 0) {
    out.push_back("and " + counted(more, "item") + " more: --envelope lists all of them");
  }
  return out;
}

}  // namespace plumb::outcome
