#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/pipelines/discovery/source_type.hpp"
#include "core/pipelines/discovery/sources.hpp"
#include "core/pipelines/discovery/turns.hpp"
#include "tests/core/scripted_discovery.hpp"

using namespace plumb;
using namespace plumb::pipelines::discovery;

namespace {

// "id: text" of each unit, one a line; what was skipped behind it.
std::string read(std::string_view path, std::string_view text) {
  const Read all = read_file(SourceKind::conversations, path, text);
  std::string out;
  for (const Unit& unit : all.units) {
    out += unit.id + "@" + json::uint_text(unit.line) + ": " + unit.text + "\n";
  }
  for (const Skipped& one : all.skipped) {
    out += one.why + " " + json::uint_text(one.count) + " " + one.where + "\n";
  }
  return out;
}

std::string types(SourceKind kind, std::string_view path, std::string_view text) {
  std::string out;
  for (const Unit& unit : read_file(kind, path, text).units) {
    out += std::string(out.empty() ? "" : " ") + std::string(evidence_type(kind, unit));
  }
  return out;
}

}  // namespace

TEST_CASE("discovery, sources: turns of agents are left out of lines that stand apart") {
  CHECK(read("a.ndjson", R"({"conversation_id":"c1","author":"agent","text":"Hello, how can I help?"}
{"conversation_id":"c1","author":"user","text":"The export stops."}
{"conversation_id":"c1","role":"Support Agent","text":"A colleague looks at it.\n\nIt will take a day."}
{"conversation_id":"c1","author":{"type":"user"},"text":"Thanks, it is urgent."}
{"conversation_id":"c2","from":"support@shop.example","text":"We are closed on Monday."}
)") == "c1@2: The export stops.\nThanks, it is urgent.\nhas turns of agents only 1 a.ndjson:5\n");
}

TEST_CASE("discovery, sources: turns of agents are left out of tables") {
  CHECK(read("a.csv",
             "ticket_id,author,message\n7,customer,The login fails.\n7,admin,Please clear your cache.\n"
             "8,client,Where is my receipt?\n") == "7@2: The login fails.\n8@4: Where is my receipt?\n");
  CHECK(read("b.csv", "id,direction,text\n1,inbound,It is slow.\n1,outbound,We know.\n") == "1@2: It is slow.\n");
}

TEST_CASE("discovery, sources: turns of agents are left out of records, however many paragraphs they have") {
  CHECK(read("a.json", R"([{"id":"c1","messages":[{"author":"user","text":"It hangs."},
    {"author":"bot","text":"First answer.\n\nSecond paragraph of it.\n\nThird."},{"author":"user","text":"Still."}]},
    {"id":"c2","messages":[{"author":"support","text":"Are you there?"}]}])") ==
        "c1@1: It hangs.\nStill.\nhas turns of agents only 1 a.json:2\n");
}

TEST_CASE("discovery, sources: turns of agents are left out of transcripts, to the line in which another speaks") {
  CHECK(without_agents(
            "User: The export fails.\n\nAgent: I am sorry.\n\nTry again: it may help.\n\nUser: It does not.\n") ==
        "User: The export fails.\n\nUser: It does not.\n");
  CHECK(without_agents("[Customer] 10:00: It hangs.\nBen (Support): Which version?\nAnd where?\nCustomer: 2.1") ==
        "[Customer] 10:00: It hangs.\nCustomer: 2.1\n");
  // Not who speaks, but what is told.
  for (const std::string_view report : {"System: Debian 12\nUser: root\nUser agent: curl\nIt crashes.",
                                        "Support: none\nIt crashes.", "The agent: it is slow.", "No labels at all."}) {
    CHECK(without_agents(report) == report);
  }
  CHECK(read("t.txt", "user: It is slow.\nagent: Since when?\n\nMore of it.\nuser: Since May.\n") ==
        "t.txt@1: user: It is slow.\nuser: Since May.\n\n");
}

