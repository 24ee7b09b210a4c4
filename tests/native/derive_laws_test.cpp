// The laws of derived targets over the golden cases, the built-in contracts and the official suite's schemas.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/json/value.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/derive_law.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::cases;
namespace fs = std::filesystem;

namespace {

void tell(const char* what, const LawCount& count) {
  std::printf(
      "derive laws, %s: %llu contracts, %llu targets refused, %llu artifacts, %llu allowed, %llu narrowed, %llu "
      "unknown\n",
      what, static_cast<unsigned long long>(count.contracts), static_cast<unsigned long long>(count.refused),
      static_cast<unsigned long long>(count.artifacts), static_cast<unsigned long long>(count.allowed),
      static_cast<unsigned long long>(count.narrowed), static_cast<unsigned long long>(count.unknown));
  for (const std::string& line : count.broken)
    FAIL_CHECK(line);
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("derive: both laws hold for every golden case and every target") {
  LawCount count;
  std::uint64_t seed = 1;
  for (const CaseFile& file : read_case_files(plumb::test::source_dir())) {
    for (const Case& one : file.cases) {
      if (!one.refused.empty())
        continue;
      contract::ReadOptions read;
      contract::CheckOptions check;
      repair::EditOptions edits;
      REQUIRE(apply_options(one, read, check, edits));
      for (const auto& [uri, text] : one.documents)
        read.documents.push_back({uri, text});
      const Result<contract::Contract> contract = contract::Contract::read(one.contract, read);
      REQUIRE(contract);
      std::vector<Tried> artifacts;
      for (const Artifact& artifact : one.artifacts)
        artifacts.push_back({artifact.text, one.context});
      try_laws(contract.value(), read, artifacts, seed += 100, file.path + ": " + one.name, count);
    }
  }
  CHECK(count.contracts > 200);
  tell("golden cases", count);
}

TEST_CASE("derive: both laws hold for what no schema says, below every applicator") {
  // Each applicator over a schema that is weaker in every target than in the contract.
  static const char* const applicators[] = {
      R"({"$id": "plumb:t", "not": @})",
      R"({"$id": "plumb:t", "not": {"not": @}})",
      R"({"$id": "plumb:t", "anyOf": [@, {"type": "number"}]})",
      R"({"$id": "plumb:t", "oneOf": [@, {"type": "number"}]})",
      R"({"$id": "plumb:t", "oneOf": [@, {"type": "string", "minLength": 4}]})",
      R"({"$id": "plumb:t", "allOf": [@, {"type": ["string", "array"]}]})",
      R"({"$id": "plumb:t", "if": @, "then": {"type": "string", "maxLength": 2}})",
      R"({"$id": "plumb:t", "if": {"type": "string"}, "then": @, "else": {"type": "object"}})",
      R"({"$id": "plumb:t", "type": "array", "contains": @, "minContains": 2})",
      R"({"$id": "plumb:t", "type": "array", "contains": @, "maxContains": 1})",
      R"({"$id": "plumb:t", "type": "array", "items": @, "prefixItems": [{"type": "number"}]})",
      R"({"$id": "plumb:t", "type": "array", "prefixItems": [@, {"type": "string"}], "items": false})",
      R"({"$id": "plumb:t", "type": "array", "prefixItems": [true, {"type": "string"}], "items": @})",
      R"({"$id": "plumb:t", "type": "object", "properties": {"a": @}, "additionalProperties": false})",
      R"({"$id": "plumb:t", "type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": @})",
      R"({"$id": "plumb:t", "type": "object", "patternProperties": {"^a": @},
          "additionalProperties": {"type": "number"}})",
      R"({"$id": "plumb:t", "type": "object", "patternProperties": {"^a": {"type": "number"}},
          "additionalProperties": @})",
      R"({"$id": "plumb:t", "type": "object", "propertyNames": @})",
      R"({"$id": "plumb:t", "type": "object", "dependentSchemas": {"a": {"properties": {"b": @}}}})",
      R"({"$id": "plumb:t", "allOf": [{"properties": {"a": @}}], "type": "object", "unevaluatedProperties": false})",
      R"({"$id": "plumb:t", "anyOf": [{"properties": {"a": @}}, {"properties": {"b": true}}], "type": "object",
          "unevaluatedProperties": false})",
      R"({"$id": "plumb:t", "oneOf": [{"properties": {"a": @}, "required": ["a"]}, {"properties": {"b": true},
          "required": ["b"]}], "type": "object", "unevaluatedProperties": {"type": "number"}})",
      R"({"$id": "plumb:t", "$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [@, {"type": "array",
          "items": {"$ref": "#/$defs/x"}}]}}})",
      R"({"$id": "plumb:t", "pointers": {"/a": @}, "type": "object"})",
      R"({"$id": "plumb:t", "rules": [{"id": "r", "check": {"properties": {"a": @}}}], "type": "object"})",
  };
  static const char* const inner[] = {
      R"({"type": "string", "notBlank": true})",
      R"({"notBlank": true})",
      R"({"type": "string", "minLength": 2, "length": {"fold": ["trim"], "max": 3}})",
      R"({"type": ["string", "integer"], "pattern": "^[a-c]", "maxSentences": 1})",
      R"({"type": "integer", "multipleOf": 2})",
      R"({"anyOf": [{"const": "abc"}, {"type": "string", "notBlank": true, "maxLength": 1}]})",
  };
  static const char* const values[] = {"\"\"", "\" \"", "\"abc\"", "\"b\"", "\"abcd\"",     "\"zz\"",
                                       "4",    "3",     "1.5",     "null",  "\"x. Y. Z.\"", "\"a. B.\""};
  LawCount count;
  std::uint64_t seed = 5'000'000;
  for (const char* applicator : applicators) {
    for (const char* schema : inner) {
      std::string text = applicator;
      text.replace(text.find('@'), 1, schema);
      const contract::ReadOptions read;
      const Result<contract::Contract> contract = contract::Contract::read(text, read);
      REQUIRE(contract);
      std::vector<Tried> artifacts;
      for (const std::string value : values) {
        for (const std::string other : values) {
          artifacts.push_back({R"({"a": )" + value + R"(, "b": )" + other + "}", ""});
          artifacts.push_back({"[" + value + ", " + other + "]", ""});
        }
        artifacts.push_back({value, ""});
        artifacts.push_back({"[" + value + "]", ""});
        artifacts.push_back({R"({"a": )" + value + "}", ""});
        artifacts.push_back({"{" + (value.front() == '"' ? value : "\"k\"") + ": 1}", ""});
      }
      try_laws(contract.value(), read, artifacts, seed += 100, text, count);
    }
  }
  CHECK(count.contracts == std::size(applicators) * std::size(inner));
  tell("applicators", count);
}

