#include "core/pipelines/artifact/counts.hpp"

#include <algorithm>
#include <iterator>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/duplicates.hpp"
#include "core/repair/patch.hpp"
#include "core/text/language.hpp"
#include "core/text/rendered_quote.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::Kind;
using json::number_of;
using json::Value;

constexpr std::uint64_t option_max = 20'000;  // of a prompt that says nothing else

// The members on the way to a list: "/a/questions/*" gives a, questions. Empty where the pattern goes another way.
std::vector<std::string> way_to_list(std::string_view at) {
  Result<std::vector<std::string>> read = json::parse_pointer(at);
  if (!read || read.value().size() < 2 || read.value().back() != "*") {
    return {};
  }
  std::vector<std::string> way = std::move(read).value();
  way.pop_back();
  return std::find(way.begin(), way.end(), "*") == way.end() ? way : std::vector<std::string>();
}

struct Bound {
  std::uint64_t min = 0;  // 0: as it is
  std::uint64_t max = 0;
  std::string message;  // of both; empty: the contract's own
};

// The schema of the list, with its bounds.
void write_list_schema(json::Writer& json, const Value* schema, const Bound& bound) {
  json.begin_object();
  bool says_errors = false;
  const auto messages = [&](const Value* own) {
    json.key("errorMessage").begin_object();
    for (const json::Member& member : own == nullptr ? std::span<const json::Member>() : own->object()) {
      if (member.key != "maxItems" && (member.key != "minItems" || bound.min == 0)) {
        json.key(member.key).value(member.value);
      }
    }
    if (bound.min > 0) {
      json.member("minItems", bound.message);
    }
    json.member("maxItems", bound.message).end_object();
    says_errors = true;
  };
  for (const json::Member& member : schema == nullptr ? std::span<const json::Member>() : schema->object()) {
    if (member.key == "errorMessage" && !bound.message.empty() && member.value.is(Kind::object)) {
      messages(&member.value);
    } else if (member.key != "maxItems" && (member.key != "minItems" || bound.min == 0)) {
      json.key(member.key).value(member.value);
    }
  }
  if (bound.min > 0) {
    json.member_uint("minItems", bound.min);
  }
  json.member_uint("maxItems", bound.max);
  if (!says_errors && !bound.message.empty()) {
    messages(nullptr);
  }
  json.end_object();
}

void write_bounded(json::Writer& json, const Value* schema, const std::vector<std::string>& way, std::size_t step,
                   const Bound& bound) {
  if (step == way.size()) {
    write_list_schema(json, schema, bound);
    return;
  }
  const auto write_properties = [&](const Value* properties) {
    json.key("properties").begin_object();
    bool there = false;
    for (const json::Member& member : properties == nullptr ? std::span<const json::Member>() : properties->object()) {
      json.key(member.key);
      if (member.key == way[step]) {
        there = true;
        write_bounded(json, &member.value, way, step + 1, bound);
      } else {
        json.value(member.value);
      }
    }
    if (!there) {
      json.key(way[step]);
      write_bounded(json, nullptr, way, step + 1, bound);
    }
    json.end_object();
  };
  json.begin_object();
  bool there = false;
  for (const json::Member& member : schema == nullptr ? std::span<const json::Member>() : schema->object()) {
    if (member.key == "properties" && member.value.is(Kind::object)) {
      there = true;
      write_properties(&member.value);
    } else {
      json.key(member.key).value(member.value);
    }
  }
  if (!there) {
    write_properties(nullptr);
  }
  json.end_object();
}

std::string bounded(const Value& schema, const std::vector<std::string>& way, const Bound& bound) {
  std::string out;
  json::Writer json(out);
  write_bounded(json, &schema, way, 0, bound);
  return out;
}

// The list's own schema in the contract, where it stands there as such.
const Value* list_schema(const Value& contract, const std::vector<std::string>& way) {
  const Value* at = &contract;
  for (const std::string& step : way) {
    const Value* properties = at == nullptr ? nullptr : at->find("properties");
    at = properties == nullptr ? nullptr : properties->find(step);
  }
  return at;
}

Error contradiction(std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  return error;
}

// All that is said in a value, for looking words up in.
void all_text(const Value& value, std::string& out) {
  if (value.is(Kind::string)) {
    out.append(value.str()).append(" \n");
  }
  for (const Value& item : value.array()) {
    all_text(item, out);
  }
  for (const json::Member& member : value.object()) {
    all_text(member.value, out);
  }
}

std::string name_of(const Value& entry) {
  if (entry.is(Kind::string)) {
    return std::string(entry.str());
  }
  for (const json::Member& member : entry.object()) {
    if (member.value.is(Kind::string)) {
      return std::string(member.value.str());
    }
  }
  return {};
}

// What tells a name from the others of its plan: its words that none of them has, or all of them.
std::string own_words(const std::vector<Entry>& entries, std::size_t at) {
  std::string own;
  for (std::string_view rest = entries[at].name; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    bool shared = !text::shares_content_word(word, word);
    for (std::size_t i = 0; i < entries.size() && !shared; ++i) {
      shared = i != at && text::shares_content_word(word, entries[i].name);
    }
    if (!shared) {
      own.append(word).append(" ");
    }
  }
  return own.empty() ? entries[at].name : own;
}

