// Texts become words without endings; a number becomes its value, two letters in a row of a script without spaces a
// word.
#include "core/judge/floor.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "core/text/facts.hpp"
#include "core/text/function_words.hpp"
#include "core/text/mentions.hpp"
#include "core/text/plain.hpp"
#include "core/text/sentences.hpp"
#include "core/text/utf8.hpp"

namespace plumb::judge {

namespace {

using Strings = std::vector<std::string>;
using text::FactKind;
using text::Words;

constexpr std::size_t words_read_max = 4'000;  // of an item
constexpr std::size_t parts_read_max = 2'000;  // that have a word
constexpr std::size_t lacking_max = 5;
constexpr std::size_t beginning = 5;  // letters that two forms of a word share: "absorption" and "absorbed"
constexpr std::size_t ending_max = 5;
constexpr std::uint64_t small_number_max = 3;

struct NumberWord {
  std::string_view word;
  std::string_view value;
};
constexpr std::array<NumberWord, 71> number_words = {{
    {"one", "1"},       {"two", "2"},        {"three", "3"},     {"four", "4"},        {"five", "5"},
    {"six", "6"},       {"seven", "7"},      {"eight", "8"},     {"nine", "9"},        {"ten", "10"},
    {"eleven", "11"},   {"twelve", "12"},    {"thirteen", "13"}, {"fourteen", "14"},   {"fifteen", "15"},
    {"sixteen", "16"},  {"seventeen", "17"}, {"eighteen", "18"}, {"nineteen", "19"},   {"twenty", "20"},
    {"thirty", "30"},   {"forty", "40"},     {"fifty", "50"},    {"sixty", "60"},      {"seventy", "70"},
    {"eighty", "80"},   {"ninety", "90"},    {"hundred", "100"}, {"thousand", "1000"}, {"eins", "1"},
    {"ein", "1"},       {"eine", "1"},       {"zwei", "2"},      {"drei", "3"},        {"vier", "4"},
    {"fünf", "5"},      {"sechs", "6"},      {"sieben", "7"},    {"acht", "8"},        {"neun", "9"},
    {"zehn", "10"},     {"elf", "11"},       {"zwölf", "12"},    {"zwanzig", "20"},    {"dreißig", "30"},
    {"hundert", "100"}, {"tausend", "1000"}, {"un", "1"},        {"une", "1"},         {"deux", "2"},
    {"trois", "3"},     {"quatre", "4"},     {"cinq", "5"},      {"sept", "7"},        {"huit", "8"},
    {"neuf", "9"},      {"dix", "10"},       {"douze", "12"},    {"vingt", "20"},      {"trente", "30"},
    {"cent", "100"},    {"一", "1"},         {"二", "2"},        {"三", "3"},          {"四", "4"},
    {"五", "5"},        {"六", "6"},         {"七", "7"},        {"八", "8"},          {"九", "9"},
    {"十", "10"},
}};

// The value of a number as text, "1905" of "1,905", "6" of "six", "20" of "20th"; empty: it is no number.
std::string number_of(std::string_view folded) {
  const auto known =
      std::find_if(number_words.begin(), number_words.end(), [&](const NumberWord& one) { return one.word == folded; });
  if (known != number_words.end()) {
    return std::string(known->value);
  }
  std::string out;
  std::size_t i = 0;
  for (; i < folded.size() && (ascii::is_digit(folded[i]) || folded[i] == '.' || folded[i] == ','); ++i) {
    // A sign before three digits and no more divides thousands.
    std::size_t digits = 0;
    while (i + 1 + digits < folded.size() && ascii::is_digit(folded[i + 1 + digits])) {
      ++digits;
    }
    if (ascii::is_digit(folded[i])) {
      out += folded[i];
    } else if (digits != 3 || out == "0") {
      out += '.';
    }
  }
  // "1990s" and "20th" are numbers, "2nd" too; "4chan" is a name.
  const std::string_view behind = folded.substr(i);
  if (out.empty() || (behind.size() > 2 && !behind.starts_with('-'))) {
    return {};
  }
  out.erase(0, std::min(out.find_first_not_of('0'), out.size() - 1));
  return out;
}

bool is_content(const Words& words, std::size_t i) {
  const std::string_view folded = words.folded(i);
  if (!number_of(folded).empty()) {
    return true;
  }
  const std::string_view written = words.written(i);
  const auto large = std::count_if(written.begin(), written.end(), ascii::is_upper<char>);
  const bool digit = std::any_of(written.begin(), written.end(), ascii::is_digit<char>);
  if (written.size() >= 2 && large > 0 && (digit || large > 1 || !ascii::is_upper(written.front()))) {
    return true;  // an acronym or a sign: ATP, C4, O2, pH
  }
  const auto letters = static_cast<std::size_t>(std::count_if(
      folded.begin(), folded.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  return letters >= 3 && !text::is_function_word(folded) && !text::is_other_function_word(folded);
}

// The words that say something, each once, in order.
Strings content_of(std::string_view text, std::size_t count_max = words_read_max) {
  const Words words(text, count_max);
  Strings out;
  const auto add = [&](std::string word) {
    if (std::find(out.begin(), out.end(), word) == out.end()) {
      out.push_back(std::move(word));
    }
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words.is_single_letter(i)) {
      if (const std::string number = number_of(words.folded(i)); !number.empty()) {
        add(number);
      } else if (i + 1 < words.size() && words.is_single_letter(i + 1) && words.gap(i).empty()) {
        add(std::string(words.folded(i)) + std::string(words.folded(i + 1)));
      }
    } else if (is_content(words, i)) {
      const std::string number = number_of(words.folded(i));
      add(number.empty() ? std::string(text::without_ending(words.folded(i))) : number);
    }
  }
  return out;
}

bool is_number(std::string_view word) { return !word.empty() && ascii::is_digit(word.front()); }

bool same(std::string_view a, std::string_view b) {
  if (a == b) {
    return true;
  }
  if (is_number(a) || is_number(b)) {
    return false;
  }
  const auto shared = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first -
      a.begin());
  return shared >= beginning && a.size() - shared <= ending_max && b.size() - shared <= ending_max;
}

std::string key_of(std::string_view word) {
  return std::string(is_number(word) ? word : word.substr(0, std::min(word.size(), beginning)));
}

bool has_word(const Strings& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& one) { return same(one, word); });
}

