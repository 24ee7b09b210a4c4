// Contracts shaped like the documents that people send: `$schema`, `$id`, `$ref`, anchors and `$vocabulary`, known and
// unknown, right and wrong, in every place where a schema may be, over several documents. Any of them is a contract
// or is refused with a reason and a place; what is accepted says the same twice, judges, and gives each derived form, a
// sample and a lint report, or says why not.
#include <array>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/lint/lint.hpp"
#include "core/sample/sample.hpp"
#include "tests/fuzz/fuzzing.hpp"

namespace {

using std::string_view;

constexpr string_view uris[] = {"https://json-schema.org/draft/2020-12/schema",
                                "https://json-schema.org/draft/2019-09/schema",
                                "http://json-schema.org/draft-07/schema#",
                                "http://json-schema.org/draft-06/schema#",
                                "http://json-schema.org/draft-04/schema#",
                                "http://json-schema.org/schema",
                                "https://json-schema.org/draft/2020-12/meta/core",
                                "https://json-schema.org/draft/2020-12/vocab/applicator",
                                "https://json-schema.org/draft/2020-12/vocab/validation",
                                "https://json-schema.org/draft/2019-09/vocab/applicator",
                                "https://json-schema.org/draft/2019-09/meta/core",
                                "plumb:x",
                                "plumb:meta/contract",
                                "plumb:quiz",
                                "doc:one",
                                "doc:two",
                                "doc:one#",
                                "doc:two#a",
                                "",
                                "#",
                                "##",
                                "#a",
                                "a",
                                "../a",
                                "//",
                                "http://[",
                                "%",
                                "urn:x:%zz#/%"};
constexpr string_view fragments[] = {
    "#",       "#/",        "#/$defs/a", "#/$defs/b",   "#/properties/a", "#a",        "#b",        "#/enum/0",
    "#/items", "#/items/0", "#/a/b",     "#/~",         "#/~2",           "#/allOf/0", "#/allOf/1", "#/allOf/-",
    "#%",      "#/$id",     "",          "#/default/a", "#/rules/0/check"};
constexpr string_view names[] = {"a", "b", "items", "$ref", "$id", "", "~", "*"};
constexpr string_view pointers[] = {"/a", "1/a", "2/a/*", "0",  "",          "/*",   "/a/*/b", "context:/a",
                                    "1/", "9/a", "a",     "/~", "context:x", "root", "1#",     "/a/*/a/b"};
constexpr string_view scalars[] = {"null", "true", "false",  "0",       "1",         "2",    "-1",
                                   "0.5",  "1e9",  "1e400",  "\"a\"",   "\"\"",      "[]",   "{}",
                                   "[1]",  "[[]]", "\"A \"", "\"x y\"", "{\"a\":1}", "\"1\""};
// Keywords whose value is one schema, a list, a map; and such whose value is something else.
constexpr string_view of_schema[] = {"items",
                                     "contains",
                                     "not",
                                     "if",
                                     "then",
                                     "else",
                                     "propertyNames",
                                     "additionalProperties",
                                     "additionalItems",
                                     "unevaluatedItems",
                                     "unevaluatedProperties",
                                     "contentSchema"};
constexpr string_view of_list[] = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
constexpr string_view of_map[] = {"properties",       "$defs",        "definitions", "patternProperties",
                                  "dependentSchemas", "dependencies", "pointers"};
constexpr string_view of_text[] = {"pattern", "format", "title", "description", "$comment", "severity", "itemId", "id"};
constexpr string_view of_number[] = {"minItems",    "maxItems",         "minLength",     "maxLength",     "minimum",
                                     "maximum",     "multipleOf",       "minProperties", "maxProperties", "minContains",
                                     "maxContains", "exclusiveMinimum", "maxSentences"};
constexpr string_view of_ours[] = {"memberOf",   "sameSetAs", "countOf", "sumOf",  "mentions", "novel",
                                   "quotedFrom", "distinct",  "acyclic", "length", "facts"};
constexpr string_view inner_names[] = {"in",     "by",  "fold", "min",   "max",    "equals", "from", "children",
                                       "report", "all", "any",  "match", "within", "kinds",  "x"};

class Maker {
 public:
  explicit Maker(string_view bytes) : bytes_(bytes) {}

  std::size_t byte() { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0; }
  std::size_t below(std::size_t bound) { return byte() % bound; }
  template <std::size_t n>
  string_view one(const string_view (&of)[n]) {
    return of[below(n)];
  }

  std::string schema(unsigned depth) {
    const std::size_t kind = byte();
    if (kind % 16 == 1) {
      return kind < 128 ? "true" : "false";
    }
    std::string out = "{";
    const std::size_t count = depth > 4 || members_ > 80 ? kind % 2 : kind % 6;
    for (std::size_t i = 0; i < count; ++i) {
      ++members_;
      member(out, depth);
    }
    out += "}";
    return out;
  }

