#include "native/cli/budget_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/json/members.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

using contract::TextStyle;
using json::text_of;
using json::Value;

bool is_number(const Value* value) { return value != nullptr && value->is(json::Kind::number); }

// "12,000"; "unknown" where there is none.
std::string grouped(const Value* value) {
  if (!is_number(value)) {
    return "unknown";
  }
  std::string out(value->str());
  const std::size_t first = out[0] == '-' ? 1 : 0;
  for (std::size_t i = std::min(out.find('.'), out.size()); i > first + 3; i -= 3) {
    out.insert(i - 3, 1, ',');
  }
  return out;
}

std::string padded_left(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(width, out.size()), ' ');
  return out;
}

std::string row(std::string_view name, const Value* value, std::string_view note = {}) {
  return "  " + padded(name, 18) + padded_left(grouped(value), 14) + (note.empty() ? "" : "  " + std::string(note)) +
         "\n";
}

std::string parts_text(const Value& answer) {
  std::string out;
  if (const Value* parts = answer.find("parts"); parts != nullptr) {
    for (const Value& part : parts->array()) {
      out += row(text_of(part, "name"), part.find("tokens"));
    }
  }
  return out;
}

std::string joined(const Value* list, std::string_view with = ", ") {
  std::string out;
  for (const Value& one : list == nullptr ? std::span<const Value>() : list->array()) {
    out += (out.empty() ? "" : std::string(with)) + std::string(one.str());
  }
  return out;
}

std::string tokens_text(const Value& answer) {
  const auto line = [](const Value& one, std::string_view name) {
    return "  " + padded(name, 10) + padded_left(grouped(one.find("likely")), 12) + " likely " +
           padded_left(grouped(one.find("safe")), 12) + " safe " + padded_left(grouped(one.find("bytes")), 14) +
           " bytes\n";
  };
  std::string out = "encoding " + std::string(text_of(answer, "encoding")) + "\n";
  if (answer.find("likely") != nullptr) {
    out += line(answer, "text");
  }
  if (const Value* texts = answer.find("texts"); texts != nullptr) {
    for (const Value& one : texts->array()) {
      out += line(one, "text");
    }
  }
  return out;
}

std::string window_text(const Value& answer) {
  return row("window", answer.find("window")) + parts_text(answer) + row("available", answer.find("available")) +
         row("at least", answer.find("available_min"));
}

std::string size_text(const Value& answer, const TextStyle& style) {
  std::string out = row("files", answer.find("files")) + row("tokens", answer.find("tokens")) +
                    row("at most", answer.find("tokens_max"));
  const Value* parts = answer.find("parts");
  std::size_t number = 0;
  for (const Value& part : parts == nullptr ? std::span<const Value>() : parts->array()) {
    out += "  " + bold("part " + std::to_string(++number), style) + "  " + grouped(part.find("tokens")) +
           " tokens: " + joined(part.find("files")) + (part.find("too_large")->boolean ? " (too large alone)" : "") +
           "\n";
  }
  return out;
}

std::string shares_text(const Value& answer) {
  std::string out = row("parents", answer.find("parents")) + row("for chunks", answer.find("remaining"));
  if (const Value* shares = answer.find("shares"); shares != nullptr) {
    for (const json::Member& one : shares->object()) {
      out += row(one.key, one.value.find("share"), "used " + grouped(one.value.find("used")));
    }
  }
  return out + row("left", answer.find("left"));
}

std::string assemble_text(const Value& answer, const TextStyle& style) {
  std::string out =
      row("window", answer.find("window")) + parts_text(answer) + row("for context", answer.find("budget"));
  for (const Value& one : answer.find("elements")->array()) {
    const std::string_view cut = text_of(one, "cut");
    const std::string word = cut == "whole"     ? green("in", style)
                             : cut == "trimmed" ? yellow("cut", style)
                                                : red("out", style);
    out += "  " + word + "  " + std::string(text_of(one, "kind")) + " " + bold(text_of(one, "id"), style) + "  " +
           grouped(one.find("tokens")) + " of " + grouped(one.find("tokens_whole"));
    out += (text_of(one, "reason").empty() ? "" : "  " + dim(text_of(one, "reason"), style)) + "\n";
  }
  return out;
}

