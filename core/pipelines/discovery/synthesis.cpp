#include "core/pipelines/discovery/synthesis.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/ascii.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/members.hpp"
#include "core/pipelines/discovery/records.hpp"
#include "core/text/novelty.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;

constexpr std::size_t descriptions_max = 3;  // that are put behind each other

// By the first of these words that stands in it; what says none of them is least.
std::size_t weight(std::string_view severity) {
  static constexpr std::array<std::string_view, 4> words = {"low", "medium", "high", "critical"};
  const std::string text = ascii::lower(severity);
  std::size_t first = std::string::npos;
  std::size_t out = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t at = text.find(words[i]);
    if (at < first) {
      first = at;
      out = i + 1;
    }
  }
  return out;
}

std::size_t confidence_weight(std::string_view confidence) {
  return confidence == "low" ? 0 : confidence == "high" ? 2 : 1;
}

}  // namespace

bool same_pattern(std::string_view a, std::string_view b) {
  return text::judge_novelty(a, std::span(&b, 1)).novelty != text::Novelty::fresh;
}

Synthesis::Synthesis(std::vector<std::string> units, std::string piece) : piece_(std::move(piece)) {
  units_.reserve(units.size());
  for (std::string& id : units) {
    units_.emplace(std::move(id), true);
  }
}

void Synthesis::add(const Value& said, std::vector<std::string>& warnings) {
  const auto one = json::record_of<ExplorerFinding>(said);
  Finding finding{
      one.pattern_name, one.description, one.severity_assessment, one.affected_users_estimate, one.confidence, {}, 1};
  const std::string name = "'" + json::excerpt(finding.pattern, 60) + "'";
  for (const Value& id : list_of(said, "evidence")) {
    std::string named(id.is(json::Kind::object) ? text_of(id, "source_id") : id.str());
    if (named.size() > 2 && named.front() == '[' && named.back() == ']') {
      named = named.substr(1, named.size() - 2);  // as the prompt shows it
    }
    if (units_.count(named) == 0) {
      warnings.push_back(name + ": evidence '" + json::excerpt(named, 60) + "' is not in the source");
    } else if (std::find(finding.evidence.begin(), finding.evidence.end(), named) == finding.evidence.end()) {
      finding.evidence.push_back(std::move(named));
    }
  }
  if (finding.pattern.empty() || finding.description.empty() || finding.evidence.empty()) {
    warnings.push_back("left out: " + name + (finding.evidence.empty() ? " has no evidence" : " is not complete"));
    return;
  }
  const auto same = std::find_if(findings_.begin(), findings_.end(),
                                 [&](const Finding& known) { return same_pattern(finding.pattern, known.pattern); });
  if (same == findings_.end()) {
    findings_.push_back(std::move(finding));
  } else {
    merge(*same, std::move(finding));
  }
}

void Synthesis::merge(Finding& known, Finding more) const {
  if (known.merged < descriptions_max && !same_pattern(more.description, known.description)) {
    known.description += " " + more.description;
  }
  known.severity = weight(more.severity) > weight(known.severity) ? more.severity : known.severity;
  known.confidence =
      confidence_weight(more.confidence) < confidence_weight(known.confidence) ? more.confidence : known.confidence;
  for (std::string& id : more.evidence) {
    if (std::find(known.evidence.begin(), known.evidence.end(), id) == known.evidence.end()) {
      known.evidence.push_back(std::move(id));
    }
  }
  ++known.merged;
  known.users =
      "at least " + json::uint_text(known.evidence.size()) + " of " + json::uint_text(units_.size()) + " " + piece_;
}

}  // namespace plumb::pipelines::discovery
