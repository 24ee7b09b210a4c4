#include "core/repair/escape_warnings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/repair/reader.hpp"
#include "core/repair/suspect_escape.hpp"

namespace plumb::repair {

using contract::Edit;
using contract::Finding;
using contract::Verdict;

namespace {

bool is_unreadable(const Verdict& verdict) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [](const Finding& finding) { return finding.rule == "syntax" || finding.rule == "limit"; });
}

Finding warning_about(const Edit& edit) {
  const char letter = edit.changes.front().text.back();
  const std::string_view what = letter == 'b'   ? "a backspace"
                                : letter == 'f' ? "a form feed"
                                : letter == 'n' ? "a line feed"
                                : letter == 'r' ? "a carriage return"
                                                : "a tab";
  Finding out;
  out.rule = "suspectEscape";
  out.severity = contract::Severity::warning;
  out.at = edit.at;
  out.provided = std::string("\\") + letter;
  out.requirement = std::string("a backslash and \"") + letter + "\", written \\\\" + letter;
  out.message.append("This string has ").append(what).append(", written ").append(out.provided);
  out.message.append(", where ").append(out.requirement).append(", was probably meant");
  out.span = edit.span;
  return out;
}

void add_warnings(Verdict& verdict, const std::vector<Edit>& edits, std::vector<Finding>& certain) {
  if (is_unreadable(verdict)) {
    return;
  }
  std::uint32_t id = 0;
  for (const Finding& finding : verdict.findings) {
    id = std::max(id, finding.id);
  }
  std::uint64_t count = 0;
  for (const Edit& edit : edits) {
    if (edit.edit_class != contract::EditClass::suspect_escape || edit.applied || ++count > escape_warnings_max) {
      continue;
    }
    Finding finding = warning_about(edit);
    finding.id = ++id;
    finding.decided_at = verdict.bytes;
    certain.push_back(finding);
    verdict.findings.push_back(std::move(finding));
  }
  if (count > escape_warnings_max) {
    verdict.more.emplace_back("suspectEscape", count - escape_warnings_max);
  }
  if (count > 0) {
    verdict.clean = false;
    if (verdict.decision == contract::Decision::accept) {
      verdict.decision = contract::Decision::accept_with_warnings;
    }
  }
}

}  // namespace

bool may_have_suspect_escape(std::string_view json) {
  for (std::size_t i = json.find('\\'); i < json.size(); i = json.find('\\', i + 2)) {
    const std::string_view text = json.substr(i + 1);
    if (!text.empty() && is_control_letter(text[0]) &&
        ((text[0] != 'n' && text[0] != 't') || begins_tex_command(text)) && !text.starts_with("r\\n")) {
      return true;
    }
  }
  return false;
}

void warn_of_escapes(Verdict& verdict, std::vector<Finding>& certain) { add_warnings(verdict, verdict.edits, certain); }

void warn_of_escapes(Verdict& verdict, const contract::Program& program, std::uint32_t depth_max, std::string_view text,
                     std::vector<Finding>& certain) {
  struct Nothing final : Output {
    void take(std::string_view) override {}
  };
  if (!may_have_suspect_escape(text) || is_unreadable(verdict)) {
    return;
  }
  EditOptions offers;
  offers.classes.of.fill(contract::EditLevel::none);
  Reader reader(program, offers, depth_max);
  Nothing nothing;
  reader.read(text, true, nothing);
  add_warnings(verdict, reader.edits(), certain);
}

}  // namespace plumb::repair
