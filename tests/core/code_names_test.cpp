// Options and paths in texts, and what they mean for the measures of a search.
#include "core/text/code_names.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/measured.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"

using namespace plumb;

namespace {

std::string named(std::string_view text) {
  std::string out;
  for (const text::TextSpan where : text::code_names(text))
    out += (out.empty() ? "" : " ") + std::string(text::piece(text, where));
  return out;
}

}  // namespace

TEST_CASE("code names: options and paths are found by their form, without what ends a sentence") {
  CHECK(named("The option --purge of apt-get removes files; so does -y.") == "--purge -y");
  CHECK(named("See `/etc/fstab`, (~/.config/plumb) and \"--name=VALUE\".") == "/etc/fstab ~/.config/plumb --name");
  CHECK(named("-print0 -- and/or a - b, 3 / 4, 5-3, km/h, well-known, - item, --, /") == "-print0");
  CHECK(named("Which file: /etc/passwd? /etc/shadow: no!") == "/etc/passwd /etc/shadow");
  CHECK(named("").empty());
  CHECK(text::is_option("--purge"));
  CHECK_FALSE(text::is_option("/etc"));
  std::string many;
  for (int i = 0; i < 3'000; ++i)
    many += "-x ";
  CHECK(text::code_names(many).size() == 1'000);
}

TEST_CASE(
    "code names: an answer that names an option is evidence and no narrative, for the measures and for the gate") {
  const std::string option = "- The option --purge of apt-get removes configuration files. [1]";
  const std::string path = "- the list of archives is kept in /etc/apt/sources.list [1]";
  const std::string told = "- many people say that it is good to remove what nobody needs [1]";
  CHECK_FALSE(contract::is_generic_narrative(option));
  CHECK_FALSE(contract::is_generic_narrative(path));
  CHECK(contract::is_generic_narrative(told));
  const Result<contract::Contract> search = contract::Contract::read(contract::built_in_contract("search")->text);
  REQUIRE(search);
  for (const std::string& answer : {option, path, told}) {
    const std::string artifact = R"({"answer":")" + answer + R"(","sources":[{"title":"t","url":"file:///a"}]})";
    bool narrative = false;
    for (const contract::Finding& one : contract::check_text(search.value(), artifact, {}).findings)
      narrative = narrative || one.rule == "not-narrative";
    CHECK_MESSAGE(narrative == contract::is_generic_narrative(answer), answer);
  }
  // The same option once more is nothing new, even from another source's page with the same address.
  json::Arena arena;
  const std::string history =
      R"([{"query":"what removes files?","answer":")" + option +
      R"(","sources":[{"title":"t","url":"file:///a"}]},{"query":"which option removes files?",)"
      R"("answer":"- use --purge [1]","sources":[{"title":"t","url":"file:///a"}]}])";
  const std::string text = contract::measure_history(json::parse(history, arena).value());
  const Result<json::Value> measured = json::parse(text, arena);
  REQUIRE(measured);
  const auto cycles = json::list_of(measured.value(), "cycles");
  REQUIRE(cycles.size() == 2);
  CHECK(json::text_of(cycles[0], "evidence_delta") == "progress");
  CHECK(json::number_of(cycles[0], "facts_new") >= 1);
  CHECK(json::text_of(cycles[1], "evidence_delta") == "no_change");
  CHECK(json::number_of(cycles[1], "facts_new") == 0);
}
