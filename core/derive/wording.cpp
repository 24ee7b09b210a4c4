#include "core/derive/wording.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

using json::Kind;

namespace {

constexpr std::size_t values_listed_max = 20;
constexpr std::size_t excerpt_max = 120;

std::string text(std::string_view view) { return std::string(view); }

std::string number_of(const json::Value& value, std::string_view one, std::string_view many) {
  return text(value.str()) + " " + text(value.str() == "1" ? one : many);
}

// A pointer as a contract writes it, in words.
std::string place(std::string_view pointer, json::Slash slash) {
  if (pointer.starts_with("text:")) {
    std::string out;
    json::append_string(out, pointer.substr(5));
    return out;
  }
  const Result<json::PointerPattern> read = json::parse_pattern(pointer, slash);
  if (!read) {
    return quoted(pointer);
  }
  const json::PointerPattern& pattern = read.value();
  std::string way;
  for (const json::PointerToken& token : pattern.tokens) {
    way += way.empty() ? "" : "/";
    way += token.star ? "*" : token.text;
  }
  if (pattern.base == json::PointerBase::context) {
    return way.empty() ? "the context" : quoted(way) + " of the context";
  }
  if (pattern.base == json::PointerBase::root) {
    return way.empty() ? "the whole answer" : quoted("/" + way);
  }
  if (way.empty()) {
    return pattern.levels_up == 0 ? "the value itself" : "what holds it";
  }
  if (pattern.levels_up == 0) {
    return quoted(way);
  }
  if (pattern.levels_up == 1) {
    return quoted(way) + " beside it";
  }
  return quoted(way) + ", " + std::to_string(pattern.levels_up) + " levels up";
}

std::string places(const json::Value* value, json::Slash slash, std::string_view last) {
  if (value == nullptr) {
    return {};
  }
  if (value->is(Kind::string)) {
    return place(value->str(), slash);
  }
  std::vector<std::string> all;
  for (const json::Value& one : value->array()) {
    all.push_back(place(one.str(), slash));
  }
  return listed(all, last);
}

std::string folded(const json::Value& value) {
  const json::Value* fold = value.find("fold");
  bool trim = false;
  bool lower = false;
  if (fold != nullptr) {
    for (const json::Value& one : fold->array()) {
      trim = trim || one.str() == "trim";
      lower = lower || one.str() == "lowercase";
    }
  }
  if (trim && lower) {
    return ", ignoring case and outer white space";
  }
  return trim ? ", ignoring outer white space" : lower ? ", ignoring case" : "";
}

std::string by_of(const json::Value& value) {
  const json::Value* by = value.find("by");
  return by == nullptr ? std::string() : place(by->str(), json::Slash::here);
}

// {equals, min, max} of countOf and sumOf.
std::string bounds(const json::Value& value) {
  std::vector<std::string> all;
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"equals", "equal to "}, {"min", "at least "}, {"max", "at most "}};
  for (const auto& [key, words] : kinds) {
    const json::Value* bound = value.find(key);
    if (bound != nullptr) {
      all.push_back(text(words) +
                    (bound->is(Kind::string) ? place(bound->str(), json::Slash::here) : text(bound->str())));
    }
  }
  return listed(all);
}

std::string type_words(const json::Value& value) {
  auto with_article = [](std::string_view type) {
    if (type == "null") {
      return std::string("null");
    }
    const bool vowel = type == "array" || type == "object" || type == "integer";
    return (vowel ? "an " : "a ") + text(type);
  };
  if (value.is(Kind::string)) {
    return with_article(value.str());
  }
  std::vector<std::string> all;
  for (const json::Value& one : value.array()) {
    all.push_back(with_article(one.str()));
  }
  return listed(all, "or");
}

// Lists of members are named, schemas are not.
std::string dependencies_phrase(const json::Value& value) {
  std::vector<std::string> all;
  std::vector<std::string> schemas;
  for (const json::Member& one : value.object()) {
    if (one.value.is(Kind::array)) {
      all.push_back(quoted(one.key) + " requires " + quoted_list(one.value));
    } else {
      schemas.push_back(quoted(one.key));
    }
  }
  if (!schemas.empty()) {
    all.push_back("more is asked where " + listed(schemas, "or") + (schemas.size() == 1 ? " is there" : " are there"));
  }
  return listed(all);
}

