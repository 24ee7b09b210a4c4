#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/discovery/source_reading.hpp"
#include "core/pipelines/discovery/synthesis.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines;
using namespace plumb::pipelines::discovery;

namespace {

// Conversations c1 to cN, one each day from the first of January 2026 on, the newest first.
std::string days(std::uint64_t count) {
  std::string out;
  for (std::uint64_t n = count; n > 0; --n) {
    const std::string month = n <= 31 ? "01" : n <= 59 ? "02" : "03";
    const std::uint64_t day = n <= 31 ? n : n <= 59 ? n - 31 : n - 59;
    json::Writer json(out);
    json.begin_object().member("id", "c" + json::uint_text(n)).member("text", "The checkout button does nothing.");
    json.member("created_at", "2026-" + month + (day < 10 ? "-0" : "-") + json::uint_text(day)).end_object();
    out += "\n";
  }
  return out;
}

std::string many(std::uint64_t first, std::uint64_t count, std::string_view day) {
  std::string out;
  for (std::uint64_t n = first; n < first + count; ++n) {
    json::Writer json(out);
    json.begin_object().member("id", "c" + json::uint_text(n)).member("text", "The checkout button does nothing.");
    json.member("created_at", day).end_object();
    out += "\n";
  }
  return out;
}

std::string finding(std::string_view pattern, std::string_view description, std::string_view severity,
                    std::string_view confidence, std::string_view evidence) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("pattern_name", pattern).member("description", description);
  json.member("severity_assessment", severity).member("affected_users_estimate", "a few");
  json.member("confidence", confidence).key("evidence").raw(evidence).end_object();
  return out;
}

}  // namespace

TEST_CASE("discovery: coverage says from which day to which it looked, and nothing where no piece has a day") {
  const Found all(std::string(by_rule), {{"talks/a.ndjson", days(61)}});
  CHECK(all.at("/coverage/oldest") == "2026-01-01");
  CHECK(all.at("/coverage/newest") == "2026-03-02");
  CHECK(all.at("/coverage/time_window_days") == "61");
  const Found week(R"({"sources":{"conversations":"talks"},"time_window_days":7})", {{"talks/a.ndjson", days(61)}});
  CHECK(week.at("/coverage/oldest") == "2026-02-23");
  CHECK(week.at("/coverage/time_window_days") == "8");
  CHECK(week.at("/coverage/conversations_reviewed") == "8");
  const Found undated(std::string(by_rule), {{"talks/a.ndjson", R"({"id":"c1","text":"The button is broken."})"}});
  CHECK(undated.at("/coverage/time_window_days") == "-");
  CHECK(undated.at("/coverage/conversations_reviewed") == "1");
}

TEST_CASE("discovery: of more conversations than are looked at the newest stay, wherever they stand") {
  const Files files = {{"talks/a.ndjson", many(1, 150, "2025-12-01")},
                       {"talks/b.ndjson", many(1001, 150, "2026-01-31")}};
  const Found found(std::string(by_rule), files);
  CHECK(found.at("/coverage/conversations_reviewed") == "200");
  CHECK(found.at("/coverage/conversations_skipped") == "100");
  CHECK(found.at("/coverage/explorers/0/skipped_why/0/why") == "is beyond the newest 200");
  CHECK(found.at("/coverage/explorers/0/skipped_why/0/where") == "c51");
  CHECK(found.at("/coverage/newest") == "2026-01-31");
}

TEST_CASE("discovery: days are counted over months and leap years") {
  CHECK(days_between("2024-02-28", "2024-03-01") == 3);
  CHECK(days_between("2025-02-28", "2025-03-01") == 2);
  CHECK(days_between("2025-12-31", "2026-01-01") == 2);
  CHECK(days_between("2026-01-05", "2026-01-05") == 1);
  CHECK(days_between("", "") == 0);
}

