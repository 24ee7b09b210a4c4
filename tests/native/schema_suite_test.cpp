// The official JSON Schema test suite, whole and byte by byte. The data is not part of this project: it is looked for
// in the folder that PLUMB_SCHEMA_SUITE names, else beside the checkout; where it is absent the test says so.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "tests/native/source_dir.hpp"

namespace {

namespace fs = std::filesystem;
using plumb::contract::Check;
using plumb::contract::Contract;
using plumb::contract::Dialect;
using plumb::contract::Document;
using plumb::contract::Finding;
using plumb::contract::ReadOptions;
using plumb::contract::Verdict;

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

fs::path suite_folder() {
  if (const char* named = std::getenv("PLUMB_SCHEMA_SUITE")) {
    return named;
  }
  return fs::path(plumb::test::source_dir()) / ".." / "shared" / "json-schema-test-suite";
}

struct Counts {
  int tests = 0;
  int wrong = 0;
  int skipped = 0;
  long splits = 0;
};

// Tests that are not run, each with its reason. None so far.
const std::map<std::string, std::string> skipped_tests = {};

// The exact text of a member of a value that our own reader has read.
std::string_view text_of(const std::string& file, const plumb::json::Value& value) {
  return std::string_view(file).substr(static_cast<std::size_t>(value.from),
                                       static_cast<std::size_t>(value.to - value.from));
}

void run_file(const fs::path& path, Dialect dialect, const std::vector<Document>& documents, Counts& counts) {
  std::string file = slurp(path);
  plumb::json::Arena arena;
  auto parsed = plumb::json::parse(file, arena);
  REQUIRE(parsed);
  bool assert_formats = path.string().find("optional/format/") != std::string::npos;
  for (const plumb::json::Value& group : parsed.value().array()) {
    const plumb::json::Value* schema = group.find("schema");
    ReadOptions options;
    options.dialect = dialect;
    options.documents = documents;
    options.assert_formats = assert_formats;
    auto contract = Contract::read(text_of(file, *schema), options);
    std::string group_name = path.filename().string() + ": " + std::string(group.find("description")->str());
    if (!contract) {
      FAIL_CHECK(group_name << ": " << contract.error().message << " at " << contract.error().where);
      counts.wrong += static_cast<int>(group.find("tests")->size);
      counts.tests += static_cast<int>(group.find("tests")->size);
      continue;
    }
    for (const plumb::json::Value& test : group.find("tests")->array()) {
      std::string name = group_name + ": " + std::string(test.find("description")->str());
      if (skipped_tests.count(name) != 0) {
        ++counts.skipped;
        continue;
      }
      ++counts.tests;
      bool valid = test.find("valid")->boolean;
      std::string_view data = text_of(file, *test.find("data"));
      Verdict whole = plumb::contract::check_text(contract.value(), data);
      Check check(contract.value());
      std::vector<Finding> certain;
      std::size_t decided_in = 0;  // the prefix after which an error was told
      for (std::size_t i = 0; i < data.size(); ++i) {
        check.push(data.substr(i, 1), certain);
        if (decided_in == 0 && !certain.empty()) {
          decided_in = i + 1;
        }
      }
      Verdict bytes = check.end(certain);
      std::string expected = plumb::contract::verdict_json(whole);
      bool same = expected == plumb::contract::verdict_json(bytes);
      constexpr std::size_t split_everywhere_max = 2048;
      for (std::size_t split = 0; same && data.size() <= split_everywhere_max && split <= data.size(); ++split) {
        check.reset();
        std::vector<Finding> in_two;
        check.push(data.substr(0, split), in_two);
        check.push(data.substr(split), in_two);
        same = plumb::contract::verdict_json(check.end(in_two)) == expected;
        ++counts.splits;
      }
      // With room behind it, so that short values are accepted fast too.
      std::string padded(data);
      padded.append(64, ' ');
      check.reset();
      std::vector<Finding> of_padded;
      for (char& c : padded) {
        check.push({&c, 1}, of_padded);
      }
      same = same && plumb::contract::verdict_json(check.end(of_padded)) ==
                         plumb::contract::verdict_json(plumb::contract::check_text(contract.value(), padded));
      bool sound = !valid || decided_in == 0;
      if (whole.valid != valid || !same || !sound) {
        ++counts.wrong;
        std::string wrong = whole.valid != valid ? "wrong verdict"
                            : same               ? "a prefix of a valid text was broken"
                                                 : "pieces give another verdict than the whole";
        FAIL_CHECK(name << ": " << wrong << "\n"
                        << plumb::contract::verdict_json(whole) << "\n"
                        << plumb::contract::verdict_json(bytes));
      }
    }
  }
}

}  // namespace

TEST_CASE("the official JSON Schema test suite passes, whole and byte by byte") {
  fs::path suite = suite_folder();
  if (!fs::is_directory(suite / "tests")) {
    std::printf(
        "schema suite: not found; set PLUMB_SCHEMA_SUITE to the folder of the official JSON Schema test suite\n");
    return;
  }
  std::vector<std::pair<std::string, std::string>> remotes;
  for (const auto& entry : fs::recursive_directory_iterator(suite / "remotes")) {
    if (entry.is_regular_file()) {
      remotes.emplace_back("http://localhost:1234/" + fs::relative(entry.path(), suite / "remotes").generic_string(),
                           slurp(entry.path()));
    }
  }
  std::vector<Document> documents;
  for (const auto& [uri, text] : remotes) {
    documents.push_back({uri, text});
  }
  for (auto [folder, dialect] :
       {std::pair{"draft2020-12", Dialect::draft2020_12}, std::pair{"draft2019-09", Dialect::draft2019_09},
        std::pair{"draft7", Dialect::draft7}, std::pair{"draft6", Dialect::draft6},
        std::pair{"draft4", Dialect::draft4}, std::pair{"v1", Dialect::v1}}) {
    Counts counts;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(suite / "tests" / folder)) {
      // Keywords that are only proposed for version 1 are not read.
      const bool proposed = entry.path().generic_string().find("/proposals/") != std::string::npos;
      if (entry.path().extension() == ".json" && !proposed) {
        files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& path : files) {
      run_file(path, dialect, documents, counts);
    }
    std::printf(
        "schema suite %s: %d tests, each whole, byte by byte and cut in two at every byte (%ld cuts), %d wrong, %d "
        "skipped\n",
        folder, counts.tests, counts.splits, counts.wrong, counts.skipped);
    CHECK(counts.tests > 0);
  }
}
