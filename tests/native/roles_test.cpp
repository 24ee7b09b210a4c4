// The role contracts: every line of the table in docs/roles.md, and how the rules do on the labelled sets.

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "tests/native/source_dir.hpp"
#include "tests/roles/labelled_sets.hpp"

using namespace plumb;
using Json = nlohmann::ordered_json;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(plumb::test::source_dir() + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Row {
  std::string contract;
  std::string rule;
  std::string decided_by;
  std::string passes;
  std::string fails;
};

std::string between(const std::string& cell, char mark) {
  const std::size_t from = cell.find(mark);
  const std::size_t to = cell.rfind(mark);
  return from == std::string::npos || to == from ? std::string() : cell.substr(from + 1, to - from - 1);
}

// The rows of the table whose first column names a role's contract and whose third one names a rule.
std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::size_t from = line.find("| ");
    while (from == 0 || (from != std::string::npos && from + 2 < line.size())) {
      const std::size_t to = line.find(" | ", from + 1);
      cells.push_back(line.substr(from + 2, (to == std::string::npos ? line.size() - 2 : to) - from - 2));
      from = to == std::string::npos ? to : to + 1;
    }
    if (cells.size() == 6 && contract::built_in_contract(cells[0]) != nullptr) {
      rows.push_back({cells[0], between(cells[2], '`'), cells[3], between(cells[4], '`'), between(cells[5], '`')});
    }
  }
  return rows;
}

std::map<std::string, Json> blocks_of(const std::string& text) {
  std::map<std::string, Json> blocks;
  for (std::size_t at = text.find("```json "); at != std::string::npos; at = text.find("```json ", at + 1)) {
    const std::size_t line = text.find('\n', at);
    const std::size_t end = text.find("\n```", line);
    blocks[text.substr(at + 8, line - at - 8)] = Json::parse(text.substr(line, end - line));
  }
  return blocks;
}

// `POINTER = JSON`, in the artifact or the context.
void change(const std::string& example, Json& artifact, Json& context) {
  const std::size_t sign = example.find(" = ");
  REQUIRE(sign != std::string::npos);
  const Json value = Json::parse(example.substr(sign + 3));
  std::string pointer = example.substr(0, sign);
  const bool in_context = pointer.rfind("context:", 0) == 0;
  (in_context ? context : artifact)[Json::json_pointer(in_context ? pointer.substr(8) : pointer)] = value;
}

// The outcome of the rule: broken where one of its lines is; and whether a judge is asked.
std::pair<std::string, bool> outcome(const Row& row, const Json& artifact, const Json& context) {
  const contract::Contract contract = contract::Contract::read(contract::built_in_contract(row.contract)->text).value();
  const std::string context_text = context.dump();
  contract::CheckOptions options;
  options.context = context_text;
  const contract::Verdict verdict = contract::check_text(contract, artifact.dump(), options);
  std::string found = "absent";
  bool asks = false;
  for (const contract::ScorecardLine& line : verdict.scorecard) {
    if (line.id == row.rule && found != "broken") {
      found = contract::outcome_name(line.outcome);
      asks = line.asks;
      if (line.outcome == contract::Outcome::broken) {
        CHECK_MESSAGE(!line.reason.empty(), row.rule << " says why");
        CHECK_MESSAGE(!line.action.empty(), row.rule << " says what to do instead");
      }
    }
  }
  return {found, asks};
}

}  // namespace

TEST_CASE("roles: every line of the four scorecards passes and fails as its table says") {
  const std::string text = read("docs/roles.md");
  const std::vector<Row> rows = rows_of(text);
  const std::map<std::string, Json> blocks = blocks_of(text);
  REQUIRE(rows.size() >= 30);
  std::map<std::string, int> tabled;
  for (const Row& row : rows) {
    CAPTURE(row.contract);
    CAPTURE(row.rule);
    ++tabled[row.contract + " " + row.rule];
    for (const bool passes : {true, false}) {
      const std::string& example = passes ? row.passes : row.fails;
      CAPTURE(example);
      Json artifact = blocks.at(row.contract);
      Json context = blocks.at(row.contract + " context");
      change(example, artifact, context);
      const auto [found, asks] = outcome(row, artifact, context);
      if (row.decided_by == "judge") {
        CHECK((found == "undecided" || found == "absent"));
        CHECK((asks || found == "absent"));
      } else {
        CHECK(found == (passes ? "holds" : "broken"));
      }
    }
  }
  // No rule of a role's contract is missing from the table.
  for (const char* name : {"intake", "brain-evaluate", "researcher-evaluate", "search"}) {
    const std::string contract(contract::built_in_contract(name)->text);
    for (std::size_t at = contract.find("{ \"id\": \""); at != std::string::npos;
         at = contract.find("{ \"id\": \"", at + 1)) {
      const std::string id = contract.substr(at + 9, contract.find('"', at + 9) - at - 9);
      CHECK_MESSAGE(tabled.count(std::string(name) + " " + id) == 1, name << " " << id);
    }
  }
}

TEST_CASE("roles: the good decisions of the manual pass every gate") {
  const std::map<std::string, Json> blocks = blocks_of(read("docs/roles.md"));
  for (const char* name : {"intake", "brain-evaluate", "researcher-evaluate", "search"}) {
    CAPTURE(name);
    const contract::Contract contract = contract::Contract::read(contract::built_in_contract(name)->text).value();
    const std::string context = blocks.at(std::string(name) + " context").dump();
    contract::CheckOptions options;
    options.context = context;
    const contract::Verdict verdict = contract::check_text(contract, blocks.at(name).dump(), options);
    CHECK(verdict.valid);
    CHECK(verdict.decision == contract::Decision::accept);
  }
}

TEST_CASE("roles: the rules do on the labelled sets as they did when the table was written, and well") {
  const std::string folder = plumb::test::source_dir() + "/tests/cases/roles";
  std::string now;
  for (const char* half : {"tuning", "heldout"}) {
    const std::vector<roles_test::Confusion> all = roles_test::measure(folder, half);
    now += std::string(half) + "\n\n" + roles_test::table(all) + "\n";
    for (const roles_test::Confusion& one : all) {
      CAPTURE(half);
      CAPTURE(one.rule);
      CHECK(one.caught + one.missed + one.left_open >= 8);
      if (one.rule.find(' ') == std::string::npos) {  // a rule of a contract, not a part of one
        CHECK(one.precision_permille() >= 900);
      }
    }
  }
  if (std::getenv("PLUMB_REWRITE") != nullptr) {
    std::ofstream(folder + "/confusion.md") << now;
  }
  CHECK(now == read("tests/cases/roles/confusion.md"));
}

TEST_CASE("roles: there are at least 300 objectives and 300 queries, half of each held out") {
  const std::string folder = plumb::test::source_dir() + "/tests/cases/roles/";
  for (const char* set : {"objectives", "queries"}) {
    const std::size_t tuning = roles_test::read_set(folder + set + "_tuning.txt").size();
    const std::size_t held_out = roles_test::read_set(folder + set + "_heldout.txt").size();
    CHECK(tuning + held_out >= 300);
    CHECK(held_out * 2 >= tuning + held_out - 2);
  }
}