TEST_CASE("discovery: a pattern that several batches found is one finding with all of its evidence") {
  Synthesis synthesis({"c1", "c2", "c3", "c4"}, "conversations");
  std::vector<std::string> warnings;
  for (const std::string& one :
       {finding("Checkout button", "It does not react.", "low", "high", R"(["c1","c2","c1"])"),
        finding("Invoice export", "It fails.", "high", "low", R"(["c4"])"),
        finding("Checkout buttons", "It does not react.", "high: carts are lost", "medium",
                R"(["c3",{"source_id":"c2"},"c9"])"),
        finding("checkout button", "A banner covers it on phones.", "medium", "high", R"(["c4"])"),
        finding("Nothing", "No piece shows it.", "low", "low", R"(["c77"])")}) {
    json::Arena arena;
    synthesis.add(json::parse(one, arena).value(), warnings);
  }
  REQUIRE(synthesis.findings().size() == 2);
  const discovery::Finding& button = synthesis.findings()[0];
  CHECK(button.pattern == "Checkout button");
  CHECK(button.evidence == std::vector<std::string>{"c1", "c2", "c3", "c4"});
  CHECK(button.description == "It does not react. A banner covers it on phones.");
  CHECK(button.severity == "high: carts are lost");
  CHECK(button.confidence == "medium");
  CHECK(button.users == "at least 4 of 4 conversations");
  CHECK(button.merged == 3);
  CHECK(synthesis.findings()[1].users == "a few");
  CHECK(warnings == std::vector<std::string>{"'Checkout buttons': evidence 'c9' is not in the source",
                                             "'Nothing': evidence 'c77' is not in the source",
                                             "left out: 'Nothing' has no evidence"});
}

TEST_CASE(
    "discovery: a finding of many batches keeps the evidence of all of them, one conversation 10,000 times once") {
  std::string same;
  for (int n = 0; n < 10'000; ++n) {
    same += R"({"id":"again","text":"The checkout button does nothing."})"
            "\n";
  }
  const auto model = [](std::string_view task, std::string_view prompt) {
    if (task != "discovery.explore") {
      return able(task, prompt);
    }
    std::string ids;
    for (std::size_t at = prompt.find("\n["); at != std::string_view::npos; at = prompt.find("\n[", at + 2)) {
      const std::string_view id = prompt.substr(at + 2, prompt.find(']', at) - at - 2);
      ids += std::string(ids.empty() ? "\"" : ",\"") + std::string(id) + "\"";
    }
    return "{\"findings\":[" + finding("Checkout button", "It does not react.", "high", "high", "[" + ids + "]") + "]}";
  };
  const Found found(std::string(with_model), {{"talks/a.ndjson", many(1, 99, "2026-01-31")}, {"talks/b.ndjson", same}},
                    model);
  CHECK(found.at("/coverage/conversations_reviewed") == "100");
  // Five batches of 20, each asked for once, and twice at most.
  CHECK(found.at("/stages/0/calls") == "5");
  CHECK(found.at("/stages/0/calls_max") == "10");
  CHECK(found.view().find("findings")->size == 1);
  CHECK(json::resolve(found.view(), "/findings/0/evidence")->size == 100);
  CHECK(found.at("/findings/0/affected_users_estimate") == "at least 100 of 100 conversations");
}

TEST_CASE("discovery: greetings, sign-offs and what agents say are no patterns, and forms of a word are one") {
  std::string talks;
  const std::vector<std::string> asks = {"the export of invoices stops", "exporting reports fails",
                                         "the login link has expired", "the dashboard is slow",
                                         "please add a viewer role"};
  for (std::size_t n = 0; n < 20; ++n) {
    json::Writer json(talks);
    json.begin_object().member("id", "c" + json::uint_text(n)).key("messages").begin_array();
    json.begin_object().member("author", "user");
    json.member("text", "Good morning, " + asks[n % asks.size()] + " (" + json::uint_text(n) + "). Kind regards, Lars");
    json.end_object().begin_object().member("author", "support");
    json.member("text", "Thank you for writing, a colleague looks at it.").end_object().end_array().end_object();
    talks += "\n";
  }
  const Found found(std::string(by_rule), {{"talks/a.ndjson", talks}});
  std::string names;
  for (const Value& one : found.view().find("findings")->array()) {
    names += std::string(one.find("pattern_name")->str()) + ": " + json::uint_text(one.find("evidence")->size) + "; ";
  }
  CHECK(names == "export: 8; login link: 4; viewer role: 4; dashboard: 4; ");
  CHECK(found.at("/findings/0/description").find("Good morning") == std::string::npos);
  CHECK(found.at("/findings/0/description").find("colleague") == std::string::npos);
}

