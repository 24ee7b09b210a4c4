// `plumb contracts list`, `show` and `check`.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t depth_max = 200;     // of a contract's outline; deeper schemas are still compiled and run
constexpr std::size_t outline_max = 2000;  // lines of the outline

int out(std::string_view text) {
  if (write_all(STDOUT_FILENO, text)) {
    return exit_clean;
  }
  return fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) {
    text.append(width - text.size(), ' ');
  }
  return text;
}

std::string short_hash(const std::string& hash) { return hash.substr(0, 19); }  // "sha256:" and 12 digits

struct RuleLine {
  std::string id;
  std::string title;
  std::string how;  // "check", "ask", "check, else ask"
  std::string each;
  std::string ask;
  std::string action;
  bool blocks = false;
};

struct MessageLine {
  std::string at;  // where in the artifact, as far as the schema says it
  std::string rule;
  std::string message;
};

// What a contract says in its own words, read from its text: scorecard and messages, in file order.
struct Outline {
  std::vector<RuleLine> rules;
  std::vector<MessageLine> messages;
  std::vector<std::string> references;
  bool cut = false;

  static std::string text_of(const json::Value* value) {
    return value != nullptr && value->is(json::Kind::string) ? std::string(value->str()) : std::string();
  }

  void rule(const json::Value& value, const std::string& at) {
    RuleLine line;
    line.id = text_of(value.find("id"));
    line.title = text_of(value.find("title"));
    line.ask = text_of(value.find("ask"));
    line.action = text_of(value.find("action"));
    line.each = text_of(value.find("each"));
    if (!at.empty()) {
      line.each = at + line.each;
    }
    const json::Value* blocks = value.find("blocks");
    line.blocks = blocks != nullptr && blocks->is(json::Kind::boolean) && blocks->boolean;
    const bool checks = value.find("check") != nullptr;
    line.how = checks && !line.ask.empty() ? "check, else ask" : checks ? "check" : "ask";
    rules.push_back(std::move(line));
  }

  void schema(const json::Value& value, const std::string& at, std::size_t depth) {
    if (!value.is(json::Kind::object)) {
      return;
    }
    if (depth > depth_max || rules.size() + messages.size() > outline_max) {
      cut = true;
      return;
    }
    for (const json::Member& member : value.object()) {
      const std::string_view key = member.key;
      const json::Value& v = member.value;
      if (key == "errorMessage" && v.is(json::Kind::object)) {
        for (const json::Member& message : v.object()) {
          if (message.value.is(json::Kind::string)) {
            messages.push_back({at.empty() ? "/" : at, std::string(message.key), std::string(message.value.str())});
          } else {
            for (const json::Member& property : message.value.object()) {
              messages.push_back({at.empty() ? "/" : at, std::string(message.key) + " " + std::string(property.key),
                                  text_of(&property.value)});
            }
          }
        }
      } else if (key == "rules") {
        for (const json::Value& one : v.array()) {
          rule(one, at);
        }
      } else if (key == "$ref" || key == "$dynamicRef") {
        const std::string to(v.str());
        if (!to.empty() && to.front() != '#' &&
            std::find(references.begin(), references.end(), to) == references.end()) {
          references.push_back(to);
        }
      } else if (key == "properties" || key == "patternProperties" || key == "dependentSchemas") {
        for (const json::Member& property : v.object()) {
          schema(property.value, at + "/" + std::string(property.key), depth + 1);
        }
      } else if (key == "items" || key == "contains" || key == "unevaluatedItems" || key == "additionalItems") {
        if (v.is(json::Kind::array)) {
          for (const json::Value& one : v.array()) {
            schema(one, at + "/*", depth + 1);
          }
        } else {
          schema(v, at + "/*", depth + 1);
        }
      } else if (key == "prefixItems") {
        for (std::size_t i = 0; i < v.array().size(); ++i) {
          schema(v.array()[i], at + "/" + std::to_string(i), depth + 1);
        }
      } else if (key == "additionalProperties" || key == "unevaluatedProperties") {
        schema(v, at + "/*", depth + 1);
      } else if (key == "allOf" || key == "anyOf" || key == "oneOf") {
        for (const json::Value& one : v.array()) {
          schema(one, at, depth + 1);
        }
      } else if (key == "if" || key == "then" || key == "else" || key == "not") {
        schema(v, at, depth + 1);
      } else if (key == "pointers") {
        for (const json::Member& one : v.object()) {
          schema(one.value, at + " " + std::string(one.key), depth + 1);
        }
      } else if (key == "$defs" || key == "definitions") {
        for (const json::Member& one : v.object()) {
          schema(one.value, "#/" + std::string(key) + "/" + std::string(one.key), depth + 1);
        }
      }
    }
  }
};