std::string schema_phrase(std::string_view key, const json::Value& value) {
  const bool no = value.is(Kind::boolean) && !value.boolean;
  if (key == "additionalProperties" || key == "unevaluatedProperties") {
    return no ? "no members but those named" : "members that are not named fit a schema of their own";
  }
  if (key == "additionalItems" || key == "unevaluatedItems") {
    return no ? "no items but those described" : "further items fit a schema of their own";
  }
  if (key == "items" || key == "prefixItems") {
    return no ? "no further items" : "the items fit their schemas";
  }
  if (key == "properties") {
    return "the members fit their schemas";
  }
  if (key == "patternProperties") {
    return "members whose names match a pattern fit its schema";
  }
  if (key == "propertyNames") {
    return "the names of the members fit a schema";
  }
  if (key == "contains") {
    return "some items fit a schema of their own";
  }
  if (key == "minContains" || key == "maxContains") {
    return text(key == "minContains" ? "at least " : "at most ") +
           number_of(value, "item fits the schema of `contains`", "items fit the schema of `contains`");
  }
  if (key == "allOf" || key == "anyOf" || key == "oneOf") {
    return text(key == "allOf"   ? "every one"
                : key == "anyOf" ? "at least one"
                                 : "exactly one") +
           " of " + std::to_string(value.array().size()) + " schemas holds";
  }
  if (key == "not") {
    return "does not fit a schema";
  }
  if (key == "if") {
    return "a condition decides which schema holds";
  }
  if (key == "then" || key == "else") {
    return text("what is asked where the condition of `if` ") + (key == "then" ? "holds" : "does not hold");
  }
  if (key == "dependentSchemas" || key == "dependencies") {
    return dependencies_phrase(value);
  }
  if (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef") {
    return "the schema at " + quoted(value.str()) + " holds";
  }
  return {};
}

std::string check_phrase(std::string_view key, const json::Value& value) {
  if (key == "type") {
    return type_words(value);
  }
  if (key == "const") {
    return "exactly " + json::excerpt(json::value_text(value), excerpt_max);
  }
  if (key == "enum") {
    std::vector<std::string> all;
    for (const json::Value& one : value.array()) {
      if (all.size() == values_listed_max) {
        all.push_back(std::to_string(value.array().size() - values_listed_max) + " more");
        break;
      }
      all.push_back(json::excerpt(json::value_text(one), excerpt_max));
    }
    return "one of " + listed(all, "or");
  }
  static constexpr std::pair<std::string_view, std::string_view> bound_words[] = {{"minimum", "at least "},
                                                                                  {"maximum", "at most "},
                                                                                  {"exclusiveMinimum", "more than "},
                                                                                  {"exclusiveMaximum", "less than "},
                                                                                  {"multipleOf", "a multiple of "}};
  for (const auto& [name, words] : bound_words) {
    if (name == key) {
      return text(words) + text(value.str());
    }
  }
  static constexpr std::pair<std::string_view, std::pair<std::string_view, std::string_view>> counts[] = {
      {"Length", {"character", "characters"}}, {"Items", {"item", "items"}}, {"Properties", {"member", "members"}}};
  for (const auto& [tail, nouns] : counts) {
    if (key.size() == tail.size() + 3 && key.substr(3) == tail && (key[1] == 'i' || key[1] == 'a')) {
      return text(key[1] == 'i' ? "at least " : "at most ") + number_of(value, nouns.first, nouns.second);
    }
  }
  if (key == "pattern") {
    return "matches the pattern " + quoted(value.str());
  }
  if (key == "format") {
    return "in the format " + quoted(value.str());
  }
  if (key == "uniqueItems") {
    return "no two items are equal";
  }
  if (key == "required") {
    return value.size == 1 ? quoted_list(value) + " is there" : quoted_list(value) + " are there";
  }
  if (key == "dependentRequired") {
    std::vector<std::string> all;
    for (const json::Member& one : value.object()) {
      all.push_back(quoted(one.key) + " requires " + quoted_list(one.value));
    }
    return listed(all);
  }
  return {};
}

std::string text_phrase(std::string_view key, const json::Value& value) {
  auto member = [&](std::string_view name) {
    const json::Value* found = value.find(name);
    return found == nullptr ? std::string() : text(found->str());
  };
  if (key == "notBlank") {
    return "not blank";
  }
  if (key == "length") {
    const std::string min = member("min");
    const std::string max = member("max");
    std::string size = min.empty() ? "at most " + max : max.empty() ? "at least " + min : min + " to " + max;
    return size + " characters" + (folded(value).empty() ? "" : " without outer white space");
  }
  if (key == "maxSentences") {
    return "at most " + number_of(value, "sentence", "sentences");
  }
  if (key == "avoids") {
    std::vector<std::string> all;
    for (const json::Value& one : value.array()) {
      std::string words = text(one.str());
      std::replace(words.begin(), words.end(), '-', ' ');
      all.push_back(words);
    }
    return "no wording that is " + listed(all, "or");
  }
  if (key == "singleUnknown") {
    return "asks for one thing only";
  }
  if (key == "mentions") {
    const std::string all = places(value.find("all"), json::Slash::root, "and");
    const std::string any = places(value.find("any"), json::Slash::root, "or");
    return "mentions " + (all.empty() ? any : any.empty() ? all : all + ", and " + any);
  }
  if (key == "facts") {
    const std::string min = member("min").empty() ? "1" : member("min");
    const std::string within = member("within");
    std::string out = "states at least " + min + (min == "1" ? " concrete fact" : " concrete facts");
    if (const json::Value* kinds = value.find("kinds")) {
      std::vector<std::string> all;
      for (const json::Value& one : kinds->array()) {
        all.push_back(text(one.str()));
      }
      out += " (" + listed(all, "or") + ")";
    }
    return out + (within.empty() ? "" : " within its first " + within + " characters");
  }
  return {};
}

