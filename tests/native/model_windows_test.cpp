// The built-in windows against the file that says who states them, and when.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/budget/profile.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/value.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;

TEST_CASE("models: every built-in window stands in the file of sources, with the source and its date") {
  std::ifstream file(plumb::test::source_dir() + "/core/budget/model_windows.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  REQUIRE(static_cast<bool>(read));
  const auto rows = read.value().find("models")->array();
  const auto models = budget::built_in_models();
  REQUIRE(rows.size() == models.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(models[i].name);
    CHECK(rows[i].find("name")->str() == models[i].name);
    CHECK(rows[i].find("context_window")->str() == json::uint_text(models[i].context_window));
    CHECK(rows[i].find("source")->str().size() > 10);
    const std::string_view date = rows[i].find("date")->str();
    REQUIRE(date.size() == 10);
    CHECK(date[4] == '-');
    CHECK(date[7] == '-');
    CHECK(date >= "2024-01-01");
  }
}

TEST_CASE("models: a built-in model is found by its own name, from its makers and from whoever provides it") {
  for (const budget::BuiltInModel& one : budget::built_in_models()) {
    const std::string name(one.name);
    for (const std::string& said : {name, "openrouter/" + name, name + "-20250101", name + "-latest"}) {
      CAPTURE(said);
      const budget::BuiltInModel* found = budget::built_in_model(said);
      REQUIRE(found != nullptr);
      CHECK(found->name == one.name);
    }
  }
}