// The nodes of a tree that stand deeper than `levels`, the root on the first.
std::vector<std::string> too_deep(const Counted& made, const Value& artifact, std::uint64_t levels) {
  std::vector<std::string> out;
  const Result<std::vector<std::string>> root = json::parse_pointer(made.from);
  const Result<std::vector<std::string>> step = json::parse_pointer(made.children);
  if (!root || !step || step.value().empty()) {
    return out;
  }
  for (const std::string& place : made.places(artifact)) {
    const Result<std::vector<std::string>> tokens = json::parse_pointer(place);
    const std::size_t below = tokens ? tokens.value().size() - root.value().size() : 0;
    if (below / step.value().size() + 1 > levels) {
      out.push_back(place);
    }
  }
  return out;
}

}  // namespace

Bounds bounds_of(const Prompt& plan_prompt, std::string_view option) {
  Bounds out{1, option_max};
  json::Arena arena;
  const Result<Value> limits = json::parse(plan_prompt.limits.empty() ? "{}" : plan_prompt.limits, arena);
  if (const Value* own = limits ? limits.value().find(option) : nullptr; own != nullptr && own->array().size() == 2) {
    json::read_uint(own->array()[0].str(), out.min);
    json::read_uint(own->array()[1].str(), out.max);
  }
  return out;
}

Result<std::string> counted_contract(std::string_view contract, const Counted& made, Count& count) {
  const std::vector<std::string> way = way_to_list(made.at);
  json::Arena arena;
  const Result<Value> schema = json::parse(contract, arena);
  if (way.empty() || count.most == 0 || !schema || !schema.value().is(Kind::object)) {
    count.most = way.empty() ? 0 : count.most;
    return std::string(contract);
  }
  if (const Value* list = list_schema(schema.value(), way)) {
    count.least = number_of(*list, "minItems", 1);
    const std::uint64_t own_most = number_of(*list, "maxItems", option_max);
    if (count.exactly > 0 && (count.exactly < count.least || count.exactly > own_most)) {
      return contradiction("the contract itself wants " + (count.exactly < count.least
                                                               ? "at least " + json::uint_text(count.least)
                                                               : "at most " + json::uint_text(own_most)));
    }
    count.most = std::max(std::min(count.most, own_most), count.least);
  }
  Bound bound;
  bound.min = count.exactly;
  bound.max = count.exactly > 0 ? count.exactly : count.most;
  bound.message = std::string(count.exactly > 0 ? "Must have exactly " : "Must have at most ") + made.words(bound.max) +
                  " (has {size})";
  return bounded(schema.value(), way, bound);
}

std::string counted_plan(std::string_view contract, const Prompt& plan_prompt) {
  const std::vector<std::string> way = way_to_list(plan_prompt.planned.at);
  json::Arena arena;
  const Result<Value> schema = json::parse(contract, arena);
  if (way.empty() || plan_prompt.made.option.empty() || !schema || !schema.value().is(Kind::object)) {
    return std::string(contract);
  }
  const Value* list = list_schema(schema.value(), way);
  Bound bound;
  bound.max = std::min(bounds_of(plan_prompt, plan_prompt.made.option).max,
                       list == nullptr ? option_max : number_of(*list, "maxItems", option_max));
  return bounded(schema.value(), way, bound);
}

std::vector<Entry> entries_of(const Job& job, const Prompt& plan_prompt, const Value& plan) {
  std::vector<Entry> out;
  const std::vector<std::string> places = plan_prompt.planned.places(plan);
  const std::uint64_t wanted = wanted_items(job, plan_prompt, plan);
  for (std::size_t i = 0; i < places.size() && (wanted == 0 || i < wanted); ++i) {
    const Value* entry = json::resolve(plan, places[i]);
    out.push_back({plan_prompt.planned.one + " " + json::uint_text(i + 1), entry == nullptr ? "" : name_of(*entry)});
  }
  return out;
}

std::uint64_t levels_of(const Job& job, const Prompt& plan_prompt) {
  json::Arena arena;
  const Result<Value> options = json::parse(options_json(job, plan_prompt), arena);
  return plan_prompt.made.from.empty() ? 0 : number_of(options.value(), "depth", 0);
}

std::string levels_text(std::uint64_t levels) {
  return "at most " + counted(levels, "level") + ", the root among them";
}

std::vector<Entry> uncovered_in(const Job& job, const Prompt& plan_prompt, const Value& plan, std::string_view said) {
  std::vector<Entry> out;
  const std::vector<Entry> entries = entries_of(job, plan_prompt, plan);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string name = job.way < 3 ? entries[i].name : own_words(entries, i);
    // A name without a word that says something cannot be looked for.
    if (text::shares_content_word(name, name) && !text::shares_content_word(name, said)) {
      out.push_back(entries[i]);
    }
  }
  return out;
}