// Guesses the language of a text: 0 unknown, 1 English, 2 another language in Latin letters, above that one number for
// each other script.
std::uint8_t tongue_of(const std::string& text) {
  constexpr std::uint8_t english = 1;
  constexpr std::uint8_t other_latin = 2;
  constexpr std::uint8_t wide = 3;
  const Words words(text, words_read_max);
  std::array<std::size_t, 256> scripts = {};
  std::size_t own = 0;
  std::size_t other = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view folded = words.folded(i);
    own += text::is_function_word(folded) ? 1 : 0;
    other += text::is_other_function_word(folded) ? 1 : 0;
    if (words.is_single_letter(i)) {
      ++scripts[wide];
    } else if (const auto first = static_cast<unsigned char>(folded.front()); first >= 0xC8U) {
      ++scripts[first];  // the first byte of a letter tells its script: Latin letters with marks end at U+01FF
    } else {
      scripts[other_latin] += first >= 'a' ? 1 : 0;
    }
  }
  const auto most = static_cast<std::uint8_t>(std::max_element(scripts.begin(), scripts.end()) - scripts.begin());
  if (scripts[most] == 0) {
    return 0;
  }
  if (most != other_latin) {
    return most >= 0xD0U && most <= 0xD3U ? std::uint8_t{0xD0} : most;
  }
  return own == other ? std::uint8_t{0} : own > other ? english : other_latin;
}

