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
  for (const CaseFile& file : read_case_files(PLUMB_SOURCE_DIR)) {
    for (const Case& one : file.cases) {
      if (!one.refused.empty())
        continue;
      contract::ReadOptions read;
      contract::CheckOptions check;
      REQUIRE(apply_options(one, read, check));
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

TEST_CASE("derive: both laws hold for the official suite's schemas") {
  const char* named = std::getenv("PLUMB_SCHEMA_SUITE");
  const fs::path suite =
      named != nullptr ? fs::path(named) : fs::path(PLUMB_SOURCE_DIR) / ".." / "shared" / "json-schema-test-suite";
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
        std::pair{"draft2019-09", contract::Dialect::draft2019_09}, std::pair{"draft7", contract::Dialect::draft7}}) {
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
