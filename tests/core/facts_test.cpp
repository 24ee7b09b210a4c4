#include "core/text/facts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace plumb::text;

namespace {

// "number:3.5 date:May 2023"
std::string found(std::string_view text, FactKinds kinds = all_facts, std::size_t within = whole_text) {
  std::string out;
  for (const Fact& fact : facts(text, kinds, within)) {
    out += (out.empty() ? "" : " | ") + std::string(fact_kind_name(fact.kind)) + ":" +
           std::string(piece(text, fact.where));
  }
  return out;
}

std::string found(std::string_view text, FactKind kind) { return found(text, fact_bit(kind)); }

}  // namespace

TEST_CASE("facts: the kinds have names") {
  for (const std::string_view name : {"number", "date", "name", "countable", "url", "quote"}) {
    const std::optional<FactKind> kind = fact_kind_named(name);
    REQUIRE(kind);
    CHECK(fact_kind_name(*kind) == name);
  }
  CHECK_FALSE(fact_kind_named("numbers"));
}

TEST_CASE("facts: numbers with currency, unit and magnitude") {
  const FactKind n = FactKind::number;
  CHECK(found("it grew 3.5% to 1,250", n) == "number:3.5% | number:1,250");
  CHECK(found("about $4 billion", n) == "number:$4 billion");
  CHECK(found("at \xE2\x82\xAC"
              "5.2m and \xC2\xA3"
              "3",
              n) ==
        "number:\xE2\x82\xAC"
        "5.2m | number:\xC2\xA3"
        "3");
  CHECK(found("it costs 20\xE2\x82\xAC", n) == "number:20\xE2\x82\xAC");
  CHECK(found("a range of 450 km", n) == "number:450 km");
  CHECK(found("two hundred", n) == "number:two hundred");
  CHECK(found("12 percentage points", n) == "number:12 percentage points");
  CHECK(found("1st and 22nd", n) == "number:1st | number:22nd");
  CHECK(found("no figure at all", n).empty());
  CHECK(found("one day", n).empty());
  CHECK(found("\xD9\xA3\xD9\xA4 and more", n) == "number:\xD9\xA3\xD9\xA4");
  CHECK(found("3 sources", n) == "number:3");
  CHECK(found("page 12 of 40", n) == "number:12 | number:40");
}

TEST_CASE("facts: numbers of list items and citation marks are none") {
  CHECK(found("1. First\n2. Second\n3) Third", FactKind::number).empty());
  CHECK(found("as shown [3] and [12]", FactKind::number).empty());
  CHECK(found("(2) see below", FactKind::number).empty());
  CHECK(found("it costs 5. Then", FactKind::number) == "number:5");
}

TEST_CASE("facts: dates in their many forms") {
  const FactKind d = FactKind::date;
  for (const std::string_view date : {"2024-05-01",
                                      "2024/05/01",
                                      "01.05.2024",
                                      "1.5.24",
                                      "2024.05.01",
                                      "5/1/2024",
                                      "5 May 2024",
                                      "5th of May 2024",
                                      "May 5, 2024",
                                      "May 5th",
                                      "May 2024",
                                      "Sept. 2024",
                                      "5 May",
                                      "1. Mai 2024",
                                      "2 mars 2024",
                                      "3 de mayo de 2024",
                                      "Q3 2024",
                                      "H1 2024",
                                      "Q3",
                                      "FY2023",
                                      "FY23",
                                      "FY 2023",
                                      "2024",
                                      "1990s",
                                      "14:30",
                                      "2023-24",
                                      "2024-05",
                                      "2024\xE5\xB9\xB4",
                                      "2024\xE5\xB9\xB4"
                                      "5\xE6\x9C\x88"
                                      "1\xE6\x97\xA5",
                                      "M\xC3\xA4rz 2024",
                                      "12 f\xC3\xA9vrier 2020"}) {
    const std::string text = "on " + std::string(date) + " it was";
    CAPTURE(text);
    CHECK(found(text, d) == "date:" + std::string(date));
    CHECK(found(text, FactKind::number).empty());
  }
  for (const std::string_view none :
       {"it may rain", "we march on", "version 1.2.3", "1/2", "room 2500", "12345", "$2000", "2000 people", "1500 km",
        "a second chance", "in may they left", "the year", "5.5", "2024 units"}) {
    CAPTURE(std::string(none));
    CHECK(found(none, d).empty());
  }
  CHECK(found("in 1492", d) == "date:1492");
  CHECK(found("founded in 1999 companies grew", d) == "date:1999");
  CHECK(found("from May 2020 until 3 June 2021.", d) == "date:May 2020 | date:3 June 2021");
  CHECK(found("2023, 2024 and 2025", d) == "date:2023 | date:2024 | date:2025");
}

TEST_CASE("facts: names have capitals inside a sentence") {
  const FactKind n = FactKind::name;
  CHECK(found("We asked Tesla and BYD about it.", n) == "name:Tesla | name:BYD");
  CHECK(found("the Bank of America and the United States", n) == "name:Bank of America | name:United States");
  CHECK(found("by OpenAI with GPT-4 on an iPhone", n) == "name:OpenAI | name:GPT-4 | name:iPhone");
  CHECK(found("OpenAI sells it", n) == "name:OpenAI");
  CHECK(found("Sales grew. Profit fell.", n).empty());
  CHECK(found("Angela Merkel spoke", n) == "name:Merkel");
  CHECK(found("I said I would on Monday in May", n).empty());
  CHECK(found("asked J. Smith, then AT&T", n) == "name:J. Smith | name:AT&T");
  CHECK(found("near \xC3\x89"
              "vry and \xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0",
              n) ==
        "name:\xC3\x89"
        "vry | name:\xD0\x9C\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0");
  CHECK(found("ALL OF THIS IS SHOUTED AT YOU", n).empty());
  CHECK(found("- Tesla's plant\n- BYD plant", n) == "name:BYD");
  CHECK(found("Ludwig van Beethoven and Leonardo da Vinci", n) == "name:Beethoven | name:Leonardo da Vinci");
  CHECK(found("https://Example.com/Tesla", n).empty());
}