TEST_CASE(
    "discovery: a word and a pair with it are one pattern, names keep their capitals, and questions are answered") {
  std::string talks;
  const std::vector<std::string> asks = {"The CSV export stops at row 500.", "My CSV export is cut off.",
                                         "When I export, nothing comes.", "Do you have an office in Lyon?",
                                         "The dashboard is slow."};
  for (std::size_t n = 0; n < 30; ++n) {
    json::Writer json(talks);
    json.begin_object().member("id", "c" + json::uint_text(n));
    json.member("text", "Hi team " + json::uint_text(n) + ", " + asks[n % asks.size()] + " Thanks!").end_object();
    talks += "\n";
  }
  const Found found(std::string(by_rule), {{"talks/a.ndjson", talks}});
  CHECK(found.view().find("findings")->size == 3);
  CHECK(found.at("/findings/0/pattern_name") == "export");
  CHECK(found.at("/findings/0/affected_users_estimate") == "18 of 30 conversations");
  CHECK(
      found.at("/findings/0/description") ==
      "18 of 30 conversations speak of \"export\": \"The CSV export stops at row 500\", \"My CSV export is cut off\", "
      "\"When I export, nothing comes\"");
  CHECK(found.at("/findings/2/pattern_name") == "Lyon");
  CHECK(found.at("/findings/2/description") ==
        "6 of 30 conversations ask about \"Lyon\": \"Do you have an office in Lyon?\"");
  CHECK(found.at("/findings/2/severity_assessment") == "low: none of 6 says that something fails or is lost");
  CHECK(found.at("/opportunities/2/solution/proposed_solution") ==
        "Answer it where people look first, so that nobody has to ask: \"Do you have an office in Lyon?\"");
  CHECK(found.at("/coverage/explorers/0/findings_count") == "3");
}

TEST_CASE("discovery: a list without its object, and objects and lists for texts, are taken as what they stand for") {
  const auto model = [](std::string_view task, std::string_view prompt) {
    return task != "discovery.explore"
               ? able(task, prompt)
               : std::string(
                     "Here they are:\n```json\n"
                     R"([{"pattern_name":{"text":"Checkout button","note":"n"},"description":["It is dead.",)"
                     R"("It is grey."],"severity_assessment":"high","affected_users_estimate":{"people":3,"of":9},)"
                     R"("evidence":[{"id":"c1"},"[c2]"],"confidence":"High"}])"
                     "\n```");
  };
  const Found found(std::string(with_model), {{"talks/a.ndjson", days(3)}}, model);
  CHECK(found.at("/findings/0/pattern_name") == "Checkout button");
  CHECK(found.at("/findings/0/description") == "It is dead.; It is grey.");
  CHECK(found.at("/findings/0/affected_users_estimate") == "people: 3; of: 9");
  CHECK(found.at("/findings/0/evidence/0/source_id") == "c1");
  CHECK(found.at("/findings/0/evidence/1/source_id") == "c2");
  CHECK(found.at("/stages/0/status") == "completed");
}

TEST_CASE("discovery: an explorer whose answers cannot be used fails its stage, and says once where they are wrong") {
  const auto model = [](std::string_view, std::string_view) {
    return std::string(R"({"findings":[{"evidence":[]}]})");
  };
  const Found found(std::string(with_model), {{"talks/a.ndjson", days(61)}}, model);
  CHECK(found.at("/status") == "failed");
  CHECK(found.at("/stages/0/status") == "failed");
  CHECK(found.at("/error").find("customer_voice: the answer does not keep its contract: /findings/0") !=
        std::string::npos);
  std::size_t told = 0;
  for (const Value& one : found.view().find("stages")->array()[0].find("warnings")->array()) {
    told += one.str().find("does not keep its contract") != std::string_view::npos ? 1 : 0;
  }
  CHECK(told == 1);
}