TEST_CASE("discovery, sources: conversations as the services export them are read from what opened them on") {
  CHECK(read("intercom.json",
             R"({"type":"conversation.list","conversations":[{"type":"conversation","id":"215","created_at":1700000000,
    "source":{"type":"conversation","body":"<p>The export of invoices fails</p>","author":{"type":"user"}},
    "conversation_parts":{"type":"conversation_part.list","conversation_parts":[
      {"body":"<p>Please try another browser.</p><p>Then another.</p>","author":{"type":"admin"}},
      {"body":"<p>It fails there, too:<br>&quot;no rows&quot; &amp; more</p>","author":{"type":"user"}}]}},
    {"id":"216","source":{"body":"<p>It hangs.</p>","author":{"type":"user"}},
     "conversation_parts":{"conversation_parts":[]}},
    {"id":"217","source":{"body":"<p>News of May</p>","author":{"type":"admin"}},
     "conversation_parts":{"conversation_parts":[]}}]})") ==
        "215@1: The export of invoices fails\nIt fails there, too: \"no rows\" & more\n216@2: It hangs.\n"
        "has turns of agents only 1 intercom.json:3\n");
  CHECK(read("zendesk.json",
             R"([{"id":35,"subject":"Login","description":"The login fails.","comments":[
    {"author_role":"end-user","body":"The login fails."},{"author_role":"agent","body":"Which page?\n\nWhich one?"},
    {"author_role":"end-user","body":"All of them."}]}])") == "35@1: The login fails.\nAll of them.\n");
  CHECK(read("issues.json",
             R"([{"id":9,"body":"It crashes <b>at once</b>.","comments":2},{"id":10,"body":"a < b fails","comments":[
    {"body":"Here as well.","user":{"login":"ann"}}]}])") ==
        "9@1: It crashes <b>at once</b>.\n10@2: a < b fails\nHere as well.\n");
  const Read dated = read_file(SourceKind::conversations, "a.ndjson",
                               R"({"id":"1","text":"a","created_at":1700000000}
{"id":"2","text":"b","created_at":"1700000000123"}
{"id":"3","text":"c","created_at":"2023-11-14T10:00:00Z"}
{"id":"4","text":"d","created_at":"yesterday"})");
  for (const Unit& unit : dated.units) {
    CHECK(unit.when == (unit.id == "4" ? "" : "2023-11-14"));
  }
}

TEST_CASE("discovery, sources: evidence says what its source is, where the source says it") {
  CHECK(types(SourceKind::conversations, "a.ndjson",
              R"({"id":"1","text":"a","html_url":"https://github.com/o/r/issues/1"}
{"id":"2","text":"b","source":"Intercom"}
{"id":"3","text":"c"}
{"id":"4","text":"d","url":"https://example.org/github.com/"})") == "github intercom other other");
  CHECK(types(SourceKind::conversations, "github/issues.ndjson", R"({"id":"1","text":"a"})") == "github");
  CHECK(types(SourceKind::conversations, "a.json", R"([{"id":"1","conversation_parts":[{"body":"x"}]}])") ==
        "intercom");
  CHECK(types(SourceKind::analytics, "a.ndjson", R"({"event":"$pageview","distinct_id":"u"})") == "posthog");
  CHECK(types(SourceKind::analytics, "a.csv", "day,orders\n1,2\n") == "other");
  CHECK(types(SourceKind::repo, "a.c", "int main() { return 0; }\n") == "codebase");
  CHECK(types(SourceKind::docs, "a.md", "# A\ntext\n") == "research");
  const Found found(std::string(by_rule),
                    {{"talks/a.ndjson",
                      R"({"id":"1","text":"The checkout button does nothing.","url":"https://github.com/o/r/issues/1"}
{"id":"2","text":"The checkout button is broken.","url":"https://github.com/o/r/issues/2"})"}});
  CHECK(found.at("/findings/0/evidence/0/source_type") == "github");
  CHECK(found.at("/opportunities/0/brief/evidence/0/source_type") == "github");
}
