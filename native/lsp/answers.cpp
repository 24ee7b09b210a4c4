#include "native/lsp/answers.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/contract/explain.hpp"
#include "core/contract/keywords.hpp"
#include "core/contract/verdict.hpp"
#include "core/json/writer.hpp"
#include "core/lint/rules.hpp"
#include "core/text/utf8.hpp"
#include "native/lsp/spot.hpp"

namespace plumb::lsp {

namespace {

constexpr std::string_view quickfix = "quickfix";
constexpr std::string_view fix_all = "source.fixAll.plumb";

// Numbers of the protocol.
constexpr std::uint64_t kind_property = 10;
constexpr std::uint64_t kind_value = 12;
std::uint64_t severity_number(contract::Severity severity) { return static_cast<std::uint64_t>(severity) + 1; }

std::string range_json(const Range& range) {
  std::string out;
  append_range(out, range);
  return out;
}

std::string markup(std::string_view text, const Client& client) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("kind", client.markdown ? "markdown" : "plaintext").member("value", text).end_object();
  return out;
}

// What is code, and what is strong: nothing for who reads plain text.
std::string code(std::string_view text, const Client& client) {
  return client.markdown ? "\n```json\n" + std::string(text) + "\n```\n" : std::string(text) + "\n";
}
std::string strong(std::string_view text, const Client& client) {
  return client.markdown ? "**" + std::string(text) + "**" : std::string(text);
}

// As `plumb explain` has it (native/cli/explain_command.cpp). Empty for what is no rule.
std::string explained(std::string_view rule, const Client& client) {
  std::string out;
  if (const contract::Explanation* one = contract::explanation_of(rule)) {
    out = strong(one->rule, client) + "  " + std::string(contract::kind_title(one->kind)) + "\n\n" +
          std::string(one->meaning) + "\n";
    if (!one->decides.empty()) {
      out += "\n" + strong("decides", client) + " " + std::string(one->decides) + "\n";
    }
    if (!one->fix.empty()) {
      out += "\n" + strong("fix", client) + " " + std::string(one->fix) + "\n";
    }
    if (!one->contract.empty()) {
      out += "\n" + strong("contract", client) + " " + code(one->contract, client);
      out += strong(one->breaks ? "breaks" : "fits", client) + " " + code(one->artifact, client);
    }
  } else if (const lint::LintRule* lint_rule = lint::lint_rule(rule)) {
    out = strong(lint_rule->id, client) + "  Lint of contracts, " +
          std::string(contract::severity_name(lint_rule->severity)) + "\n\n" + std::string(lint_rule->title) + ". " +
          std::string(lint_rule->why) + "\n";
    out += "\n" + strong("has it", client) + " " + code(lint_rule->bad, client);
    out += strong("has not", client) + " " + code(lint_rule->good, client);
  }
  return out;
}

bool asked_for(const json::Value* only, std::string_view kind) {
  if (only == nullptr || !only->is(json::Kind::array)) {
    return true;
  }
  return std::any_of(only->array().begin(), only->array().end(), [&](const json::Value& one) {
    const std::string_view asked = one.str();
    return kind.starts_with(asked) && (kind.size() == asked.size() || kind[asked.size()] == '.');
  });
}

// What is different in `after`, cut between characters and never within a line end.
struct Difference {
  Bytes bytes;  // of `before`
  std::string_view text;
};
Difference difference(std::string_view before, std::string_view after) {
  std::size_t same = 0;
  const std::size_t most = std::min(before.size(), after.size());
  while (same < most && before[same] == after[same]) {
    ++same;
  }
  const auto inside = [](std::string_view text, std::size_t at) {
    return at > 0 && at < text.size() &&
           (text::is_continuation(text[at]) || (text[at] == '\n' && text[at - 1] == '\r'));
  };
  while (inside(before, same) || inside(after, same)) {
    --same;
  }
  std::size_t behind = 0;
  while (behind < most - same && before[before.size() - 1 - behind] == after[after.size() - 1 - behind]) {
    ++behind;
  }
  while (behind > 0 && (inside(before, before.size() - behind) || inside(after, after.size() - behind))) {
    --behind;
  }
  return {{same, before.size() - behind}, after.substr(same, after.size() - behind - same)};
}

void append_action(json::Writer& json, std::string_view title, std::string_view kind, std::string_view uri,
                   const Document& document, std::string_view text, const Client& client) {
  const Difference found = difference(document.text, text);
  std::string edits;
  json::Writer edit(edits);
  edit.begin_array().begin_object().key("range").raw(
      range_json(ranges_of(document.text, {found.bytes}, client.units).front()));
  edit.member("newText", found.text).end_object().end_array();
  json.begin_object().member("title", title).member("kind", kind).key("edit").begin_object();
  if (client.document_changes) {
    json.key("documentChanges").begin_array().begin_object().key("textDocument").begin_object().member("uri", uri);
    json.key("version");
    document.has_version ? json.integer(document.version) : json.null();
    json.end_object().key("edits").raw(edits).end_object().end_array();
  } else {
    json.key("changes").begin_object().key(uri).raw(edits).end_object();
  }
  json.end_object().end_object();
}

// One suggestion that takes the place of what is there.
struct Suggestion {
  std::string label, text;
  std::uint64_t kind = kind_value;
  std::string detail = {}, documentation = {};
};

std::string suggested(const Document& document, const std::vector<Suggestion>& all, Bytes bytes, const Client& client) {
  const std::string range = range_json(ranges_of(document.text, {bytes}, client.units).front());
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("isIncomplete", false).key("items").begin_array();
  for (const Suggestion& one : all) {
    json.begin_object().member("label", one.label).member_uint("kind", one.kind);
    if (!one.detail.empty()) {
      json.member("detail", one.detail);
    }
    if (!one.documentation.empty()) {
      json.key("documentation").raw(markup(one.documentation, client));
    }
    json.member("filterText", one.text);
    json.key("textEdit").begin_object().key("range").raw(range).member("newText", one.text).end_object().end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::vector<Suggestion> keywords_for(const Spot& spot) {
  std::vector<Suggestion> out;
  for (const contract::Explanation& one : contract::explanations()) {
    const bool there = std::find(spot.beside.begin(), spot.beside.end(), one.rule) != spot.beside.end();
    if (one.kind == contract::RuleKind::text || there ||
        !contract::dialect_knows(spot.dialect, contract::kw_named(one.rule))) {
      continue;
    }
    out.push_back({std::string(one.rule), quoted(one.rule) + (spot.colon_follows ? "" : ": "), kind_property,
                   std::string(contract::kind_title(one.kind)), std::string(one.meaning)});
  }
  return out;
}

std::vector<Suggestion> values_for(const Spot& spot) {
  std::vector<Suggestion> out;
  const auto add = [&](std::string_view value) { out.push_back({std::string(value), quoted(value)}); };
  if (spot.keyword == "type") {
    for (const std::string_view one : {"array", "boolean", "integer", "null", "number", "object", "string"}) {
      add(one);
    }
  } else if (spot.keyword == "$schema") {
    for (const contract::DialectName& one : contract::dialect_names) {
      if (one.dialect != contract::Dialect::v1) {  // which needs a switch besides
        add("https://" + std::string(one.uri));
      }
    }
  } else if (spot.keyword == "severity") {
    for (const std::string_view one : {"error", "warning", "info"}) {
      add(one);
    }
  }
  return out;
}

// plumb.yaml: behind `contract:`, up to the place.
std::optional<Bytes> name_in_yaml(std::string_view text, std::size_t byte) {
  const std::size_t before = text.substr(0, byte).find_last_of("\r\n");
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  constexpr std::string_view key = "contract:";
  const std::string_view line = text.substr(start, byte - start);
  const std::size_t at = line.rfind(key);
  if (at == std::string_view::npos ||
      (at > 0 && std::string_view(" \t{,").find(line[at - 1]) == std::string_view::npos)) {
    return std::nullopt;
  }
  std::size_t from = at + key.size();
  while (from < line.size() && ascii::is_blank(line[from])) {
    ++from;
  }
  if (from == at + key.size() || line.find_first_of(" \t,}#", from) != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t to = byte;
  while (to < text.size() && std::string_view(" \t\r\n,}#").find(text[to]) == std::string_view::npos) {
    ++to;
  }
  return Bytes{start + from, to};
}

bool is_project_file(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "plumb.yaml" || name == "plumb.yml";
}

}  // namespace

void append_range(std::string& out, const Range& range) {
  json::Writer json(out);
  json.begin_object();
  for (const auto& [name, position] : {std::pair{"start", range.from}, std::pair{"end", range.to}}) {
    json.key(name).begin_object().member_uint("line", position.line).member_uint("character", position.character);
    json.end_object();
  }
  json.end_object();
}

std::string diagnostics_json(std::string_view uri, const Document& document) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("uri", uri);
  if (document.has_version) {
    json.key("version").integer(document.version);
  }
  json.key("diagnostics").begin_array();
  for (const Diagnostic& one : document.said) {
    json.begin_object().key("range").raw(range_json(one.range));
    json.member_uint("severity", severity_number(one.severity)).member("code", one.rule).member("source", "plumb");
    json.member("message", one.message).end_object();
  }
  json.end_array().end_object();
  return out;
}

std::string completion(const Document& document, std::uint64_t byte, bool is_contract, const Client& client) {
  if (is_project_file(document.path)) {
    const std::optional<Bytes> name = name_in_yaml(document.text, static_cast<std::size_t>(byte));
    std::vector<Suggestion> all;
    for (const contract::BuiltIn& one : contract::built_in_contracts()) {
      if (name) {
        all.push_back({std::string(one.name), std::string(one.name), kind_value, "built-in contract"});
      }
    }
    return suggested(document, all, name.value_or(Bytes{byte, byte}), client);
  }
  if (!is_contract) {
    return suggested(document, {}, {byte, byte}, client);
  }
  const Spot spot = spot_at(document.text, byte);
  return suggested(document, spot.what == Spot::What::keyword ? keywords_for(spot) : values_for(spot), spot.token,
                   client);
}

std::string hover(const Document& document, Position position, std::uint64_t byte, bool is_contract,
                  const Client& client) {
  const auto answer = [&](const std::string& text, const Range& range) {
    std::string out;
    json::Writer json(out);
    json.begin_object().key("contents").raw(markup(text, client)).key("range").raw(range_json(range)).end_object();
    return out;
  };
  if (is_contract) {
    const Spot spot = spot_at(document.text, byte);
    const std::string text =
        spot.what == Spot::What::other || spot.token.from == spot.token.to ? "" : explained(spot.keyword, client);
    if (!text.empty()) {
      return answer(text, ranges_of(document.text, {spot.token}, client.units).front());
    }
  }
  std::string text;
  std::vector<std::string_view> rules;
  Range range;
  for (const Diagnostic& one : document.said) {
    if (!one.range.meets({position, position}) || std::find(rules.begin(), rules.end(), one.rule) != rules.end()) {
      continue;
    }
    const std::string says = explained(one.rule, client);
    if (says.empty()) {
      continue;
    }
    range = rules.empty() ? one.range : range;
    rules.push_back(one.rule);
    text += (text.empty() ? "" : client.markdown ? "\n---\n\n" : "\n") + says;
  }
  return text.empty() ? "null" : answer(text, range);
}

std::string code_actions(std::string_view uri, const Document& document, const Offers& offers, const json::Value* only,
                         const Client& client) {
  std::string out;
  json::Writer json(out);
  json.begin_array();
  if (asked_for(only, quickfix)) {
    for (const Offer& one : offers.each) {
      append_action(json, one.title, quickfix, uri, document, one.text, client);
    }
  }
  if (asked_for(only, fix_all) && offers.count > 0 && offers.all != document.text) {
    append_action(json,
                  offers.count == 1 ? std::string("Make the certain edit")
                                    : "Make all " + std::to_string(offers.count) + " certain edits",
                  fix_all, uri, document, offers.all, client);
  }
  json.end_array();
  return out;
}

}  // namespace plumb::lsp
