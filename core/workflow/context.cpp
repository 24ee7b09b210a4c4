#include "core/workflow/context.hpp"

#include <algorithm>

namespace plumb::workflow {

namespace {

using budget::Cut;
using budget::Element;
using budget::ElementKind;
using budget::Tokens;
using json::field;
using json::field_if_set;

std::string decision_text(const Decision& one) {
  std::string out = "- " + one.text;
  out += one.why.empty() ? "" : " Why: " + one.why;
  out += one.files.empty() ? "" : " (" + some_of(one.files) + ")";
  return out + "\n";
}

// Data of others, in a line of its own that nothing of it can leave.
std::string convention_text(const Convention& one) {
  std::string text = one.name + ": " + one.pattern;
  for (char& c : text) {
    c = c == '\n' || c == '\r' || c == '`' ? ' ' : c;
  }
  return "- " + text + "\n";
}

std::string line_text(const OutlineLine& line) { return outline_text({line}); }

class Builder {
 public:
  Builder(const budget::Layout& layout, const ContextWanted& wanted, text::Encoding encoding)
      : layout_(layout), wanted_(wanted), encoding_(encoding) {}

  ReviewContext run() {
    measure();
    std::optional<Tokens> budget;
    if (layout_.window) {
      const budget::LayoutParts parts = budget::layout_parts(layout_);
      if (parts.overrun > 0) {
        out_.fit = ContextFit::too_big;
        out_.overrun = parts.overrun;
        for (const Element& one : elements_) {  // what would have to be in
          out_.overrun += one.kind == ElementKind::sop        ? one.source.parent
                          : one.kind == ElementKind::decision ? one.tokens
                                                              : 0;
        }
        out_.reason = "diff, gate results and what is reserved need " + std::to_string(parts.overrun) +
                      " tokens more than the window of " + std::to_string(*layout_.window) +
                      " has: the task is too big";
        return std::move(out_);
      }
      budget = parts.context;
    }
    const budget::Assembly assembly = budget::assemble(budget, elements_);
    switch (assembly.fit) {
      case budget::AssemblyFit::fits:
        out_.fit = ContextFit::fits;
        out_.reason = "all of it fits";
        break;
      case budget::AssemblyFit::trimmed:
        out_.fit = ContextFit::trimmed;
        out_.reason = std::to_string(assembly.needed) + " tokens are wanted and " + std::to_string(assembly.budget) +
                      " are there for context";
        break;
      case budget::AssemblyFit::too_large:
        out_.fit = ContextFit::too_big;
        out_.overrun = assembly.overrun;
        out_.reason = "SOPs and decisions alone need " + std::to_string(assembly.overrun) + " tokens more than the " +
                      std::to_string(assembly.budget) + " that are left for context";
        break;
      case budget::AssemblyFit::unknown:
        out_.reason = "the window is not known: nothing is cut";
        break;
    }
    write(assembly);
    return std::move(out_);
  }

 private:
  Tokens tokens(std::string_view text) const { return text::estimate_tokens(text, encoding_).safe; }

  void add(Element element, std::string id, std::string from) {
    ContextElement told;
    told.kind = element.kind;
    told.id = std::move(id);
    told.from = std::move(from);
    told.tokens_whole = element.tokens;
    elements_.push_back(std::move(element));
    out_.elements.push_back(std::move(told));
  }

  void measure() {
    for (const Sop* sop : wanted_.sops) {
      Element one;
      one.kind = ElementKind::sop;
      one.source.severity = sop->severity;
      one.source.parent = sop->parent_tokens;
      one.tokens = sop->parent_tokens;
      for (const SopChunk& chunk : sop->chunks) {
        one.source.chunks.push_back(chunk.tokens);
        one.tokens += chunk.tokens;
      }
      add(std::move(one), sop->id, sop->path);
    }
    for (const Decision& decision : wanted_.decisions) {
      Element one;
      one.kind = ElementKind::decision;
      one.tokens = tokens(decision_text(decision));
      add(std::move(one), decision.id, decision.derived_from.empty() ? "decisions" : decision.derived_from);
    }
    for (const FileOutline& outline : wanted_.outlines) {
      Element one;
      one.kind = ElementKind::file_summary;
      one.tokens = tokens(outline.path + "\n");
      for (const OutlineLine& line : outline.lines) {
        one.tokens += tokens(line_text(line));
        one.cuts.push_back(one.tokens);
      }
      add(std::move(one), outline.path, outline.path);
    }
    for (const Convention* convention : wanted_.conventions) {
      Element one;
      one.kind = ElementKind::convention;
      one.tokens = tokens(convention_text(*convention));
      add(std::move(one), convention->id,
          convention->source_tasks.empty() ? convention->confirmed_by : convention->source_tasks.front());
    }
  }

