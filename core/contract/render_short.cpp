// One line per finding, as compilers write: "file:line:column: error: message [rule]". Editors and CI logs read this
// form.

#include "core/contract/render.hpp"
#include "core/contract/render_place.hpp"
#include "core/json/number_text.hpp"

namespace plumb::contract {

namespace {

void append_line(std::string& out, std::string_view place, std::string_view level, std::string_view message,
                 std::string_view rule, bool ascii) {
  out += shown(place, ascii);
  out += ": ";
  out += level;
  out += ": ";
  out += shown(message, ascii);
  out += " [";
  out += shown(rule, ascii);
  out += "]\n";
}

}  // namespace

std::string render_short(const FileVerdict& one, const TextStyle& style) {
  std::string out;
  const Place place = place_of(one);
  const std::string record = record_text(one);
  const std::string before = record.empty() ? "" : record + ": ";
  const std::string_view path = place.path == "-" ? std::string_view("stdin") : place.path;
  for (const Finding& finding : one.verdict.findings) {
    if (finding.shadowed_by == 0) {
      append_line(out, place_text(place, finding.span), severity_name(finding.severity),
                  before + (finding.message.empty() ? finding.rule : finding.message), finding.rule, style.ascii);
    }
  }
  for (const auto& [rule, count] : one.verdict.more) {
    append_line(out, path, "error", json::uint_text(count) + " more findings of " + rule + " are not listed", rule,
                style.ascii);
  }
  for (const Undecided& undecided : one.verdict.undecided) {
    if (!undecided.wants_context.empty()) {
      append_line(out, path, "warning", "undecided without the context " + undecided.wants_context, undecided.rule,
                  style.ascii);
    } else if (place.recorded && undecided.rule == "input") {
      append_line(out, place_text(place, {}), "warning", before + undecided.reason, undecided.rule, style.ascii);
    }
  }
  return out;
}

}  // namespace plumb::contract
