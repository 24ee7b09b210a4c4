// The lines of a scorecard: where each was decided and why; and what a history is measured by before anything is read.

#include <algorithm>

#include "core/contract/engine.hpp"
#include "core/contract/measured.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::string_view measured_name = "measured";

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

// Whether `at` is `above` or a place below it.
bool is_below(std::string_view at, std::string_view above) {
  return begins_with(at, above) && (at.size() == above.size() || at[above.size()] == '/');
}

}  // namespace

// Only where the contract asks for it: reading a history costs more than most checks.
void Engine::measure_context() {
  const bool wanted = std::any_of(p_.context_read.begin(), p_.context_read.end(),
                                  [](const std::string& pointer) { return begins_with(pointer, "context:/measured"); });
  const json::Value* history = context_.find("history");
  if (!wanted || history == nullptr || !history->is(Kind::array) || context_.find(measured_name) != nullptr) {
    return;
  }
  // It goes in front of the closing brace: an object that has a history ends with a member.
  const std::size_t brace = context_text_.rfind('}');
  std::string added = ",";
  json::append_string(added, measured_name);
  added += ':' + measure_history(*history);
  context_text_.insert(brace, added);
  context_arena_.clear();
  Result<json::Value> parsed =
      json::parse(context_text_, context_arena_, {options_.limits.depth_max, options_.limits.bytes_max + added.size()});
  PLUMB_REQUIRE(static_cast<bool>(parsed), "a context stays JSON when its measures are added");
  context_ = parsed.value();
}

// Where the instance of a line stands: it has just ended, or did so before.
void Engine::place_line(const Evaluation& e, ScorecardLine& line) const {
  if (e.site != none32) {
    line.from = found_[e.site].finding.span.from;
    line.to = found_[e.site].finding.span.to;
  } else if (e.depth < frames_.size()) {
    line.from = frames_[e.depth].from;
    line.to = std::max(frame_to_, line.from);
  } else {
    line.from = token_.from;
    line.to = token_.to;
  }
}

void Engine::add_context_label(const Rule::Label& label, std::vector<std::pair<std::string, std::string>>& out) const {
  std::vector<const json::Value*> values;
  if (gather(label.context, 0, nullptr, values) && values.size() == 1 && values.front()->is(Kind::string)) {
    out.emplace_back(label.name, std::string(values.front()->str()));
  }
}

// A broken line takes over what its finding says and where it stands; one that its check left open says why.
void Engine::give_reasons(Verdict& verdict) const {
  for (std::size_t i = 0; i < verdict.scorecard.size(); ++i) {
    ScorecardLine& line = verdict.scorecard[i];
    if (line.outcome == Outcome::broken) {
      for (const Finding& finding : verdict.findings) {
        if (finding.rule == line.id && finding.schema_location == line_locations_[i] && is_below(finding.at, line.at)) {
          line.reason = finding.causes.empty() ? finding.message : finding.causes.front().message;
          line.from = finding.span.from;
          line.to = finding.span.to;
          break;
        }
      }
      continue;
    }
    if (line.outcome == Outcome::holds) {
      continue;
    }
    for (const Undecided& open : verdict.undecided) {
      const std::string_view location = open.schema_location;
      if (begins_with(location, line_locations_[i]) && location.substr(line_locations_[i].size(), 6) == "/check" &&
          is_below(open.at, line.at)) {
        line.reason = open.wants_context.empty() ? open.reason : open.reason + ": " + open.wants_context;
        break;
      }
    }
  }
}

}  // namespace plumb::contract
