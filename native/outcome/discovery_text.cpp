#include "native/outcome/discovery_text.hpp"

#include <algorithm>
#include <string_view>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/outcome/painted.hpp"

namespace plumb::outcome {

namespace {

using json::list_of;
using json::Value;

constexpr std::size_t evidence_shown = 4;

std::string text_in(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr ? std::string(found->str()) : std::string();
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string out(text);
  for (char& c : out) {
    c = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  }
  return json::excerpt(out, most);
}

std::string findings_told(const std::string& count) {
  return count.empty() || count == "0" ? "nothing found" : count + (count == "1" ? " finding" : " findings");
}

// Who did not do its work: what is below rests on less than was asked for.
std::string failures_text(const Value& view, const contract::TextStyle& style) {
  std::string out;
  for (const Value& one : list_of(view, "failures")) {
    std::string about;
    for (const Value& id : list_of(one, "opportunities")) {
      about += (about.empty() ? ", for " : ", ") + std::string(id.str());
    }
    out += "  " +
           red(text_in(one, "agent") + " failed (" + text_in(one, "stage") + about +
                   "): " + one_line(text_in(one, "why"), 300),
               style) +
           "\n";
  }
  return out.empty() ? out : bold("Failed", style) + "\n" + out + "\n";
}

std::string coverage_text(const Value& view, const contract::TextStyle& style) {
  const Value* coverage = view.find("coverage");
  if (coverage == nullptr) {
    return {};
  }
  std::string out = bold("Looked at", style) + "\n";
  for (const Value& one : list_of(*coverage, "explorers")) {
    out += "  " + text_in(one, "source") + ": " + text_in(one, "reviewed") + " of " + text_in(one, "available") +
           " read, " + findings_told(text_in(one, "findings_count")) + "\n";
    for (const Value& why : list_of(one, "skipped_why")) {
      out += "    " + text_in(why, "count") + " skipped: " + text_in(why, "why") + " (first: " + text_in(why, "where") +
             ")\n";
    }
  }
  return out + "\n";
}

// What a person wrote, without what an agent answered.
std::string first_said(const std::string& text) { return text.substr(0, text.find("\n[agent] ")); }

std::string evidence_text(const Value& view, const Value& brief, const contract::TextStyle& style) {
  const Value* all = view.find("evidence");
  std::string out;
  std::size_t shown = 0;
  const std::span<const Value> evidence = list_of(brief, "evidence");
  for (const Value& one : evidence) {
    if (shown++ == evidence_shown) {
      out += "       and " + std::to_string(evidence.size() - evidence_shown) + " more\n";
      break;
    }
    const std::string id = text_in(one, "source_id");
    const Value* unit = all == nullptr ? nullptr : all->find(id);
    std::string place = id;
    if (unit != nullptr && id.find(':') == std::string::npos) {
      place += " (" + text_in(*unit, "path") + ":" + text_in(*unit, "line") + ")";
    }
    out += "       " + dim(place, style) +
           (unit == nullptr ? "" : "  " + one_line(first_said(text_in(*unit, "text")), 90)) + "\n";
  }
  return out;
}

std::string unverified_names(const Value& opportunity) {
  std::string names;
  for (const Value& boundary : list_of(opportunity, "unverified")) {
    names += (names.empty() ? "" : ", ") + std::string(boundary.str());
  }
  return names;
}

// `told`: which boundaries nobody judged was said before, of all at once.
std::string opportunity_text(const Value& view, const Value& one, bool told, const contract::TextStyle& style) {
  const Value* brief = one.find("brief");
  const Value* solution = one.find("solution");
  const std::string rank = text_in(one, "rank");
  std::string out = (rank.empty() ? "   - " : std::string(rank.size() < 2 ? "  " : " ") + rank + ". ");
  out +=
      bold(brief == nullptr ? text_in(one, "opportunity_id") : one_line(text_in(*brief, "affected_area"), 100), style) +
      "  " + dim(text_in(one, "opportunity_id"), style) +
      (text_in(one, "revised_from").empty() ? "" : dim(" (revised from " + text_in(one, "revised_from") + ")", style)) +
      "\n";
  if (brief != nullptr) {
    out += "     " + one_line(text_in(*brief, "problem_statement"), 400) + "\n" + evidence_text(view, *brief, style);
  }
  if (solution != nullptr && !solution->is(json::Kind::null) && !text_in(*solution, "proposed_solution").empty()) {
    out += "     solution: " + one_line(text_in(*solution, "proposed_solution"), 300) + "\n";
    out += "     measured: " + one_line(text_in(*solution, "success_metrics"), 300) + "\n";
  }
  if (!text_in(one, "rationale").empty()) {
    out += "     why here: " + one_line(text_in(one, "rationale"), 300) + "\n";
  }
  for (const Value& warning : list_of(one, "warnings")) {
    out += "     " + yellow("warning: " + one_line(warning.str(), 200), style) + "\n";
  }
  if (!told && !list_of(one, "unverified").empty()) {
    out += "     " + yellow("unverified at: " + unverified_names(one), style) + "\n";
  }
  if (const Value* infeasible = one.find("infeasible"); infeasible != nullptr && infeasible->is(json::Kind::object)) {
    out += "     " + red("infeasible: " + one_line(text_in(*infeasible, "infeasibility_reason"), 300), style) + "\n";
  }
  if (!text_in(one, "left_out").empty()) {
    out += "     " + red("left out: " + one_line(text_in(one, "left_out"), 300), style) + "\n";
  }
  if (const Value* decision = one.find("decision"); decision != nullptr && decision->is(json::Kind::object)) {
    out += "     " + green(text_in(*decision, "decision") + " by " + text_in(*decision, "by"), style) + ": " +
           one_line(text_in(*decision, "reasoning"), 200) + "\n";
  }
  return out + "\n";
}

}  // namespace

std::string discovery_text(const Value& view, const contract::TextStyle& style) {
  std::string out = failures_text(view, style) + coverage_text(view, style);
  const std::span<const Value> opportunities = list_of(view, "opportunities");
  out += bold("Opportunities", style) + "\n";
  if (opportunities.empty()) {
    const Value* coverage = view.find("coverage");
    out += "  none was found\n";
    if (coverage != nullptr && text_in(*coverage, "model") == "extract") {
      out +=
          "  Without a model only this is seen: words that several conversations share, figures that change, marks in\n"
          "  code (TODO, FIXME, HACK, BUG, deprecated), and sections that tell a limit. See 'plumb discover --help'.\n";
    }
  }
  const std::string names = opportunities.size() > 1 ? unverified_names(opportunities.front()) : std::string();
  const bool all = !names.empty() && std::all_of(opportunities.begin(), opportunities.end(),
                                                 [&](const Value& one) { return unverified_names(one) == names; });
  if (all) {
    out += "  " + yellow("all unverified at: " + names + "; no model judged them", style) + "\n\n";
  }
  for (const Value& one : opportunities) {
    out += opportunity_text(view, one, all, style);
  }
  if (!text_in(view, "error").empty()) {
    out += red("error: " + text_in(view, "error"), style) + "\n";
  }
  return out;
}

}  // namespace plumb::outcome
