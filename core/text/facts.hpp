// Concrete facts in a text, by their form: what can be looked up or counted, told from narrative.
//
//   number     1,250  3.5%  $4 billion  two hundred. Not the number of a list item, nor a citation mark ([3]).
//   date       2024-05-01  1/5/2024  5 May 2024  Q3 2024  FY2023  1990s  14:30  2024年5月. Four digits from 1800 to
//              2099 are a year unless a currency, a unit or a plural makes them a number; 1000 to 1799 only after in,
//              since, until ...
//   name       words with a capital: Tesla, Bank of America, OpenAI, GPT-4. A word that only begins its sentence is
//              none unless it has more capitals; months, days and function words are none.
//   countable  a number and what is counted: "3 sources", "at least two independent vendors", "5社"
//   url        http:// https:// www. doi:
//   quote      words in quotation marks: at least three, or six letters of a script without spaces
//   evidence   no fact, but a word for one: source, price, date, percentage, "states whether". Of use where a text says
//              what an answer must hold. Only where it is asked for by name; the words are listed in several languages,
//              and no list of them is whole: where none is found, has_facts() is undecided
//
// A fact is of one kind: an address is no name and no number, a date is no number, and the number of a countable is a
// number only where countables are not asked for. A quote may hold other facts. Names of months are known in English,
// German, French, Spanish, Italian, Portuguese and Dutch, number words and plurals in English; every German noun has a
// capital and counts as a name; names in scripts without capitals are not found.
//
// Linear in the text; at most 10,000 facts are returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text/sentences.hpp"

namespace plumb::text {

enum class FactKind : std::uint8_t { number, date, name, countable, url, quote, evidence };
inline constexpr unsigned fact_kinds_count = 7;

// A set of kinds: bit n for the kind with value n.
using FactKinds = std::uint8_t;
constexpr FactKinds fact_bit(FactKind kind) { return static_cast<FactKinds>(1U << static_cast<unsigned>(kind)); }
inline constexpr FactKinds all_facts = (1U << static_cast<unsigned>(FactKind::evidence)) - 1;  // without evidence

std::optional<FactKind> fact_kind_named(std::string_view name);
std::string_view fact_kind_name(FactKind kind);

struct Fact {
  FactKind kind = FactKind::number;
  TextSpan where;
};

inline constexpr std::size_t whole_text = static_cast<std::size_t>(-1);

// The facts of these kinds in order of their place. `within`: only what ends in the first so many code points.
std::vector<Fact> facts(std::string_view text, FactKinds kinds = all_facts, std::size_t within = whole_text);

// holds: at least `min` facts; broken: fewer; undecided: fewer were found, but names are asked for and the text may
// have them in words that begin a sentence or in a script without capitals, or evidence is asked for.
Judgement has_facts(std::string_view text, FactKinds kinds, std::size_t min, std::size_t within = whole_text,
                    std::size_t* count = nullptr);  // count: how many there are

}  // namespace plumb::text