std::string shown(const NamedContract& named, const contract::TextStyle& style, std::size_t columns) {
  const contract::Contract& contract = named.contract;
  const json::Value& tree = contract.tree();
  Outline outline;
  outline.schema(tree, "", 0);

  std::string text = bold(contract.name(), style);
  if (!contract.title().empty()) {
    text += "  " + contract.title();
  }
  text += "\n";
  const std::string description = Outline::text_of(tree.find("description"));
  if (!description.empty()) {
    text += wrapped(description, 0, columns) + "\n";
  }
  text += "\n";
  text += dim("from     ", style) + (named.source.empty() ? "built in" : named.source) + "\n";
  text += dim("hash     ", style) + contract.hash() + "\n";
  std::string context = joined(contract.context_read());
  text += dim("context  ", style) + (context.empty() ? "none" : wrapped(context, 9, columns)) + "\n";
  if (!outline.references.empty()) {
    std::string refers = joined(outline.references);
    text += dim("refers   ", style) + wrapped(refers, 9, columns) + "\n";
  }

  if (!outline.rules.empty()) {
    text += "\n" + bold("Scorecard", style) + "\n";
    std::size_t width = 0;
    for (const RuleLine& rule : outline.rules) {
      width = std::max(width, rule.id.size());
    }
    width = std::min<std::size_t>(width, 28);
    for (const RuleLine& rule : outline.rules) {
      text += "  " + cyan(padded(rule.id, width), style) + "  ";
      std::string says = rule.title.empty() ? rule.ask : rule.title;
      text += wrapped(says, width + 4, columns) + "\n";
      std::string tail = rule.how;
      if (!rule.each.empty()) {
        tail += ", each " + rule.each;
      }
      if (rule.blocks) {
        tail += ", blocks";
      }
      text += std::string(width + 4, ' ') + dim(tail, style) + "\n";
      if (!rule.title.empty() && !rule.ask.empty()) {
        text += std::string(width + 4, ' ') + wrapped(rule.ask, width + 4, columns) + "\n";
      }
      if (!rule.action.empty()) {
        text += std::string(width + 4, ' ') + (style.ascii ? "-> " : "→ ") + wrapped(rule.action, width + 7, columns) +
                "\n";
      }
    }
  }
  if (!outline.messages.empty()) {
    text += "\n" + bold("What it says", style) + "\n";
    std::size_t place_width = 0;
    std::size_t rule_width = 0;
    for (const MessageLine& line : outline.messages) {
      place_width = std::max(place_width, line.at.size());
      rule_width = std::max(rule_width, line.rule.size());
    }
    place_width = std::min<std::size_t>(place_width, 32);
    rule_width = std::min<std::size_t>(rule_width, 20);
    for (const MessageLine& line : outline.messages) {
      text += "  " + padded(line.at, place_width) + "  " + cyan(padded(line.rule, rule_width), style) + "  " +
              wrapped(line.message, place_width + rule_width + 6, columns) + "\n";
    }
  }
  if (outline.cut) {
    text += dim("  (cut here: use --json for all of it)", style) + "\n";
  }
  return text;
}

// plumb.yaml's contracts that are files, each once.
std::vector<std::string> configured_contracts(const ConfigFile& config) {
  std::vector<std::string> names;
  for (const ContractEntry& entry : config.contracts) {
    if (contract::built_in_contract(entry.contract) != nullptr) {
      continue;
    }
    if (std::find(names.begin(), names.end(), entry.contract) == names.end()) {
      names.push_back(entry.contract);
    }
  }
  return names;
}

}  // namespace

