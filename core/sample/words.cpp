#include "core/sample/words.hpp"

#include <algorithm>

#include "core/json/number_text.hpp"

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

}  // namespace

std::string word(Random& random) { return std::string(pick(random, nouns)); }

std::string phrase(Random& random, std::size_t words) {
  std::string out;
  for (std::size_t i = 1; i < words; ++i) {
    out += pick(random, adjectives);
    out += ' ';
  }
  return out + word(random);
}

std::string name(Random& random) { return std::string(pick(random, names)); }

std::string sentence(Random& random) {
  std::string out = "The ";
  out += phrase(random, 2);
  out += ' ';
  out += pick(random, verbs);
  out += " the ";
  out += phrase(random, 2);
  return out + ".";
}

std::string question(Random& random) {
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
