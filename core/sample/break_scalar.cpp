// Types, listed values, numbers and texts.
#include <algorithm>

#include "core/contract/keywords/bounds.hpp"
#include "core/json/number_text.hpp"
#include "core/sample/format_text.hpp"
#include "core/sample/keywords.hpp"
#include "core/sample/pattern_text.hpp"
#include "core/sample/words.hpp"
#include "core/text/fold.hpp"
#include "core/text/phrases.hpp"
#include "core/text/utf8.hpp"

namespace plumb::sample {

using contract::no_bound;
using json::Decimal;
using json::DecimalStatus;
using json::Kind;

namespace {

Decimal decimal(std::string_view text) {
  Decimal out;
  return Decimal::read(text, Decimal::exponent_max_default, out) == DecimalStatus::ok ? out : Decimal();
}

std::string plus(const std::string& number, std::string_view more) {
  Decimal out;
  return decimal(number).add(decimal(more), Decimal::exponent_max_default, out) == DecimalStatus::ok ? out.canonical()
                                                                                                     : number;
}

std::string first_points(std::string_view text, std::uint64_t count) {
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && bytes < text.size(); ++i) {
    bytes += text::decode(text.data() + bytes, text.data() + text.size()).size;
  }
  return std::string(text.substr(0, bytes));
}

void every_kind(Breaking& b) {
  for (const Kind kind : {Kind::number, Kind::string, Kind::null, Kind::boolean, Kind::array, Kind::object}) {
    if (kind != b.value.kind) {
      b.add(b.maker.any_of_kind(kind));
    }
  }
}

}  // namespace

void break_type(Breaking& b) {
  if (b.value.is(Kind::number)) {
    b.add(Draft::number(plus(b.value.text, "0.5")));
    b.text("seven");
  }
  every_kind(b);
}

void break_members(Breaking& b) {
  if (b.value.is(Kind::string)) {
    b.text(b.value.text + "s");
    b.text(word(b.maker.dice()));
    b.text(b.value.text + "?");
    if (const std::optional<Draft> made = b.maker.make_string(b.maker.look(b.wish, 1, nullptr, {}), {}, 0)) {
      b.add(*made);
    }
    b.text("");
  } else if (b.value.is(Kind::number)) {
    for (const char* more : {"1", "-1", "7", "100", "0.5", "-100"}) {
      b.add(Draft::number(plus(b.value.text, more)));
    }
  } else if (b.value.is(Kind::boolean)) {
    b.add(Draft::truth(!b.value.boolean));
  } else if (b.value.is(Kind::array)) {
    Draft more = b.value;
    more.children.push_back(Draft::number("1"));
    b.add(std::move(more));
    b.add(Draft::of_kind(Kind::array));
  } else if (b.value.is(Kind::object)) {
    Draft more = b.value;
    more.set("note", Draft::string(word(b.maker.dice())));
    b.add(std::move(more));
    b.add(Draft::of_kind(Kind::object));
  }
  every_kind(b);
}

void break_step(Breaking& b) {
  for (const char* more : {"1", "-1", "0.5", "0.1", "0.01", "0.001", "-0.5", "1e-9"}) {
    b.add(Draft::number(plus(b.value.text, more)));
  }
  b.add(Draft::number(plus(b.site.node->number->bounds[b.site.index].limit.canonical(), "0.3")));
}

void break_limit(Breaking& b) {
  const std::string limit = b.site.node->number->bounds[b.site.index].limit.canonical();
  const contract::BoundFacets& facets = bound_facets(b.site.kw);
  const bool low = facets.side == contract::BoundSide::low;
  const std::string sign = low ? "-" : "";
  if (facets.open) {
    b.add(Draft::number(limit));
  }
  for (const char* more : {"1", "0.5", "10", "100", "1000000", "1e-9"}) {
    b.add(Draft::number(plus(limit, sign + more)));
  }
  // A neighbour that keeps the multiples of the schema.
  for (const contract::NumberPart::Bound& other : b.site.node->number->bounds) {
    std::string at = b.value.text;
    for (std::size_t i = 0; bound_facets(other.kw).side == contract::BoundSide::step && i < 200; ++i) {
      at = plus(at, sign + other.limit.canonical());
      const int against = compare(decimal(at), decimal(limit));
      if (low ? against < 0 : against > 0) {
        b.out.insert(b.out.begin(), Draft::number(at));
        break;
      }
    }
  }
  if (limit[0] == '-') {
    b.add(Draft::number("0"));
  }
}