int run_contracts_list(const Arguments& arguments) {
  std::optional<ConfigFile> config;
  if (const std::string path = find_config_file(); !path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read) {
      return fail(read.error());
    }
    config = std::move(read).value();
  }
  Result<ContractReading> reading =
      ContractReading::from(arguments, config ? config->documents : decltype(config->documents)());
  if (!reading) {
    return fail(reading.error());
  }

  std::vector<NamedContract> all;
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    Result<NamedContract> named = find_contract(std::string(built_in.name), reading.value());
    if (!named) {
      return fail(named.error());
    }
    all.push_back(std::move(named).value());
  }
  int code = exit_clean;
  if (config) {
    std::vector<std::string> files = configured_contracts(*config);
    for (const auto& [type, file] : config->artifacts) {
      if (std::find(files.begin(), files.end(), file) == files.end()) {
        files.push_back(file);
      }
    }
    for (const std::string& file : files) {
      Result<NamedContract> named = find_contract(file, reading.value());
      if (!named) {
        code = fail(named.error());
        continue;
      }
      all.push_back(std::move(named).value());
    }
  }

  if (arguments.has("--json")) {
    std::string json;
    json::Writer writer(json, 2);
    writer.begin_array();
    for (const NamedContract& named : all) {
      writer.begin_object();
      writer.member("name", named.contract.name()).member("title", named.contract.title());
      writer.member("hash", named.contract.hash());
      if (!named.source.empty()) {
        writer.member("file", named.source);
      }
      writer.key("context").begin_array();
      for (const std::string& pointer : named.contract.context_read()) {
        writer.string(pointer);
      }
      writer.end_array().end_object();
    }
    writer.end_array();
    const int written = out(json + "\n");
    return written == exit_clean ? code : written;
  }

  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  std::size_t name_width = 0;
  std::size_t title_width = 0;
  for (const NamedContract& named : all) {
    name_width = std::max(name_width, named.contract.name().size());
    title_width = std::max(title_width, named.contract.title().size());
  }
  std::string text;
  for (const NamedContract& named : all) {
    text += cyan(padded(named.contract.name(), name_width), style) + "  " +
            padded(named.contract.title(), title_width) + "  " + dim(short_hash(named.contract.hash()), style);
    if (!named.source.empty()) {
      text += "  " + named.source;
    }
    text += "\n";
  }
  const int written = out(text);
  return written == exit_clean ? code : written;
}

int run_contracts_show(const Arguments& arguments) {
  const Result<NamedContract> named = contract_argument(arguments);
  if (!named) {
    return fail(named.error());
  }
  if (arguments.has("--json")) {
    std::string text = named.value().contract.text();
    if (text.empty() || text.back() != '\n') {
      text += '\n';
    }
    return out(text);
  }
  for (const std::string& line : warning_lines(named.value())) {
    write_all(STDERR_FILENO, line + "\n");
  }
  return out(shown(named.value(), style_for(arguments, STDOUT_FILENO),
                   std::min<std::size_t>(terminal_columns(STDOUT_FILENO), 120)));
}

int run_contracts_check(const Arguments& arguments) {
  Result<ContractReading> reading = ContractReading::from(arguments, {});
  if (!reading) {
    return fail(reading.error());
  }
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  int code = exit_clean;
  for (const std::string& path : arguments.positionals()) {
    const Result<std::string> text = read_file(path, contract_bytes_max);
    if (!text) {
      code = fail(text.error());
      continue;
    }
    const Result<contract::Contract> read = reading.value().read(text.value(), path);
    std::string lines;
    if (!read) {
      const Error& error = read.error();
      lines = path;
      if (error.line > 0) {
        lines += ":" + std::to_string(error.line) + ":" + std::to_string(std::max<std::size_t>(error.column, 1));
      }
      lines += ": " + red("error", style) + ": " + error.message + "\n";
      code = std::max(code, exit_findings);
    } else {
      const NamedContract named{read.value(), path};
      for (const std::string& line : warning_lines(named)) {
        lines += line + "\n";
      }
      if (!read.value().warnings().empty() && arguments.has("--strict")) {
        code = std::max(code, exit_findings);
      }
      lines += path + ": " + green(style.ascii ? "a contract" : "✓ a contract", style) + ": " + read.value().name() +
               "  " + dim(short_hash(read.value().hash()), style) + "\n";
    }
    if (const int written = out(lines); written != exit_clean) {
      return written;
    }
  }
  return code;
}

}  // namespace plumb::cli