// `lists`: with the texts in lists of it.
void say(const json::Value& value, bool lists, std::string& out) {
  if (value.is(json::Kind::string) || value.is(json::Kind::number)) {
    out += (out.empty() ? "" : "\n\n") + std::string(value.str());  // each its own sentence
  }
  const auto chosen = [&](const json::Value& list) {
    return std::any_of(value.object().begin(), value.object().end(), [&](const json::Member& member) {
      return member.value.is(json::Kind::string) &&
             std::any_of(list.array().begin(), list.array().end(), [&](const json::Value& one) {
               return one.is(json::Kind::string) && one.str() == member.value.str();
             });
    });
  };
  const auto is_of_objects = [](const json::Value& list) {
    return !list.array().empty() && list.array().front().is(json::Kind::object);
  };
  const std::size_t before = out.size();
  for (const json::Member& member : value.object()) {
    if (!is_of_objects(member.value) && !chosen(member.value) && (lists || !member.value.is(json::Kind::array))) {
      say(member.value, lists, out);
    }
  }
  for (const json::Member& member : value.object()) {
    if (out.size() == before && is_of_objects(member.value)) {
      say(member.value, lists, out);
    }
  }
  for (const json::Value& item : value.array()) {
    say(item, lists, out);
  }
}

// A question that asks for what is not so.
bool is_negated(std::string_view question) {
  static constexpr std::array<std::string_view, 12> words = {"not", "except", "never", "false", "incorrect", "no",
                                                             "nor", "least",  "nicht", "kein",  "keine",     "pas"};
  const Words asked(question, words_read_max);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked.folded(i).ends_with("n't") || std::find(words.begin(), words.end(), asked.folded(i)) != words.end()) {
      return true;
    }
  }
  return false;
}

// Words of both, each once.
Strings joined(const Strings& a, const Strings& b) {
  Strings out = a;
  for (const std::string& word : b) {
    if (!has_word(out, word)) {
      out.push_back(word);
    }
  }
  return out;
}

}  // namespace

// Collects the claims of an item. A multiple-choice item claims only its answer, so a list that contains the value of a
// member beside it is left out. Lists of objects are items of their own; they count here only if there is nothing else.
Item item_of(const json::Value& value) {
  Item out;
  say(value, true, out.said);
  say(value, false, out.stated);
  for (const json::Member& list : value.object()) {
    for (const json::Value& one : list.value.array()) {
      if (one.is(json::Kind::object)) {
        say(one, true, out.below);
      }
    }
  }
  for (const json::Member& list : value.object()) {
    for (const json::Member& member : value.object()) {
      const bool chosen =
          member.value.is(json::Kind::string) && out.answer.empty() &&
          std::any_of(list.value.array().begin(), list.value.array().end(), [&](const json::Value& one) {
            return one.is(json::Kind::string) && one.str() == member.value.str();
          });
      if (!chosen) {
        continue;
      }
      out.answer = member.value.str();
      for (const json::Value& one : list.value.array()) {
        if (one.is(json::Kind::string) && one.str() != out.answer) {
          out.others.push_back(one.str());
        }
      }
      for (const json::Member& asked : value.object()) {
        if (asked.value.is(json::Kind::string) && out.question.empty() && &asked != &member) {
          out.question = asked.value.str();
        }
      }
    }
  }
  return out;
}

bool says_something(std::string_view said) { return !content_of(said).empty(); }

