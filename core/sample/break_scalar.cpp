// Types, listed values, numbers and texts.
#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/sample/breaking.hpp"
#include "core/sample/format_text.hpp"
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

void listed(Breaking& b) {
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

void numbers(Breaking& b) {
  const std::string limit = b.site.node->number->bounds[b.site.index].limit.canonical();
  const bool negative = limit[0] == '-';
  const std::string step = negative ? limit.substr(1) : limit;
  switch (b.site.kw) {
    case Kw::multiple_of:
      for (const char* more : {"1", "-1", "0.5", "0.1", "0.01", "0.001", "-0.5", "1e-9"}) {
        b.add(Draft::number(plus(b.value.text, more)));
      }
      b.add(Draft::number(plus(limit, "0.3")));
      break;
    case Kw::exclusive_minimum:
    case Kw::exclusive_maximum:
      b.add(Draft::number(limit));
      [[fallthrough]];
    default: {
      const bool low = b.site.kw == Kw::minimum || b.site.kw == Kw::exclusive_minimum;
      for (const char* more : {"1", "0.5", "10", "100", "1000000", "1e-9"}) {
        b.add(Draft::number(plus(limit, (low ? "-" : "") + std::string(more))));
      }
      // A neighbour that keeps the multiples of the schema.
      for (const contract::NumberPart::Bound& other : b.site.node->number->bounds) {
        if (other.kw == Kw::multiple_of) {
          std::string at = b.value.text;
          for (std::size_t i = 0; i < 200; ++i) {
            at = plus(at, (low ? "-" : "") + other.limit.canonical());
            const int against = compare(decimal(at), decimal(limit));
            if (low ? against < 0 : against > 0) {
              b.out.insert(b.out.begin(), Draft::number(at));
              break;
            }
          }
        }
      }
      if (step != limit) {
        b.add(Draft::number("0"));
      }
      break;
    }
  }
}

}  // namespace

void break_scalar(Breaking& b) {
  switch (b.site.kw) {
    case Kw::type:
      if (b.value.is(Kind::number)) {
        b.add(Draft::number(plus(b.value.text, "0.5")));
        b.text("seven");
      }
      every_kind(b);
      break;
    case Kw::enum_:
    case Kw::const_:
      listed(b);
      break;
    case Kw::multiple_of:
    case Kw::maximum:
    case Kw::exclusive_maximum:
    case Kw::minimum:
    case Kw::exclusive_minimum:
      if (b.value.is(Kind::number)) {
        numbers(b);
      }
      break;
    default:
      break;
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

void text_rules(Breaking& b) {
  const contract::TextRule& rule = b.site.node->string->text_rules[b.site.index];
  Random& random = b.maker.dice();
  switch (rule.kw) {
    case Kw::max_sentences: {
      std::string more = b.value.text;
      std::string fresh;
      std::string small;
      for (std::uint64_t i = 0; i <= rule.number && i < 200; ++i) {
        more += (more.empty() ? "" : " ") + sentence(random);
        fresh += (i == 0 ? "" : " ") + sentence(random);
        small += (i == 0 ? "It rains." : " It snows.");
      }
      b.text(more);
      b.text(fresh);
      b.text(small);
      break;
    }
    case Kw::avoids:
      phrases(b, rule);
      break;
    case Kw::single_unknown:
      b.text(b.value.text + " And which " + word(random) + " is older?");
      b.text("Which year do you mean? And which country?");
      break;
    case Kw::facts:
      b.text("a quiet harbor faces the lantern");
      b.text("It is very good.");
      b.text("it is good");
      b.text("x");
      if (rule.within < 2000) {
        std::string late;
        while (late.size() < rule.within) {
          late += "a quiet harbor faces the lantern and ";
        }
        b.text(late + "so on 5 May 2024 with 12 lanterns");
      }
      break;
    default:
      break;
  }
}

}  // namespace

void break_string(Breaking& b) {
  if (!b.site.node->string || !b.value.is(Kind::string)) {
    return;
  }
  const contract::StringPart& s = *b.site.node->string;
  switch (b.site.kw) {
    case Kw::min_length:
      of_length(b, s.min_length - 1, true);
      break;
    case Kw::max_length:
      of_length(b, s.max_length + 1, true);
      break;
    case Kw::length:
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
      break;
    case Kw::not_blank:
      if (s.min_length < b.maker.budget().text_max) {
        b.text(std::string(static_cast<std::size_t>(std::max({s.min_length, std::uint64_t{1}})), ' '));
      }
      b.text("");
      b.text("\t");
      b.text("\n");
      break;
    case Kw::pattern: {
      const json::Value* pattern = b.site.node->schema->find("pattern");
      for (std::size_t i = 0; pattern != nullptr && i < 16; ++i) {
        if (const auto text = other_text(pattern->str(), b.value.text, b.maker.dice(), i)) {
          b.text(*text);
        }
      }
      break;
    }
    case Kw::format:
      for (std::size_t i = 0; s.format && i < 10; ++i) {
        b.text(text_not_in_format(*s.format, i));
      }
      break;
    case Kw::max_sentences:
    case Kw::avoids:
    case Kw::single_unknown:
    case Kw::facts:
      text_rules(b);
      break;
    default:
      break;
  }
}

}  // namespace plumb::sample