namespace {

// Texts of exactly so many code points, made from the value, from the pattern or anew.
void of_length(Breaking& b, std::uint64_t points, bool inside_blank) {
  if (points > b.maker.budget().text_max) {
    b.maker.because("the text would be longer than a sample may be");
    return;
  }
  Random& random = b.maker.dice();
  const std::uint64_t now = text::code_points(b.value.text);
  const json::Value* pattern = b.site.node->schema->find("pattern");
  if (pattern != nullptr) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (const auto text = matching_text(pattern->str(), random, {points, points})) {
        b.text(*text);
      }
    }
  }
  if (now > points) {
    b.text(first_points(b.value.text, points));
    std::string whole = first_points(b.value.text, points);
    for (char& c : whole) {
      c = c == ' ' ? '-' : c;
    }
    b.text(whole);
  } else {
    std::string longer = b.value.text;
    if (points - now > 1) {
      longer += " " + sized(random, points - now - 1, points - now - 1);
    } else {
      longer += 's';
    }
    b.text(longer);
    if (!b.value.text.empty() && static_cast<unsigned char>(b.value.text.back()) < 0x80) {
      b.text(b.value.text + std::string(static_cast<std::size_t>(points - now), b.value.text.back()));
    }
  }
  b.text(points == 0 ? std::string() : sized(random, points, points));
  if (inside_blank) {
    b.text(std::string(static_cast<std::size_t>(points), '7'));
    b.text(std::string(static_cast<std::size_t>(points), 'a'));
  }
}

void phrases(Breaking& b, const contract::TextRule& rule) {
  for (const std::string& name : rule.lists) {
    const std::optional<text::PhraseList> list = text::phrase_list_named(name);
    if (!list) {
      continue;
    }
    if (*list == text::PhraseList::keyword_soup) {
      b.text("battery capacity model electric price comparison review");
    } else if (*list == text::PhraseList::bare_topic) {
      b.text("Electric cars");
    } else if (*list == text::PhraseList::unanchored) {
      b.text("What is their main product?");
    } else if (*list == text::PhraseList::search_operators) {
      b.text(word(b.maker.dice()) + " site:example.org");
      b.text(b.value.text + " site:example.org");
    } else {
      const auto all = text::phrases_of(*list);
      for (std::size_t i = 0; i < all.size() && i < 4; ++i) {
        const std::string phrase(all[b.maker.dice().below(all.size())]);
        b.text("The " + word(b.maker.dice()) + " is for " + phrase + " the " + word(b.maker.dice()) + ".");
        b.text(b.value.text + " " + phrase);
        b.text(phrase);
      }
    }
  }
}

const contract::TextRule& rule_of(const Breaking& b) { return b.site.node->string->text_rules[b.site.index]; }

}  // namespace

void break_max_sentences(Breaking& b) {
  Random& random = b.maker.dice();
  std::string more = b.value.text;
  std::string fresh;
  std::string small;
  for (std::uint64_t i = 0; i <= rule_of(b).number && i < 200; ++i) {
    more += (more.empty() ? "" : " ") + sentence(random);
    fresh += (i == 0 ? "" : " ") + sentence(random);
    small += (i == 0 ? "It rains." : " It snows.");
  }
  b.text(more);
  b.text(fresh);
  b.text(small);
}

void break_avoids(Breaking& b) { phrases(b, rule_of(b)); }

void break_single_unknown(Breaking& b) {
  b.text(b.value.text + " And which " + word(b.maker.dice()) + " is older?");
  b.text("Which year do you mean? And which country?");
}

void break_facts(Breaking& b) {
  b.text("a quiet harbor faces the lantern");
  b.text("It is very good.");
  b.text("it is good");
  b.text("x");
  if (rule_of(b).within < 2000) {
    std::string late;
    while (late.size() < rule_of(b).within) {
      late += "a quiet harbor faces the lantern and ";
    }
    b.text(late + "so on 5 May 2024 with 12 lanterns");
  }
}

void break_min_length(Breaking& b) { of_length(b, b.site.node->string->min_length - 1, true); }
void break_max_length(Breaking& b) { of_length(b, b.site.node->string->max_length + 1, true); }

void break_length(Breaking& b) {
  const contract::StringPart& s = *b.site.node->string;
  if (s.length_min > 0) {
    const std::uint64_t points = s.length_min - 1;
    of_length(b, points, true);
    // Long enough for minLength, and too short when it is trimmed.
    if (s.min_length > points && s.min_length < b.maker.budget().text_max) {
      b.text(sized(b.maker.dice(), points, points) + std::string(static_cast<std::size_t>(s.min_length), ' '));
    }
  }
  if (s.length_max != no_bound) {
    of_length(b, s.length_max + 1, true);
  }
}

void break_not_blank(Breaking& b) {
  const std::uint64_t least = b.site.node->string->min_length;
  if (least < b.maker.budget().text_max) {
    b.text(std::string(static_cast<std::size_t>(std::max(least, std::uint64_t{1})), ' '));
  }
  b.text("");
  b.text("\t");
  b.text("\n");
}

void break_pattern(Breaking& b) {
  const json::Value* pattern = b.site.node->schema->find("pattern");
  for (std::size_t i = 0; pattern != nullptr && i < 16; ++i) {
    if (const auto text = other_text(pattern->str(), b.value.text, b.maker.dice(), i)) {
      b.text(*text);
    }
  }
}

void break_format(Breaking& b) {
  const auto& format = b.site.node->string->format;
  for (std::size_t i = 0; format && i < 10; ++i) {
    b.text(text_not_in_format(*format, i));
  }
}

}  // namespace plumb::sample