 private:
  void key(std::string& out, string_view name) {
    if (out.size() > 1) {
      out += ",";
    }
    plumb::json::append_string(out, name);
    out += ":";
  }
  static std::string quoted(string_view text) {
    std::string out;
    plumb::json::append_string(out, text);
    return out;
  }
  std::string uri() {
    if (below(8) == 7) {  // a few bytes as they come
      std::string any;
      for (std::size_t i = below(6); i > 0; --i) {
        any += static_cast<char>(32 + below(95));
      }
      return any;
    }
    return std::string(one(uris));
  }
  std::string reference() {
    const std::size_t kind = below(3);
    return kind == 0 ? uri() : kind == 1 ? std::string(one(fragments)) : uri() + std::string(one(fragments));
  }
  std::string list(unsigned depth) {
    std::string out = "[";
    for (std::size_t i = below(4); i > 0; --i) {
      out += (out.size() > 1 ? "," : "") + schema(depth + 1);
    }
    return out + "]";
  }
  std::string map(unsigned depth, bool of_pointers) {
    std::string out = "{";
    for (std::size_t i = below(4); i > 0; --i) {
      key(out, of_pointers ? one(pointers) : one(names));
      out += below(8) == 0 ? "[\"a\",\"b\"]" : schema(depth + 1);
    }
    return out + "}";
  }
  std::string vocabularies() {
    std::string out = "{";
    for (std::size_t i = below(4); i > 0; --i) {
      key(out, uri());
      out += below(2) == 0 ? "true" : "false";
    }
    return out + "}";
  }
  std::string inner_value() {
    switch (below(5)) {
      case 0:
        return std::string(one(scalars));
      case 1:
        return "[" + quoted(one(pointers)) + "," + quoted(one(pointers)) + "]";
      case 2:
        return R"(["trim","lowercase"])";
      case 3:
        return R"([{"this":)" + quoted(one(pointers)) + R"(,"that":)" + quoted(one(pointers)) + "}]";
      default:
        return quoted(one(pointers));
    }
  }
  std::string ours() {
    std::string out = "{";
    for (std::size_t i = below(5); i > 0; --i) {
      key(out, one(inner_names));
      out += inner_value();
    }
    return out + "}";
  }
  std::string rules(unsigned depth) {
    std::string out = "[";
    for (std::size_t i = below(3); i > 0; --i) {
      std::string rule = "{";
      key(rule, below(16) == 0 ? "blocsk" : "id");
      rule += quoted(one(names));
      if (below(2) == 0) {
        key(rule, "check");
        rule += schema(depth + 1);
      }
      if (below(2) == 0) {
        key(rule, "each");
        rule += quoted(one(pointers));
      }
      if (below(3) == 0) {
        key(rule, "ask");
        rule += "\"Is it?\"";
      }
      if (below(4) == 0) {
        key(rule, "blocks");
        rule += "true";
      }
      if (below(4) == 0) {
        key(rule, "label");
        rule += R"({"l":{"holds":"h","broken":"b"},"m":"novel","n":)" + quoted(one(pointers)) + "}";
      }
      out += (out.size() > 1 ? "," : "") + rule + "}";
    }
    return out + "]";
  }
  void member(std::string& out, unsigned depth) {
    switch (below(18)) {
      case 0:
        key(out, "$schema");
        out += quoted(uri());
        break;
      case 1:
        key(out, "$id");
        out += quoted(uri());
        break;
      case 2:
      case 3: {
        const std::size_t which = below(4);
        key(out, which == 1 ? "$dynamicRef" : which == 2 ? "$recursiveRef" : "$ref");
        out += quoted(reference());
        break;
      }
      case 4:
        key(out, below(2) == 0 ? "$anchor" : "$dynamicAnchor");
        out += quoted(one(names));
        break;
      case 5:
        key(out, below(2) == 0 ? "$vocabulary" : "$recursiveAnchor");
        out += out.back() == ':' && below(2) == 0 ? vocabularies() : "true";
        break;
      case 6:
      case 7:
        key(out, one(of_schema));
        out += schema(depth + 1);
        break;
      case 8:
      case 9:
        key(out, one(of_list));
        out += list(depth);
        break;
      case 10:
      case 11: {
        const string_view name = one(of_map);
        key(out, name);
        out += map(depth, name == "pointers");
        break;
      }
      case 12:
        key(out, one(of_text));
        out += quoted(below(2) == 0 ? one(names) : string_view("date"));
        break;
      case 13:
        key(out, one(of_number));
        out += one(scalars);
        break;
      case 14:
        key(out, one(of_ours));
        out += ours();
        break;
      case 15:
        key(out, "rules");
        out += rules(depth);
        break;
      case 16: {
        constexpr string_view rest[] = {
            R"("required":["a","b"])",
            R"("type":["object","array"])",
            R"("type":"string")",
            R"("enum":[1,"a",{"a":1}])",
            R"("const":{"$id":"doc:two"})",
            R"("uniqueItems":true)",
            R"("distinct":true)",
            R"("errorMessage":{"required":{"a":"no {property}"},"type":"{/a}"})",
            R"("itemLabel":"Item {n}")",
            R"("stopAt":["type"])",
            R"("dependentRequired":{"a":["b"]})",
            R"("role":{"purpose":"x"})",
            R"("edits":"guess")",
            R"("default":{"a":{"$ref":"#/a"}})",
        };
        if (out.size() > 1) {
          out += ",";
        }
        out += one(rest);
        break;
      }
      default: {  // a keyword with a value of any form
        constexpr string_view any[] = {"$schema", "$id",      "$ref",  "$vocabulary", "$anchor", "properties",
                                       "items",   "rules",    "anyOf", "$defs",       "sumOf",   "pointers",
                                       "if",      "distinct", "label", "type"};
        key(out, one(any));
        out += one(scalars);
        break;
      }
    }
  }