TEST_CASE("facts: countables are a number and what is counted") {
  const FactKind c = FactKind::countable;
  CHECK(found("at least 3 sources", c) == "countable:3 sources");
  CHECK(found("two independent vendors", c) == "countable:two independent vendors");
  CHECK(found("names 27 member states", c) == "countable:27 member states");
  CHECK(found("at least one source", c) == "countable:one source");
  CHECK(found("five or more people", c) == "countable:five or more people");
  CHECK(found("2000 people came", c) == "countable:2000 people");
  CHECK(found("3 million users", c) == "countable:3 million users");
  CHECK(found("12-month plans", c) == "countable:12-month plans");
  CHECK(found("5\xE7\xA4\xBE\xE3\x81\xAE", c) == "countable:5\xE7\xA4\xBE");
  CHECK(found("50% of users", c).empty());
  CHECK(found("450 km", c).empty());
  CHECK(found("one of the firms", c).empty());
  CHECK(found("in 2023 companies grew", c).empty());
  CHECK(found("some sources", c).empty());
}

TEST_CASE("facts: addresses are taken whole, without the punctuation behind them") {
  const FactKind u = FactKind::url;
  CHECK(found("see https://example.com/a?b=c#d.", u) == "url:https://example.com/a?b=c#d");
  CHECK(found("(http://example.com/x)", u) == "url:http://example.com/x");
  CHECK(found("at www.example.com, now", u) == "url:www.example.com");
  CHECK(found("doi:10.1000/182", u) == "url:doi:10.1000/182");
  CHECK(found("<https://a.b/c> \"https://d.e\"", u) == "url:https://a.b/c | url:https://d.e");
  CHECK(found("\xE8\xA6\x8B\xE3\x82\x8B https://a.jp/x\xE3\x80\x82", u) == "url:https://a.jp/x");
  CHECK(found("http is a protocol: http://", u).empty());
  CHECK(found("https://a.b/2024/3-sources/Tesla") == "url:https://a.b/2024/3-sources/Tesla");
}

TEST_CASE("facts: quotes have three words or more") {
  const FactKind q = FactKind::quote;
  CHECK(found("he said \"we will not sell\" twice", q) == "quote:\"we will not sell\"");
  CHECK(found("\xE2\x80\x9Cwe will not\xE2\x80\x9D", q) == "quote:\xE2\x80\x9Cwe will not\xE2\x80\x9D");
  CHECK(found("\xE2\x80\x9Ewir werden nicht\xE2\x80\x9C", q) == "quote:\xE2\x80\x9Ewir werden nicht\xE2\x80\x9C");
  CHECK(found("\xC2\xABnous ne vendons pas\xC2\xBB", q) == "quote:\xC2\xABnous ne vendons pas\xC2\xBB");
  CHECK(found("the \"so called\" plan", q).empty());
  CHECK(found("a 5\" pipe and a 6\" pipe here", q).empty());
  CHECK(found("\"open\n\nand never closed in here\"", q).empty());
  CHECK(found("\xE3\x80\x8C\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x81\xAF\xE9\x9B\xA8\xE3\x81\xA7\xE3\x81\x99\xE3\x80\x8D", q) !=
        "");
}

TEST_CASE("facts: a fact is of one kind, and kinds come in order of place") {
  CHECK(found("On 5 May 2024 Tesla sold 1,200 cars for $40 million, see www.a.de") ==
        "date:5 May 2024 | name:Tesla | countable:1,200 cars | number:$40 million | url:www.a.de");
  CHECK(found("").empty());
  CHECK(found("It is good and it works well for everybody.").empty());
}

TEST_CASE("facts: only what ends within the first characters counts") {
  const std::string text = "It sold 12 cars. Later 13 vans.";
  CHECK(found(text, FactKind::countable) == "countable:12 cars | countable:13 vans");
  CHECK(found(text, fact_bit(FactKind::countable), 16) == "countable:12 cars");
  CHECK(found(text, fact_bit(FactKind::countable), 14).empty());
  CHECK(found(text, fact_bit(FactKind::number), 9).empty());
  CHECK(found(text, fact_bit(FactKind::number), 10) == "number:12");
}

TEST_CASE("facts: enough, too few, or not to be told") {
  const auto name = fact_bit(FactKind::name);
  const auto number = fact_bit(FactKind::number);
  CHECK(has_facts("It sold 12 cars", number, 1) == Judgement::holds);
  CHECK(has_facts("It sold many cars", number, 1) == Judgement::broken);
  CHECK(has_facts("It sold many cars", number, 0) == Judgement::holds);
  CHECK(has_facts("It sold many cars", name, 1) == Judgement::broken);
  CHECK(has_facts("Paris is large", name, 1) == Judgement::undecided);
  CHECK(has_facts("Paris is large", number, 1) == Judgement::broken);
  CHECK(has_facts("\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x81\xAF\xE5\xA4\xA7\xE3\x81\x8D\xE3\x81\x84", name, 1) ==
        Judgement::undecided);
  CHECK(has_facts("", all_facts, 1) == Judgement::broken);
  CHECK(has_facts("They asked Tesla", name, 1) == Judgement::holds);
}
