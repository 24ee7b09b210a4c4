#include "core/sample/words.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"
#include "core/text/sentences.hpp"
#include "core/text/utf8.hpp"

namespace plumb::sample {

namespace {

constexpr std::string_view nouns[] = {
    "lantern", "harbor", "meadow", "copper", "window", "garden",  "river",  "bridge", "basket",  "clock",  "feather",
    "island",  "kettle", "ladder", "market", "needle", "orchard", "pebble", "quilt",  "rocket",  "saddle", "temple",
    "valley",  "wagon",  "anchor", "button", "candle", "desert",  "engine", "forest", "glacier", "hammer"};
constexpr std::string_view adjectives[] = {"quiet", "green", "early",  "narrow", "bright", "wooden", "gentle", "hollow",
                                           "young", "plain", "silver", "frozen", "modest", "round",  "steep",  "warm"};
constexpr std::string_view verbs[] = {"holds",   "faces",  "follows", "crosses", "keeps", "reaches",
                                      "carries", "covers", "guards",  "warms",   "turns", "meets"};
constexpr std::string_view names[] = {"Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether",
                                      "Marie Curie",  "Carl Gauss",  "Mary Anning",  "Niels Bohr"};

template <std::size_t Size>
std::string_view pick(Random& random, const std::string_view (&list)[Size]) {
  return list[random.below(Size)];
}

std::string number(Random& random) { return json::uint_text(12 + random.below(80)); }

bool speaks(const Random& random) { return random.vocabulary() != nullptr && random.vocabulary()->speaks(); }

// Words that follow each other in the text.
std::string said_phrase(Random& random, std::size_t words) {
  const std::vector<std::string>& all = random.vocabulary()->words;
  std::size_t at = random.below(all.size());
  std::string out = all[at];
  for (std::size_t i = 1; i < words && ++at < all.size(); ++i) {
    out += ' ';
    out += all[at];
  }
  return out;
}

std::string said_sentence(Random& random) {
  const Vocabulary& vocabulary = *random.vocabulary();
  if (vocabulary.copies && !vocabulary.sentences.empty()) {
    return vocabulary.sentences[random.below(vocabulary.sentences.size())];
  }
  std::string out = said_phrase(random, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    out += ' ';
    out += said_phrase(random, 2);
  }
  return out + ".";
}

std::string said_text(Random& random, std::uint64_t min, std::uint64_t max) {
  std::string out = max < 12 ? said_phrase(random, 1) : max < 60 ? said_phrase(random, 2) : said_sentence(random);
  while (text::code_points(out) < min) {
    out += ' ';
    out += said_phrase(random, 2);
  }
  out = std::string(text::first_code_points(out, static_cast<std::size_t>(max)));
  while (out.size() > 1 && out.back() == ' ') {
    out.back() = 's';
  }
  return out;
}

}  // namespace

std::string word(Random& random) { return speaks(random) ? said_phrase(random, 1) : std::string(pick(random, nouns)); }

std::string phrase(Random& random, std::size_t words) {
  if (speaks(random)) {
    return said_phrase(random, words);
  }
  std::string out;
  for (std::size_t i = 1; i < words; ++i) {
    out += pick(random, adjectives);
    out += ' ';
  }
  return out + word(random);
}

std::string name(Random& random) { return std::string(pick(random, names)); }

std::string sentence(Random& random) {
  if (speaks(random)) {
    return said_sentence(random);
  }
  std::string out = "The ";
  out += phrase(random, 2);
  out += ' ';
  out += pick(random, verbs);
  out += " the ";
  out += phrase(random, 2);
  return out + ".";
}

std::string question(Random& random) {
  if (speaks(random)) {
    return "What does the text say of " + said_phrase(random, 2) + "?";
  }
  return "Which " + word(random) + " " + std::string(pick(random, verbs)) + " the " + phrase(random, 2) + "?";
}

std::string fact(Random& random, text::FactKind kind) {
  switch (kind) {
    case text::FactKind::number:
      return "at " + number(random) + ".5%";
    case text::FactKind::date:
      return "on " + json::uint_text(1 + random.below(28)) + " May " + json::uint_text(2000 + random.below(25));
    case text::FactKind::name:
      return "with " + name(random);
    case text::FactKind::countable:
      return "with " + number(random) + " " + word(random) + "s";
    case text::FactKind::url:
      return "at https://example.org/" + word(random);
    case text::FactKind::quote:
      return "by \"the " + phrase(random, 2) + " " + std::string(pick(random, verbs)) + "\"";
    case text::FactKind::evidence:
      return "with a source";
  }
  return {};
}

std::string sized(Random& random, std::uint64_t min, std::uint64_t max) {
  if (speaks(random)) {
    return said_text(random, min, max);
  }
  // All of the list is ASCII, so that bytes are code points.
  std::string out = max < 12 ? word(random) : max < 60 ? phrase(random, 2) : sentence(random);
  while (out.size() < min) {
    out += ' ';
    out += min - out.size() < 30 ? word(random) : sentence(random);
  }
  if (out.size() > max) {
    out.resize(static_cast<std::size_t>(max));
  }
  for (char& c : out) {  // an end that was cut off must be no white space
    if (c == ' ' && (&c == &out.back() || &c == &out.front())) {
      c = 's';
    }
  }
  return out;
}

}  // namespace plumb::sample
