// Strings: in the format or the pattern that is asked for, else prose in the length that is asked for.
#include <algorithm>

#include "core/sample/format_text.hpp"
#include "core/sample/maker.hpp"
#include "core/sample/pattern_text.hpp"
#include "core/sample/words.hpp"
#include "core/text/facts.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::sample {

using contract::no_bound;
using contract::none32;
using json::Kind;

namespace {

constexpr std::uint64_t prose_max = 400;  // code points, where nothing asks for more

struct Wanted {
  std::uint64_t min = 0;
  std::uint64_t max = no_bound;
  bool blank_free = false;
  std::vector<std::string> patterns;
  std::vector<text::Format> formats;
  std::vector<const contract::TextRule*> rules;
};

Wanted wanted_of(const View& view) {
  Wanted out;
  for (const Ask& ask : view.nodes) {
    const Node& node = *ask.node;
    // A format that is not asserted still says what is meant.
    if (const json::Value* format = node.schema->find("format"); format != nullptr && format->is(Kind::string)) {
      if (const std::optional<text::Format> named = text::format_named(format->str())) {
        out.formats.push_back(*named);
      }
    }
    if (!node.string) {
      continue;
    }
    const contract::StringPart& s = *node.string;
    out.min = std::max({out.min, s.min_length, s.has_length ? s.length_min : 0});
    out.max = std::min({out.max, s.max_length, s.has_length ? s.length_max : no_bound});
    out.blank_free = out.blank_free || s.not_blank;
    if (s.pattern != none32) {
      const json::Value* pattern = node.schema->find("pattern");
      if (pattern != nullptr) {
        out.patterns.emplace_back(pattern->str());
      }
    }
    for (const contract::TextRule& rule : s.text_rules) {
      out.rules.push_back(&rule);
    }
  }
  return out;
}

bool says_prose(std::string_view key) {
  constexpr std::string_view names[] = {"description", "explanation", "summary",   "reason",   "reasoning",
                                        "rationale",   "back",        "text",      "content",  "message",
                                        "statement",   "definition",  "objective", "evidence", "comment"};
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) { return key.ends_with(name); });
}

std::string prose(Random& random, std::string_view key, bool rich) {
  if (key.ends_with("question") || key.ends_with("query")) {
    return question(random);
  }
  const Vocabulary* const vocabulary = random.vocabulary();
  if (vocabulary != nullptr && vocabulary->copies && key.ends_with("quote") && !vocabulary->quotes.empty()) {
    return vocabulary->quotes[random.below(vocabulary->quotes.size())];
  }
  if (key.ends_with("url") || key.ends_with("uri")) {
    return "https://example.org/" + word(random);
  }
  if (says_prose(key)) {
    return sentence(random);
  }
  return phrase(random, rich ? 1 + random.below(2) : 1);
}

// One sentence with as many facts as the rule asks for.
std::string with_facts(Random& random, const contract::TextRule& rule) {
  std::string out = "The " + word(random) + " stands";
  std::vector<text::FactKind> kinds;
  for (const std::string& name : rule.lists) {
    kinds.push_back(*text::fact_kind_named(name));
  }
  if (kinds.empty()) {
    kinds = {text::FactKind::date, text::FactKind::name, text::FactKind::countable};
  }
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(rule.min, 40); ++i) {
    std::string piece = fact(random, kinds[static_cast<std::size_t>(i) % kinds.size()]);
    // Where the room is short, the fact by itself.
    if (rule.within < out.size() + piece.size() + 2) {
      out = i == 0 ? piece.substr(piece.find(' ') + 1) : out + " " + piece.substr(piece.find(' ') + 1);
    } else {
      out += (i == 0 ? " " : ", ") + piece;
    }
  }
  return out + ".";
}

}  // namespace

bool Maker::says_ids(const View& view) {
  return std::any_of(view.nodes.begin(), view.nodes.end(), [](const Ask& ask) {
    const json::Value* said = ask.node->schema->find("description");
    const std::string_view text = said == nullptr ? std::string_view() : said->str();
    return text.starts_with("Ids ") || text.starts_with("The ids ") || text.starts_with("The id ");
  });
}

std::vector<std::string> Maker::given(const View& view, std::string_view key) const {
  if (key.empty()) {
    return {};
  }
  for (std::size_t i = 0; row_ != nullptr && i < row_->size(); ++i) {
    if ((*row_)[i].first == key) {
      return (*row_)[i].second;
    }
  }
  const Vocabulary& vocabulary = *random_.vocabulary();
  if (const std::vector<std::string>* values = vocabulary.values_of(key)) {
    return *values;
  }
  const auto ends = [&](std::string_view end) { return key.ends_with(end); };
  bool ids = ids_ || key == "id" || key == "ids" || ends("_id") || ends("_ids") || ends("Id") || ends("Ids");
  ids = ids || says_ids(view);
  return ids ? vocabulary.ids : std::vector<std::string>();
}

std::optional<Draft> Maker::make_string(const View& view, std::string_view key, std::size_t attempt) {
  const Wanted wanted = wanted_of(view);
  if (wanted.min > wanted.max) {
    because("the text would have to be longer than it may be");
    return std::nullopt;
  }
  if (wanted.min > budget_.text_max) {
    because("the text would be longer than a sample may be");
    return std::nullopt;
  }
  const std::uint64_t max = std::min<std::uint64_t>(wanted.max, std::max<std::uint64_t>(prose_max, wanted.min + 40));
  if (!wanted.formats.empty() && attempt < 8) {
    return Draft::string(text_in_format(wanted.formats[attempt % wanted.formats.size()], random_));
  }
  if (!wanted.patterns.empty()) {
    const std::string& pattern = wanted.patterns[attempt % wanted.patterns.size()];
    if (std::optional<std::string> text = matching_text(pattern, random_, {wanted.min, max})) {
      return Draft::string(*text);
    }
    because("no text was found that the pattern " + pattern + " matches");
    return std::nullopt;
  }
  std::string text;
  for (const contract::TextRule* rule : wanted.rules) {
    if (rule->kw == Kw::facts) {
      text = with_facts(random_, *rule);
    } else if (rule->kw == Kw::single_unknown && text.empty()) {
      text = question(random_);
    } else if (rule->kw == Kw::avoids && text.empty()) {
      text = sentence(random_);
    } else if (rule->kw == Kw::max_sentences && rule->number == 0) {
      text = "-";
    }
  }
  if (text.empty()) {
    text = prose(random_, key, style.rich);
  }
  const std::size_t points = text::code_points(text);
  if (points < wanted.min || points > max) {
    text = wanted.max == 0 ? std::string() : sized(random_, wanted.min, max);
  }
  if (attempt >= 6) {
    // Something else: short texts, numbers as text, nothing.
    constexpr std::string_view others[] = {"", "a", "7", "x y", "A", "-", "true", "\xC3\xA4"};
    text.assign(others[(attempt - 6) % 8]);
  }
  return Draft::string(text);
}

}  // namespace plumb::sample
