// Laws of comparing contracts, over those of the golden cases and of the official JSON Schema test suite: what is
// proven is contradicted by none of their documents, each witness is one, and each contract beside itself is yes.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/compare/compare.hpp"
#include "core/contract/check.hpp"
#include "core/contract/program.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "tests/law_step.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using compare::Answer;
using compare::Direction;
using contract::Contract;

namespace {

namespace fs = std::filesystem;

enum class Says : unsigned char { accepts, refuses, open };

Says says(const Contract& contract, const std::string& document, const std::string& context) {
  contract::CheckOptions options;
  options.context = context;
  const contract::Verdict verdict = contract::check_text(contract, document, options);
  if (verdict.decision == contract::Decision::revise || verdict.decision == contract::Decision::block) {
    return Says::refuses;
  }
  return verdict.valid && verdict.decision != contract::Decision::undecided ? Says::accepts : Says::open;
}

struct Subject {
  std::string name;
  Contract contract;
};

// A file's contracts, and the documents that they are asked about.
struct Group {
  std::vector<Subject> subjects;
  std::vector<std::string> documents;
};

struct Counts {
  std::size_t proven = 0;
  std::size_t pairs = 0;
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t unknown = 0;
  std::size_t met = 0;  // pairs, with those that are left out where laws go over a part
};

// Yes, or unknown for one reason: where a dynamic reference leads may depend on the way to it.
void beside_itself(const Subject& subject, const Contract& again) {
  const Direction direction = compare::prove_one_way(subject.contract, again);
  const bool named = subject.contract.program().uses_dynamic_scope && direction.answer == Answer::unknown;
  CHECK_MESSAGE((direction.answer == Answer::yes || (named && !direction.unproven.empty())), subject.name,
                " beside itself: ",
                direction.unproven.empty() ? std::string()
                                           : direction.unproven[0].schema_location + ": " + direction.unproven[0].why);
}

void witness_is_one(const Subject& first, const Subject& second, const Direction& direction) {
  const std::string& document = direction.witness->document;
  const std::string& context = direction.witness->context;
  CHECK_MESSAGE(says(first.contract, document, context) == Says::accepts, first.name, " ", document);
  CHECK_MESSAGE(says(second.contract, document, context) == Says::refuses, second.name, " ", document);
}

// Each of a file beside each other, at most so many; every `searched`th with a search for a witness.
void run(const Group& group, std::size_t searched, Counts& counts) {
  std::vector<std::vector<Says>> said;
  for (const Subject& one : group.subjects) {
    said.emplace_back();
    for (const std::string& document : group.documents) {
      said.back().push_back(says(one.contract, document, ""));
    }
  }
  for (std::size_t a = 0; a < group.subjects.size(); ++a) {
    for (std::size_t b = 0; b < group.subjects.size(); ++b) {
      if (a == b || ++counts.met % test::law_step != 0) {
        continue;
      }
      const Subject& first = group.subjects[a];
      const Subject& second = group.subjects[b];
      ++counts.pairs;
      compare::CompareOptions options;
      options.limits.goals_max = 20'000;
      options.limits.judged_max = 400;
      options.limits.steps_max = 300;
      const bool searches = searched > 0 && counts.pairs % searched == 0;
      const Direction direction = searches ? compare::compare_one_way(first.contract, second.contract, options)
                                           : compare::prove_one_way(first.contract, second.contract, options.limits);
      counts.yes += direction.answer == Answer::yes ? 1U : 0U;
      counts.no += direction.answer == Answer::no ? 1U : 0U;
      counts.unknown += direction.answer == Answer::unknown ? 1U : 0U;
      if (direction.answer == Answer::no) {
        witness_is_one(first, second, direction);
      }
      for (std::size_t i = 0; direction.answer == Answer::yes && i < group.documents.size(); ++i) {
        CHECK_MESSAGE(!(said[a][i] == Says::accepts && said[b][i] == Says::refuses), first.name, " beside ",
                      second.name, " is no yes: ", group.documents[i]);
      }
    }
  }
}

void tell(const char* what, const Counts& counts) {
  std::printf("compare %s: %zu pairs, %zu yes, %zu no, %zu unknown\n", what, counts.pairs, counts.yes, counts.no,
              counts.unknown);
}

fs::path suite_folder() {
  if (const char* named = std::getenv("PLUMB_SCHEMA_SUITE")) {
    return named;
  }
  return fs::path(plumb::test::source_dir()) / ".." / "shared" / "json-schema-test-suite";
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void add_file(const fs::path& path, contract::ReadOptions options, Group& group) {
  const std::string file = slurp(path);
  const auto text_of = [&](const json::Value& value) {
    return file.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
  };
  json::Arena arena;
  const auto parsed = json::parse(file, arena);
  REQUIRE(parsed);
  for (const json::Value& one : parsed.value().array()) {
    const std::string schema = text_of(*one.find("schema"));
    const std::string name = path.filename().string() + " " + std::string(contract::name_of(options.dialect)) + ": " +
                             std::string(one.find("description")->str());
    Result<Contract> contract = Contract::read(schema, options);
    const Result<Contract> again = Contract::read(schema + " ", options);
    REQUIRE_MESSAGE((contract && again), name);
    group.subjects.push_back({name, std::move(contract).value()});
    beside_itself(group.subjects.back(), again.value());
    for (const json::Value& test : one.find("tests")->array()) {
      group.documents.push_back(text_of(*test.find("data")));
    }
  }
}

}  // namespace

TEST_CASE("compare: laws over the contracts of the golden cases") {
  Counts counts;
  std::size_t contracts = 0;
  for (const cases::CaseFile& file : cases::read_case_files(plumb::test::source_dir())) {
    Group group;
    for (const cases::Case& one : file.cases) {
      contract::ReadOptions read;
      contract::CheckOptions check;
      repair::EditOptions edits;
      if (!one.refused.empty() || !cases::apply_options(one, read, check, edits)) {
        continue;
      }
      for (const auto& [uri, text] : one.documents) {
        read.documents.push_back({uri, text});
      }
      Result<Contract> contract = Contract::read(one.contract, read);
      const Result<Contract> again = Contract::read(one.contract + " ", read);
      REQUIRE((contract && again));
      group.subjects.push_back({one.name, std::move(contract).value()});
      beside_itself(group.subjects.back(), again.value());
      for (const cases::Artifact& artifact : one.artifacts) {
        if (artifact.text.size() < 4000) {
          group.documents.push_back(artifact.text);
        }
      }
    }
    contracts += group.subjects.size();
    run(group, 40, counts);
  }
  tell("golden cases", counts);
  CHECK(contracts > 200);
  CHECK(counts.yes > 100 / test::law_step);
}

TEST_CASE("compare: laws over the official JSON Schema test suite, each dialect by itself and beside another") {
  const fs::path suite = suite_folder();
  if (!fs::is_directory(suite / "tests")) {
    std::printf("compare laws: the official JSON Schema test suite was not found; set PLUMB_SCHEMA_SUITE\n");
    return;
  }
  std::vector<std::pair<std::string, std::string>> remotes;
  for (const auto& entry : fs::recursive_directory_iterator(suite / "remotes")) {
    if (entry.is_regular_file()) {
      remotes.emplace_back("http://localhost:1234/" + fs::relative(entry.path(), suite / "remotes").generic_string(),
                           slurp(entry.path()));
    }
  }
  contract::ReadOptions options;
  for (const auto& [uri, text] : remotes) {
    options.documents.push_back({uri, text});
  }
  using contract::Dialect;
  const std::pair<const char*, Dialect> dialects[] = {{"draft2020-12", Dialect::draft2020_12},
                                                      {"draft2019-09", Dialect::draft2019_09},
                                                      {"draft7", Dialect::draft7},
                                                      {"draft6", Dialect::draft6},
                                                      {"draft4", Dialect::draft4}};
  Counts counts;
  for (std::size_t i = 0; i < std::size(dialects); ++i) {
    for (const auto& entry : fs::directory_iterator(suite / "tests" / dialects[i].first)) {
      if (entry.path().extension() != ".json") {
        continue;
      }
      Group group;
      options.dialect = dialects[i].second;
      add_file(entry.path(), options, group);
      // Beside the file of the same name of the next older dialect.
      const fs::path other =
          i + 1 < std::size(dialects) ? suite / "tests" / dialects[i + 1].first / entry.path().filename() : fs::path();
      if (!other.empty() && fs::exists(other)) {
        options.dialect = dialects[i + 1].second;
        add_file(other, options, group);
      }
      run(group, 200, counts);
    }
  }
  tell("schema suite", counts);
  CHECK(counts.yes > 1000 / test::law_step);
}
