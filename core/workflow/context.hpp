// The reviewer's context: SOPs, decisions, outlines of files and conventions, as much as the window holds
// (core/budget/assembly.hpp; 004-35, 004-37).
//
//   ReviewContext context = assemble_context({.window = 32'000, .task_output = tokens_of(diff, gates)}, wanted);
//   if (context.fit == ContextFit::too_big) ... context.overrun
//
// SOPs and decisions are kept, outlines trimmed, conventions dropped first; every element tells where it is from, why
// it is there and what was cut. Diff and gate results are the layout's task output and are never cut. Conventions are
// fenced: they are data, and weaken no SOP. What is too big is not sent: its text means nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/assembly.hpp"
#include "core/json/record.hpp"
#include "core/workflow/convention.hpp"
#include "core/workflow/outline.hpp"
#include "core/workflow/sop.hpp"

namespace plumb::workflow {

// What somebody decided and why (004-31).
struct Decision {
  std::string id, text, why;
  std::vector<std::string> files;
  std::string derived_from;  // plan or task
  static std::span<const json::Field> fields();
};

struct FileOutline {
  std::string path;
  std::vector<OutlineLine> lines;
};

struct ContextWanted {
  std::span<const Sop* const> sops;
  std::span<const Decision> decisions;
  std::span<const FileOutline> outlines;
  std::span<const Convention* const> conventions;
};

struct ContextElement {
  budget::ElementKind kind = budget::ElementKind::sop;
  std::string id;    // SOP id, decision id, path, convention id
  std::string from;  // "sops/errors.md", "task T1", "src/a.cpp at 3f2a...", "conventions"
  budget::Cut cut = budget::Cut::whole;
  budget::Tokens tokens = 0, tokens_whole = 0;
  std::string what_was_cut;  // "chunks 3 to 5 of 5", "lines from 40 on"; empty: nothing
  static std::span<const json::Field> fields();
};

enum class ContextFit : std::uint8_t { fits, trimmed, too_big, unknown };
std::span<const std::string_view> names_of(ContextFit);

struct ReviewContext {
  ContextFit fit = ContextFit::unknown;
  budget::Tokens overrun = 0;  // too_big: by how much, with what must be in
  std::string reason;
  std::vector<ContextElement> elements;
  std::string text;  // of all that is in
  static std::span<const json::Field> fields();
};

ReviewContext assemble_context(const budget::Layout& layout, const ContextWanted& wanted,
                               text::Encoding encoding = text::Encoding::unknown);
// {"fit", "overrun", "reason", "elements": [...]} without the text: for notes and views.
std::string context_json(const ReviewContext& context);

}  // namespace plumb::workflow
