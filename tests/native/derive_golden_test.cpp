// What is derived from the built-in contracts, whole, in tests/cases/derive/NAME.derived. PLUMB_REWRITE=1 writes the
// files instead of comparing, so that the diff is the review.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/derive/derive.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

namespace {

std::string all_targets(const contract::Contract& contract) {
  std::string out;
  for (const derive::TargetName& one : derive::target_names) {
    const Result<derive::Derived> derived = derive::derive(contract, one.target);
    out += "=== " + std::string(one.name) + "\n";
    if (!derived) {
      out += "error at \"" + derived.error().where + "\": " + derived.error().message + "\n";
      continue;
    }
    out += derived.value().text;
    if (!out.empty() && out.back() != '\n')
      out += "\n";
    out += "--- tokens " + std::to_string(derived.value().tokens.likely) + " to " +
           std::to_string(derived.value().tokens.safe) + "\n";
    for (const derive::ResidualRule& rule : derived.value().residual)
      out += "--- leaves " + rule.keyword + " at " + rule.schema_location + ": " + rule.sentence + "\n";
    for (const derive::Narrowing& narrowing : derived.value().narrows)
      out +=
          "--- narrows " + narrowing.kind + " at \"" + narrowing.schema_location + "\": " + narrowing.sentence + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("derive: the built-in contracts give what tests/cases/derive holds") {
  const char* rewrite = std::getenv("PLUMB_REWRITE");
  const std::filesystem::path folder = std::filesystem::path(plumb::test::source_dir()) / "tests" / "cases" / "derive";
  for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
    const Result<contract::Contract> contract = contract::Contract::read(built_in.text);
    REQUIRE(contract);
    const std::string got = all_targets(contract.value());
    const std::filesystem::path path = folder / (std::string(built_in.name) + ".derived");
    if (rewrite != nullptr && std::string(rewrite) == "1") {
      std::filesystem::create_directories(folder);
      std::ofstream(path, std::ios::binary) << got;
      continue;
    }
    std::ifstream in(path, std::ios::binary);
    const std::string wanted{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CAPTURE(path.string());
    CHECK_MESSAGE(got == wanted, "PLUMB_REWRITE=1 ./dev test native writes it anew");
  }
}