Counting count_of(const Job& job, const Prompt& plan_prompt, const Value& plan, const Value& artifact) {
  Counting out;
  const Counted& made = plan_prompt.made;
  out.items = made.count(artifact);
  if (job.way < 2) {
    return out;
  }
  std::string said;
  all_text(artifact, said);
  out.uncovered = uncovered_in(job, plan_prompt, plan, said);
  const auto add = [&](std::string_view rule, contract::Severity severity, std::string at, std::string message) {
    contract::Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.finding_class = contract::FindingClass::count;
    finding.at = std::move(at);
    finding.message = std::move(message);
    return &out.findings.emplace_back(std::move(finding));
  };
  for (const Entry& entry : out.uncovered) {
    add("coverage", contract::Severity::warning, "",
        "Nothing is about '" + json::excerpt(entry.name, 80) + "' (" + entry.id + " of the plan)");
  }
  const std::uint64_t levels = levels_of(job, plan_prompt);
  for (std::string& at : levels == 0 ? std::vector<std::string>() : too_deep(made, artifact, levels)) {
    std::string message = "The " + made.one + " at " + at + " is deeper than " + counted(levels, "level");
    contract::Finding* finding = add("depth", contract::Severity::error, std::move(at), std::move(message));
    if (job.way >= 3) {  // where it is, not how many there are
      finding->finding_class = contract::FindingClass::inner;
      finding->requirement = levels_text(levels);
    }
  }
  // A language that is not evident when it is there can be taken for another one.
  const std::string_view language = text::language_of(said);
  if (text::is_evident_language(job.language) && !language.empty() && language != job.language) {
    add("language", contract::Severity::warning, "",
        "The artifact is in " + std::string(text::language_name(language)) + ", and " + language_words(job) +
            " is wanted");
  }
  if (job.way >= 3) {
    std::vector<contract::Finding> same = duplicates_in(artifact, made.places(artifact), made.one);
    std::move(same.begin(), same.end(), std::back_inserter(out.findings));
  }
  return out;
}

Cut cut_items(const Job& job, const Prompt& plan_prompt, const Value& plan, std::string text) {
  const std::uint64_t most = job.count.exactly > 0 ? job.count.exactly : job.count.most;
  json::Arena arena;
  const Result<Value> artifact = json::parse(text, arena);
  const std::vector<std::string> places = artifact && plan_prompt.made.from.empty()
                                              ? plan_prompt.made.places(artifact.value())
                                              : std::vector<std::string>();
  if (most == 0 || places.size() <= most) {
    return {std::move(text), 0};
  }
  std::vector<std::string> said(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    all_text(*json::resolve(artifact.value(), places[i]), said[i]);
  }
  std::vector<bool> stays(places.size());
  std::uint64_t count = 0;
  for (const Entry& entry : entries_of(job, plan_prompt, plan)) {
    for (std::size_t i = 0; i < places.size() && count < most; ++i) {
      if (!stays[i] && text::shares_content_word(entry.name, said[i])) {
        stays[i] = true;
        ++count;
        break;
      }
    }
  }
  for (std::size_t i = 0; i < places.size() && count < most; ++i) {
    count += stays[i] ? 0 : 1;
    stays[i] = true;
  }
  std::string patch;
  json::Writer json(patch);
  json.begin_array();
  for (std::size_t i = places.size(); i-- > 0;) {  // from behind, so that places stay where they are
    if (!stays[i]) {
      json.begin_object().member("op", "remove").member("path", places[i]).end_object();
    }
  }
  json.end_array();
  const Result<Value> operations = json::parse(patch, arena);
  const std::vector<std::string> everywhere{""};
  Result<std::string> done = repair::apply_patch(artifact.value(), operations.value(), everywhere);
  return done ? Cut{std::move(done).value(), places.size() - count} : Cut{std::move(text), 0};
}

std::string manifest_text(const Job& job, const Prompt& plan_prompt, const Value& plan,
                          const std::vector<Entry>& uncovered, std::uint64_t items, bool made) {
  std::string out;
  // The prompt already says how many items to write.
  if (job.count.most > 0 && made) {
    out = plan_prompt.made.words(items) + (items == 1 ? " is there." : " are there.");
  }
  std::string lines;
  for (const Entry& entry : entries_of(job, plan_prompt, plan)) {
    const bool open =
        std::any_of(uncovered.begin(), uncovered.end(), [&](const Entry& one) { return one.id == entry.id; });
    lines +=
        (lines.empty() ? "" : "\n") + entry.id + ": " + entry.name + (made && open ? " (nothing is about it)" : "");
  }
  if (!lines.empty()) {
    const std::string& one = plan_prompt.made.one;
    out += (out.empty() ? "" : "\n") + std::string("Write at least one ") + (one.empty() ? "item" : one) +
           " for EVERY entry of the plan:\n" + fenced("manifest", lines);
  }
  return out;
}

}  // namespace plumb::pipelines::artifact