  string_view bytes_;
  std::size_t at_ = 0;
  std::size_t members_ = 0;
};

void judge(const plumb::contract::Contract& contract, const plumb::contract::Contract& again) {
  constexpr string_view artifacts[] = {
      "{}",
      "[1,1.0,[{}],\"a\",\"A \"]",
      "\"a\"",
      R"({"a":{"a":["a",{"a":1}],"b":[1]},"b":"a","items":[{"a":"a"},{"b":2}]})",
  };
  for (const string_view artifact : artifacts) {
    plumb::contract::CheckOptions options;
    options.limits.evaluations_max = 500;
    options.context = R"({"a":["a","b"]})";
    const std::string one = plumb::contract::verdict_json(check_text(contract, artifact, options));
    const std::string two = plumb::contract::verdict_json(check_text(again, artifact, options));
    plumb::fuzz::expect(one == two, "the same contract and artifact give the same verdict", one, two);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plumb::contract::Contract;
  if (size < 2) {
    return 0;
  }
  Maker maker({reinterpret_cast<const char*>(data), size});
  const std::size_t way = maker.byte();
  const std::size_t next = maker.byte();
  plumb::contract::ReadOptions options;
  options.assert_formats = (way & 1U) != 0;
  options.dialect = static_cast<plumb::contract::Dialect>(way / 2 % 5);
  if (way / 8 % 4 == 1) {
    options.uri = "doc:two";
  }
  const std::string text = maker.schema(0);
  const std::array<std::string, 2> documents = {maker.schema(0), maker.schema(0)};
  options.documents = {{"doc:one", documents[0]}, {(way & 64U) != 0 ? "" : "doc:two", documents[1]}};
  if (std::getenv("PLUMB_FUZZ_SHOW") != nullptr) {  // what the bytes of a kept input stand for
    std::fprintf(stderr, "%s\n%s\n%s\n", text.c_str(), documents[0].c_str(), documents[1].c_str());
  }
  const auto contract = Contract::read(text, options);
  if (!contract) {
    plumb::fuzz::expect(!contract.error().message.empty() && contract.error().line > 0,
                        "an error has a message and a place", contract.error().message, text);
    return 0;
  }
  const auto again = Contract::read(text, options);
  plumb::fuzz::expect(static_cast<bool>(again) && again.value().hash() == contract.value().hash(),
                      "the same text gives the same contract", text);
  judge(contract.value(), again.value());

  constexpr std::size_t targets = std::size(plumb::derive::target_names);
  plumb::derive::Limits limits;
  const auto derived =
      plumb::derive::derive(contract.value(), plumb::derive::target_names[next % targets].target, limits);
  plumb::fuzz::expect(derived || !derived.error().message.empty(), "what cannot be derived has a reason", text);
  plumb::sample::SampleOptions sample;
  sample.kind = static_cast<plumb::sample::SampleKind>(next / targets % 3);
  sample.limits.steps_max = 60;
  sample.limits.values_max = 200;
  sample.limits.text_max = 200;
  const auto made = plumb::sample::make_samples(contract.value(), sample);
  plumb::fuzz::expect(made || !made.error().message.empty(), "what cannot be made has a reason", text);
  const plumb::lint::LintReport report = plumb::lint::lint(contract.value());
  plumb::json::Arena arena;
  plumb::fuzz::expect(static_cast<bool>(plumb::json::parse(plumb::lint::lint_json(report, "f"), arena)),
                      "a lint report is JSON", text);
  return 0;
}