std::string across_phrase(std::string_view key, const json::Value& value) {
  const std::string in = places(value.find("in"), json::Slash::root, "or");
  if (key == "memberOf") {
    const std::string by = by_of(value);
    return "one of the values at " + in + (by.empty() ? "" : " (their " + by + ")") + folded(value);
  }
  if (key == "distinct" || key == "acyclic") {
    const bool tree = value.find("from") != nullptr;
    std::string by = by_of(value);
    by = by.empty() ? (tree ? "node" : "item") : by;
    if (key == "acyclic") {
      return "no " + by + " appears again among its own ancestors" + folded(value);
    }
    if (tree) {
      return "no two nodes of the tree have the same " + by + folded(value);
    }
    return (by == "item" ? "no two items are equal" : "no two items have the same " + by) + folded(value);
  }
  if (key == "countOf" || key == "sumOf") {
    const std::string own = places(value.find("in"), json::Slash::here, "or");
    const std::string of = own.empty() ? "what it holds" : "the values at " + own;
    return text(key == "countOf" ? "the number of " : "the sum of ") + of + " is " + bounds(value);
  }
  if (key == "sameSetAs") {
    return "the same set as the values at " + in;
  }
  if (key == "novel") {
    return "new compared with " + in;
  }
  if (key == "quotedFrom") {
    return "quoted word for word from " + in;
  }
  if (key == "pointers") {
    std::vector<std::string> all;
    for (const json::Member& one : value.object()) {
      all.push_back(place(one.key, json::Slash::here));
    }
    return "what is at " + listed(all) + " fits a schema of its own";
  }
  return {};
}

}  // namespace

std::string quoted(std::string_view view) { return "`" + text(view) + "`"; }

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) {
      out += i + 1 == words.size() ? " " + text(last) + " " : ", ";
    }
    out += words[i];
  }
  return out;
}

std::string quoted_list(const json::Value& list, std::string_view last) {
  std::vector<std::string> all;
  for (const json::Value& one : list.array()) {
    all.push_back(quoted(one.str()));
  }
  return listed(all, last);
}

std::string phrase(std::string_view key, const json::Value& value) {
  std::string out = schema_phrase(key, value);
  if (out.empty()) {
    out = check_phrase(key, value);
  }
  if (out.empty()) {
    out = text_phrase(key, value);
  }
  if (out.empty()) {
    out = across_phrase(key, value);
  }
  return out.empty() ? quoted(key) + " holds" : out;
}

std::string sentence(std::string_view words) {
  std::string out = text(words);
  if (!out.empty() && ascii::is_lower(out.front())) {
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  }
  const bool ended = !out.empty() && (out.back() == '.' || out.back() == '!' || out.back() == '?');
  return ended ? out : out + ".";
}

std::string rule_phrase(const json::Value& rule) {
  for (std::string_view key : {"title", "ask"}) {
    const json::Value* found = rule.find(key);
    if (found != nullptr && found->size > 0) {
      return text(found->str());
    }
  }
  const json::Value* id = rule.find("id");
  return "the rule " + quoted(id == nullptr ? std::string_view() : id->str());
}

std::string phrase_in(const json::Value& schema, std::string_view key, const json::Value& value) {
  if (key.starts_with("min") || key.starts_with("max")) {
    const std::string other = (key[1] == 'i' ? "max" : "min") + text(key.substr(3));
    const json::Value* bound = schema.find(other);
    std::string most = phrase(key, value);
    const std::size_t number = most.find(' ', most.find(' ') + 1) + 1;  // behind "at least " or "at most "
    if (bound != nullptr && bound->is(Kind::number) && bound->str() == value.str() &&
        (most.starts_with("at least ") || most.starts_with("at most "))) {
      return "exactly " + most.substr(number);
    }
    return most;
  }
  return phrase(key, value);
}

std::string own_words(const json::Value& schema, std::string_view key, const json::Value& value) {
  const json::Value* messages = schema.find("errorMessage");
  const json::Value* own = messages == nullptr ? nullptr : messages->find(key);
  // What these ask is known by itself, and a message about it speaks of what went wrong: "found duplicates".
  const bool plain = key == "notBlank" || key == "distinct" || key == "uniqueItems" || key == "acyclic";
  if (own == nullptr || plain || !own->is(Kind::string)) {
    return phrase_in(schema, key, value);
  }
  std::string out = text(own->str());
  // What is in brackets is about the broken value: "(has {size})".
  for (std::size_t at = out.find(" ("); at != std::string::npos; at = out.find(" (", at)) {
    const std::size_t end = out.find(')', at);
    if (end == std::string::npos || out.find('{', at) > end) {
      at += 2;
      continue;
    }
    out.erase(at, end + 1 - at);
  }
  // A message that says no number where the keyword has one says less than the keyword.
  const bool counts = value.is(Kind::number) || key == "length";
  if (counts && out.find_first_of("0123456789") == std::string::npos) {
    return phrase(key, value);
  }
  return out.empty() || out.find('{') != std::string::npos ? phrase(key, value) : out;
}

}  // namespace plumb::derive