TEST_CASE("derive: both laws hold for the official suite's schemas") {
  const char* named = std::getenv("PLUMB_SCHEMA_SUITE");
  const fs::path suite = named != nullptr
                             ? fs::path(named)
                             : fs::path(plumb::test::source_dir()) / ".." / "shared" / "json-schema-test-suite";
  if (!fs::is_directory(suite / "tests")) {
    std::printf("derive laws: the official JSON Schema test suite is not there; set PLUMB_SCHEMA_SUITE\n");
    return;
  }
  std::vector<std::pair<std::string, std::string>> remotes;
  for (const auto& entry : fs::recursive_directory_iterator(suite / "remotes")) {
    if (entry.is_regular_file())
      remotes.emplace_back("http://localhost:1234/" + fs::relative(entry.path(), suite / "remotes").generic_string(),
                           slurp(entry.path()));
  }
  LawCount count;
  std::uint64_t seed = 1'000'000;
  for (const auto& [folder, dialect] :
       {std::pair{"draft2020-12", contract::Dialect::draft2020_12},
        std::pair{"draft2019-09", contract::Dialect::draft2019_09}, std::pair{"draft7", contract::Dialect::draft7},
        std::pair{"draft6", contract::Dialect::draft6}, std::pair{"draft4", contract::Dialect::draft4}}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(suite / "tests" / folder)) {
      if (entry.path().extension() == ".json")
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
      const std::string file = slurp(path);
      json::Arena arena;
      const Result<json::Value> parsed = json::parse(file, arena);
      REQUIRE(parsed);
      auto text_of = [&](const json::Value& value) {
        return file.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
      };
      for (const json::Value& group : parsed.value().array()) {
        contract::ReadOptions read;
        read.dialect = dialect;
        for (const auto& [uri, text] : remotes)
          read.documents.push_back({uri, text});
        const Result<contract::Contract> contract = contract::Contract::read(text_of(*group.find("schema")), read);
        REQUIRE(contract);
        std::vector<Tried> artifacts;
        for (const json::Value& test : group.find("tests")->array())
          artifacts.push_back({text_of(*test.find("data")), ""});
        try_laws(
            contract.value(), read, artifacts, seed += 100,
            std::string(folder) + "/" + path.filename().string() + ": " + std::string(group.find("description")->str()),
            count);
      }
    }
  }
  CHECK(count.contracts > 700);
  tell("official suite", count);
}