Floor::Floor(std::span<const Passage> passages) {
  std::string all;
  std::uint32_t sentence = 0;
  for (const Passage& passage : passages) {
    const std::string plain = text::plain_text(passage.text).text;
    all += all.size() < words_read_max * 8 ? plain + "\n" : "";
    // Code and headings that are no sentences are read as well: what is between two sentences belongs to the first.
    std::size_t from = 0;
    std::vector<text::TextSpan> spans = text::sentences(plain);
    for (std::size_t i = 0; i < std::max<std::size_t>(spans.size(), 1); ++i, ++sentence) {
      const std::size_t to = i + 1 < spans.size() ? spans[i + 1].from : plain.size();
      std::string_view rest = std::string_view(plain).substr(from, to - from);
      from = to;
      while (!rest.empty()) {
        std::size_t end = 0;
        do {
          end = rest.find_first_of(",;", end + 1);
        } while (end != std::string_view::npos && end + 1 < rest.size() && ascii::is_digit(rest[end + 1]));
        end = std::min(end, rest.size());
        Part part{sentence, content_of(rest.substr(0, end), Words::all)};
        for (const std::string& word : part.words) {
          std::vector<std::uint32_t>& places = places_[key_of(word)];
          if (const auto number = static_cast<std::uint32_t>(parts_.size());
              places.empty() || places.back() != number) {
            places.push_back(number);
          }
        }
        parts_.push_back(std::move(part));
        rest.remove_prefix(end);
      }
    }
  }
  tongue_ = tongue_of(all);
}

bool Floor::has(std::string_view word) const {
  const auto found = places_.find(key_of(word));
  return found != places_.end() && std::any_of(found->second.begin(), found->second.end(),
                                               [&](std::uint32_t part) { return has_word(parts_[part].words, word); });
}

Floor::Range Floor::sentence_of(std::size_t part) const {
  Range out{part, part + 1};
  while (out.from > 0 && parts_[out.from - 1].sentence == parts_[part].sentence) {
    --out.from;
  }
  while (out.to < parts_.size() && parts_[out.to].sentence == parts_[part].sentence) {
    ++out.to;
  }
  return out;
}

bool Floor::has_in(const Range& range, std::string_view word) const {
  return std::any_of(parts_.begin() + static_cast<std::ptrdiff_t>(range.from),
                     parts_.begin() + static_cast<std::ptrdiff_t>(range.to),
                     [&](const Part& part) { return has_word(part.words, word); });
}

std::vector<Floor::Range> Floor::together(const Strings& words, bool in_part) const {
  const std::vector<std::uint32_t>* fewest = nullptr;
  for (const std::string& word : words) {
    const auto found = places_.find(key_of(word));
    if (found == places_.end()) {
      return {};
    }
    fewest = fewest == nullptr || found->second.size() < fewest->size() ? &found->second : fewest;
  }
  std::vector<Range> out;
  for (std::size_t i = 0; fewest != nullptr && i < std::min(fewest->size(), parts_read_max); ++i) {
    const std::size_t at = (*fewest)[i];
    const Range range = in_part ? Range{at, at + 1} : sentence_of(at);
    if (std::all_of(words.begin(), words.end(), [&](const std::string& word) { return has_in(range, word); })) {
      out.push_back(range);
    }
  }
  return out;
}

bool Floor::says_instead(const Strings& asked, const Strings& answer, const Strings& other, bool number) const {
  const std::vector<Range> found = together(joined(asked, other), number);
  return std::any_of(found.begin(), found.end(), [&](const Range& range) {
    // The sentence speaks of the answer as well: it may give that in other words.
    const bool open = std::any_of(answer.begin(), answer.end(), [&](const std::string& word) {
      return !has_word(asked, word) && !has_word(other, word) && has_in(range, word);
    });
    // One part of it says most of what is asked, and something of the option: "the angle gives A, the duration B" does
    // not give A for the duration.
    for (std::size_t i = range.from; i < range.to && !open; ++i) {
      const Strings& words = parts_[i].words;
      const auto count =
          std::count_if(asked.begin(), asked.end(), [&](const auto& word) { return has_word(words, word); });
      const bool gives = std::any_of(other.begin(), other.end(), [&](const std::string& word) {
        return !has_word(asked, word) && has_word(words, word);
      });
      if (gives && 2 * static_cast<std::size_t>(count) > asked.size()) {
        return true;
      }
    }
    return false;
  });
}

bool Floor::is_foreign(std::string_view said) const {
  const std::uint8_t tongue = tongue_of(std::string(said));
  return tongue != 0 && tongue_ != 0 && tongue != tongue_;
}

