#include "native/outcome/calibration_text.hpp"

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/judge/measure.hpp"
#include "core/wording.hpp"

namespace plumb::outcome {

namespace {

using json::number_of;
using json::text_of;
using json::Value;

constexpr std::size_t differences_shown = 20;
constexpr std::size_t reason_shown = 120;

std::string rate_in(const Value& result, std::string_view name) {
  const Value* rate = result.find(name);
  return rate == nullptr ? std::string()
                         : judge::rate_text(judge::rate_of(number_of(*rate, "count"), number_of(*rate, "of")));
}

std::string difference_line(const Value& one) {
  const std::string reason(text_of(one, "reason"));
  const std::string_view at = text_of(one, "at");
  return "  " + std::string(text_of(one, "name")) + " " + (at.empty() ? "the whole" : std::string(at)) + " " +
         std::string(text_of(one, "rule")) + ": " + (json::flag_of(one, "supported") ? "true" : "false") + ", but " +
         std::string(text_of(one, "judged")) +
         (reason.empty() ? "" : " (" + json::excerpt(reason, reason_shown) + ")") + "\n";
}

}  // namespace

std::string calibration_text(const Value& view) {
  const Value* result = view.find("result");
  if (result == nullptr) {
    return {};
  }
  std::string out = "Judge " + std::string(text_of(view, "judge")) + " on " + std::string(text_of(view, "contract")) +
                    ": " + counted(number_of(*result, "labels"), "label") + " in " +
                    counted(number_of(*result, "artifacts"), "artifact") + "\n";
  out += "  false claims: catches " + rate_in(*result, "true_positive_rate") + "\n";
  out += "  true claims: rejects " + rate_in(*result, "false_positive_rate") + "\n";
  if (const Value* open = result->find("undecided")) {
    const std::uint64_t of_false = number_of(*open, "false_claims");
    const std::uint64_t of_true = number_of(*open, "true_claims");
    out += "  undecided: " + json::uint_text(of_false + of_true);
    out += of_false + of_true == 0
               ? "\n"
               : " (" + json::uint_text(of_false) + " false, " + json::uint_text(of_true) + " true), in neither rate\n";
  }
  if (const std::uint64_t unjudged = number_of(*result, "unjudged"); unjudged > 0) {
    out += "  not judged: " + counted(unjudged, "artifact") + " (" + std::string(text_of(*result, "unjudged_reason")) +
           ")\n";
  }
  if (const std::string_view distrust = text_of(*result, "distrust"); !distrust.empty()) {
    out += "  not trusted: " + std::string(distrust) + "\n";
  }
  const auto differences = json::list_of(*result, "differences");
  out += differences.empty() ? "" : "Where the judge and the labels differ:\n";
  for (std::size_t i = 0; i < differences.size() && i < differences_shown; ++i) {
    out += difference_line(differences[i]);
  }
  if (differences.size() > differences_shown) {
    out += "  and " + json::uint_text(differences.size() - differences_shown) + " more: --format json lists all\n";
  }
  return out;
}

}  // namespace plumb::outcome
