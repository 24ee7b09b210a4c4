#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/extract/discovery.hpp"
#include "core/extract/topics.hpp"
#include "core/json/writer.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;

namespace {

// The names of the patterns in conversations, one a line.
std::string named(const std::vector<std::string>& talks) {
  std::vector<extract::Piece> pieces;
  for (const std::string& talk : talks) {
    pieces.push_back({talk, "t", talk});
  }
  std::string out;
  for (const extract::Pattern& one : extract::topics(pieces)) {
    out += one.name + "\n";
  }
  return out;
}

std::string limits_told(std::string_view path, const std::vector<std::string>& sections) {
  std::string units;
  json::Writer json(units);
  json.begin_array();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    json.begin_object().member("id", std::string(path) + ":" + std::to_string(i)).member("path", path);
    json.member("text", sections[i]).end_object();
  }
  json.end_array();
  json::Arena arena;
  return extract::patterns_in("docs", json::parse(units, arena).value());
}

std::string framed(const std::string& findings) {
  json::Arena arena;
  const std::string task = R"({"findings":[)" + findings +
                           R"(],"evidence":{"talk":{"source":"conversations"},"row":{"source":"analytics"}}})";
  return extract::discovery_answer("discovery.frame", json::parse(task, arena).value()).value();
}

}  // namespace

TEST_CASE("extract, discovery: words of every talk are no opportunity, and error alone is none") {
  const std::string found = named({
      "I get an error when I open the invoice editor. I need it right now.",
      "Error again in the invoice editor, feel free to call me.",
      "The invoice editor shows an error right now. Please let me know.",
      "An error in the calendar, feel free to ask for details.",
      "Right now the calendar is empty and there is an error.",
      "Feel free to send me news about the calendar problem.",
      "There was an error yesterday, thanks for looking.",
  });
  INFO(found);
  CHECK(found.find("invoice editor") != std::string::npos);
  CHECK(found.find("calendar") != std::string::npos);
  for (const std::string_view no :
       {"error\n", "Error\n", "right now", "feel free", "Feel free", "now\n", "problem\n"}) {
    CHECK_MESSAGE(("\n" + found).find("\n" + std::string(no)) == std::string::npos, std::string(no));
  }
}

TEST_CASE("extract, discovery: with another word error names something") {
  CHECK(named({"The upload error is back.", "Upload error once more.", "Please mend the upload error.",
               "An upload error on every picture."}) == "upload error\n");
}

TEST_CASE("extract, discovery: a list of changes tells no limit, a manual does") {
  const std::string manual = "## Limits\nThe export does not support pictures.\n";
  CHECK(limits_told("manual.md", {manual}).find("the export does not support pictures") != std::string::npos);
  CHECK(limits_told("docs/CHANGELOG.md", {manual}) == R"({"findings":[]})");
  CHECK(limits_told("manual.md", {"## [1.4.0] - 2024-05-01\n- A workaround for slow disks\n"}) == R"({"findings":[]})");
  CHECK(limits_told("manual.md", {"### Fixed\n- Pictures that were not supported\n"}) == R"({"findings":[]})");
  CHECK(limits_told("manual.md", {"Version 2.1\n-----------\nThe known issue with pictures is gone.\n"}) ==
        R"({"findings":[]})");
  CHECK(limits_told("manual.md", {"Some text.\n\n- Fixed a known issue in the export.\n"}) == R"({"findings":[]})");
}

TEST_CASE("extract, discovery: a figure stands with the pattern that it is about, and is no second opportunity") {
  const auto finding = [](std::string_view id, std::string_view name, std::string_view unit) {
    std::string out;
    json::Writer json(out);
    json.begin_object().member("id", id).member("pattern_name", name).member("description", std::string(name) + ".");
    json.member("affected_users_estimate", "4").member("severity_assessment", "high: x").key("evidence").begin_array();
    json.begin_object().member("source_type", "other").member("source_id", unit).end_object().end_array().end_object();
    return out;
  };
  const std::string pattern = finding("F1", "export button", "talk");
  const std::string figure = finding("F2", "export_errors rises by 40%", "row");
  const std::string other = finding("F3", "signups falls by 30%", "row");
  json::Arena arena;
  const std::string briefs = framed(pattern + "," + figure + "," + other);
  const json::Value read = json::parse(briefs, arena).value();
  const auto list = read.find("briefs")->array();
  REQUIRE(list.size() == 2);
  CHECK(json::value_text(*list[0].find("source_findings")) == R"(["F1","F2"])");
  CHECK(list[0].find("problem_statement")->str() == "export button. export_errors rises by 40%.");
  CHECK(json::value_text(*list[1].find("source_findings")) == R"(["F3"])");
  // That both say something is wrong links nothing.
  CHECK_FALSE(extract::is_about("login_errors rises by 40%", "upload error"));
}

TEST_CASE("extract, discovery: a line that is no UTF-8 is told with its place, and the others are read") {
  const pipelines::discovery::Files files = {{"talks/a.ndjson",
                                              "{\"id\":\"c1\",\"text\":\"The checkout button is covered.\"}\nBAD\n"
                                              "{\"id\":\"c2\",\"text\":\"Checkout button gone.\"}\n"}};
  const pipelines::discovery::Found found(std::string(pipelines::discovery::by_rule), files);
  CHECK(found.at("/coverage/conversations_reviewed") == "2");
  CHECK(found.at("/coverage/conversations_skipped") == "1");
  const std::string skipped = found.at("/coverage/explorers/0/skipped_why");
  CHECK_MESSAGE(skipped == R"([{"why":"is a line that is not valid UTF-8","count":1,"where":"a.ndjson:2"}])", skipped);
}