std::string assign_text(const Value& answer, const TextStyle& style) {
  std::string out;
  for (const Value& one : answer.find("candidates")->array()) {
    const bool chosen = text_of(one, "model") == text_of(answer, "model");
    const std::string name = padded(text_of(one, "model"), 24);
    out += (chosen ? "> " + bold(name, style) : "  " + name) + "  " + std::string(text_of(one, "reason")) + "\n";
  }
  return out;
}

std::string coloured(std::string_view color, const TextStyle& style) {
  return color == "green"                         ? green(color, style)
         : color == "yellow" || color == "orange" ? yellow(color, style)
         : color == "unknown"                     ? dim(color, style)
                                                  : red(color, style);
}

std::string pressure_text(const Value& answer, const TextStyle& style) {
  std::string out = row("used", answer.find("context_tokens_used")) + row("window", answer.find("window")) +
                    row("utilisation %", answer.find("context_utilization")) +
                    row("tokens/iteration", answer.find("tokens_per_iteration")) +
                    row("iterations left", answer.find("iterations_remaining_estimate")) +
                    row("until a pause", answer.find("iterations_until_pause"));
  out += "  colour            " + coloured(text_of(answer, "color"), style) + ", " +
         std::string(text_of(answer, "action")) + " (" + std::string(text_of(answer, "response")) + ")\n";
  return out;
}

std::string risk_text(const Value& answer, const TextStyle& style) {
  std::string out;
  for (const Value& one : answer.find("signals")->array()) {
    const std::string_view response = text_of(one, "response");
    const std::string word = padded(response, 9);
    out += "  " + padded(text_of(one, "signal"), 12) + (response == "observe" ? dim(word, style) : red(word, style)) +
           " " + std::string(text_of(one, "explanation")) + "\n";
  }
  return out;
}

std::string loops_text(const Value& answer) {
  std::string out;
  for (const Value& one : answer.find("loops")->array()) {
    out += "  " + std::string(text_of(one, "kind")) + " calls " + joined(one.find("calls")) + ": " +
           std::string(text_of(one, "explanation")) + "\n";
  }
  return out;
}

std::string models_text(const Value& answer, const TextStyle& style) {
  std::string out = dim(padded("model", 20) + padded_left("window", 10) + padded_left("sweet spot", 12) + "  " +
                            padded("encoding", 11) + "  good at",
                        style) +
                    "\n";
  for (const Value& one : answer.find("models")->array()) {
    out += bold(padded(text_of(one, "name"), 20), style) + padded_left(grouped(one.find("context_window")), 10) +
           padded_left(grouped(one.find("sweet_spot")), 12) + "  " + padded(text_of(one, "encoding"), 11) + "  " +
           joined(one.find("capabilities"), " ") + "\n";
    for (const Value& row : one.find("history")->array()) {
      out += "    " + padded(text_of(row, "phase"), 12) + grouped(row.find("calls")) + " calls, " +
             grouped(row.find("valid_at_first")) + " valid at first, " + grouped(row.find("repairs")) + " repairs, " +
             grouped(row.find("tokens")) + " tokens, " + grouped(row.find("time_ms")) + " ms\n";
    }
  }
  return out;
}

std::string verdict_line(const Value& answer, const TextStyle& style) {
  std::string word;
  for (const std::string_view key : {"fit", "size", "response", "color"}) {
    word = word.empty() ? std::string(text_of(answer, key)) : word;
  }
  const std::string_view reason = text_of(answer, "reason");
  return word.empty() && reason.empty() ? ""
                                        : bold(word, style) + (word.empty() ? "" : ": ") + std::string(reason) + "\n";
}

}  // namespace

std::string budget_text(std::string_view operation, const Value& answer, const TextStyle& style) {
  std::string out = verdict_line(answer, style);
  out += operation == "tokens"     ? tokens_text(answer)
         : operation == "window"   ? window_text(answer)
         : operation == "size"     ? size_text(answer, style)
         : operation == "shares"   ? shares_text(answer)
         : operation == "assemble" ? assemble_text(answer, style)
         : operation == "assign"   ? assign_text(answer, style)
         : operation == "pressure" ? pressure_text(answer, style)
         : operation == "risk"     ? risk_text(answer, style)
         : operation == "loops"    ? loops_text(answer)
                                   : models_text(answer, style);
  return out;
}

}  // namespace plumb::cli