std::string Floor::lacking(std::string_view said) const {
  const bool foreign = is_foreign(said);
  const Words all(said, words_read_max);
  std::size_t capitals = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char first = all.written(i).front();
    capitals += ascii::is_upper(first) ? 1 : 0;
    others += ascii::is_lower(first) && is_content(all, i) ? 1 : 0;
  }
  const bool names = !foreign && others >= capitals;  // a text in capitals tells no names
  std::string out;
  std::size_t count = 0;
  const auto miss = [&](std::string_view written) {
    if (count < lacking_max && out.find(written) == std::string::npos) {
      out += (out.empty() ? "" : ", ") + std::string(written);
      ++count;
    }
  };
  for (const text::Fact& fact : text::facts(
           said, static_cast<text::FactKinds>(text::fact_bit(FactKind::number) | text::fact_bit(FactKind::date) |
                                              text::fact_bit(FactKind::name)))) {
    const std::string_view written = text::piece(said, fact.where);
    const Words words(written, words_read_max);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string number = number_of(words.folded(i));
      if (fact.kind != FactKind::name) {
        const bool small = number.size() == 1 && static_cast<std::uint64_t>(number.front() - '0') <= small_number_max;
        if (!number.empty() && !small && !has(number)) {
          miss(words.written(i));
        }
      } else if (names && number.empty() && is_content(words, i) && (tongue_ < 2 || words.size() > 1) &&
                 !has(text::without_ending(words.folded(i)))) {
        miss(words.written(i));
      }
    }
  }
  return out;
}

std::string_view Floor::contradicting(const Item& item) const {
  const Strings asked = content_of(item.question);
  const Strings answer = content_of(item.answer);
  if (item.answer.empty() || asked.empty() || answer.empty() || is_negated(item.question) || is_foreign(item.said)) {
    return {};
  }
  const bool number = std::all_of(answer.begin(), answer.end(), is_number);
  if (!together(joined(asked, answer), number).empty()) {
    return {};
  }
  for (const std::string_view other : item.others) {
    const Strings words = content_of(other);
    // Two cases prove nothing. One word of the question and a short option occur together in many sentences, and an
    // option that repeats the question's words occurs in every sentence about the question.
    const bool repeats =
        std::all_of(words.begin(), words.end(), [&](const auto& word) { return has_word(asked, word); });
    const bool telling = !repeats && (words.size() >= 3 || asked.size() >= 2);
    if (telling && says_instead(asked, answer, words, number)) {
      return other;
    }
  }
  return {};
}

bool Floor::holds_answer(const Item& item, std::string_view quote) const {
  const Strings said = content_of(text::plain_text(quote).text);
  const Strings asked = content_of(item.question);
  Strings answer = content_of(item.answer);
  if (is_foreign(item.said)) {
    std::erase_if(answer, [](const std::string& word) { return !is_number(word); });
    return std::all_of(answer.begin(), answer.end(), [&](const std::string& word) { return has_word(said, word); });
  }
  if (answer.empty()) {
    // A symbol or single letter must occur in the quote unchanged: "C" in "vitamin C".
    const Words own(item.answer, words_read_max);
    const Words words(quote, words_read_max);
    for (std::size_t i = 0; i < own.size(); ++i) {
      bool there = false;
      for (std::size_t k = 0; k < words.size(); ++k) {
        there = there || (words.written(k) == own.written(i) && !ascii::is_lower(own.written(i).front()));
      }
      if (!there) {
        return false;
      }
    }
    return own.size() > 0 || quote.find(item.answer) != std::string_view::npos;
  }
  Strings own;
  std::copy_if(answer.begin(), answer.end(), std::back_inserter(own),
               [&](const std::string& word) { return is_number(word) || !has_word(asked, word); });
  if (own.empty()) {
    own = std::move(answer);
  }
  std::size_t held = 0;
  for (const std::string& word : own) {
    const bool there = has_word(said, word);
    if (!there && is_number(word)) {
      return false;
    }
    held += there ? 1 : 0;
  }
  return 2 * held >= own.size();
}

}  // namespace plumb::judge