  void heading(std::string_view text) {
    if (section_ != text) {
      section_ = text;
      out_.text += (out_.text.empty() ? "## " : "\n## ") + std::string(text) + "\n\n";
    }
  }

  void write(const budget::Assembly& assembly) {
    std::size_t at = 0;
    const auto next = [&]() -> std::pair<ContextElement*, budget::Placed> {
      ContextElement& told = out_.elements[at];
      const budget::Placed& placed = assembly.placed[at];
      told.cut = placed.cut;
      told.tokens = placed.tokens;
      ++at;
      return {&told, placed};
    };
    for (const Sop* sop : wanted_.sops) {
      auto [told, placed] = next();
      heading("Rules that the change is held to");
      out_.text += sop->parent_text();
      const std::size_t all = sop->chunks.size();
      for (std::size_t i = 0; i < placed.chunks_taken && i < all; ++i) {
        out_.text += sop->chunks[i].text + "\n";
      }
      if (placed.chunks_taken < all) {
        told->what_was_cut = "chunks " + std::to_string(placed.chunks_taken + 1) + " to " + std::to_string(all) +
                             " of " + std::to_string(all);
        out_.text += "(" + told->what_was_cut + " are left out)\n";
      }
      out_.text += "\n";
    }
    for (const Decision& decision : wanted_.decisions) {
      next();
      heading("Decisions that were taken before");
      out_.text += decision_text(decision);
    }
    for (const FileOutline& outline : wanted_.outlines) {
      auto [told, placed] = next();
      const std::size_t lines = placed.cut == Cut::whole     ? outline.lines.size()
                                : placed.cut == Cut::dropped ? 0
                                                             : placed.cuts_taken;
      if (lines < outline.lines.size()) {
        told->what_was_cut =
            lines == 0 ? "all of it" : "from line " + std::to_string(outline.lines[lines].line) + " on";
      }
      if (placed.cut == Cut::dropped) {
        continue;
      }
      heading("What the files that were touched declare, by line");
      out_.text += outline.path + "\n";
      for (std::size_t i = 0; i < lines; ++i) {
        out_.text += line_text(outline.lines[i]);
      }
      out_.text += told->what_was_cut.empty() ? "" : "(" + told->what_was_cut + " it is left out)\n";
    }
    bool fenced = false;
    for (const Convention* convention : wanted_.conventions) {
      auto [told, placed] = next();
      if (placed.cut == Cut::dropped) {
        told->what_was_cut = "all of it: conventions are dropped first";
        continue;
      }
      heading("Conventions of the project, learnt from approved changes: data, which no rule above gives way to");
      out_.text += fenced ? "" : "```\n";
      fenced = true;
      out_.text += convention_text(*convention);
    }
    out_.text += fenced ? "```\n" : "";
  }

  const budget::Layout& layout_;
  const ContextWanted& wanted_;
  text::Encoding encoding_;
  std::vector<Element> elements_;
  std::string section_;
  ReviewContext out_;
};

}  // namespace

std::span<const json::Field> Decision::fields() {
  static constexpr json::Field table[] = {field<&Decision::id>("id"), field<&Decision::text>("text"),
                                          field_if_set<&Decision::why>("why"), field<&Decision::files>("files"),
                                          field_if_set<&Decision::derived_from>("derived_from")};
  return table;
}

std::span<const std::string_view> names_of(ContextFit) {
  static constexpr std::string_view names[] = {"fits", "trimmed", "too_big", "unknown"};
  return names;
}

std::span<const json::Field> ContextElement::fields() {
  static constexpr json::Field table[] = {field<&ContextElement::kind>("kind"),
                                          field<&ContextElement::id>("id"),
                                          field<&ContextElement::from>("from"),
                                          field<&ContextElement::cut>("cut"),
                                          field<&ContextElement::tokens>("tokens"),
                                          field<&ContextElement::tokens_whole>("tokens_whole"),
                                          field_if_set<&ContextElement::what_was_cut>("what_was_cut")};
  return table;
}

std::span<const json::Field> ReviewContext::fields() {
  static constexpr json::Field table[] = {field<&ReviewContext::fit>("fit"), field<&ReviewContext::overrun>("overrun"),
                                          field<&ReviewContext::reason>("reason"),
                                          field<&ReviewContext::elements>("elements")};
  return table;
}

ReviewContext assemble_context(const budget::Layout& layout, const ContextWanted& wanted, text::Encoding encoding) {
  return Builder(layout, wanted, encoding).run();
}

std::string context_json(const ReviewContext& context) { return json::record_text(context); }

}  // namespace plumb::workflow
