#include "core/extract/evidence.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/fold.hpp"
#include "core/text/quotes.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t places_read_max = 4'000;

// What a question of ours says around what it asks: everything before and behind {}.
struct Frame {
  std::string before;
  std::string behind;
};

Frame frame(Language language, Wording wording) {
  const std::string marked = worded(language, wording, "\x01");
  const std::size_t hole = marked.find('\x01');
  return {marked.substr(0, hole), marked.substr(hole + 1)};
}

bool inside(std::string_view text, const Frame& around, std::string& out) {
  if (around.before.empty() || text.size() < around.before.size() + around.behind.size() ||
      !text.starts_with(around.before) || text.substr(text.size() - around.behind.size()) != around.behind) {
    return false;
  }
  out = std::string(text.substr(around.before.size(), text.size() - around.before.size() - around.behind.size()));
  return true;
}

std::string fold(std::string_view text) { return text::fold(text, {true, true}); }

std::string without_stop(std::string_view text) {
  std::string out = fold(text);
  while (!out.empty() && (out.back() == '.' || out.back() == ' ')) {
    out.pop_back();
  }
  constexpr std::string_view wide = "\xE3\x80\x82";
  if (out.size() > wide.size() && out.ends_with(wide)) {
    out.resize(out.size() - wide.size());
  }
  return out;
}

}  // namespace

Asked Evidence::asked(std::string_view question) const {
  Asked out;
  question = text::trim(question);
  if (question.find(gap) != std::string_view::npos) {
    out.type = AskedType::cloze;
    out.about = std::string(question);
    for (const Wording wording :
         {Wording::cloze_term, Wording::cloze_name, Wording::cloze_number, Wording::cloze_year}) {
      if (inside(question, frame(r_.language, wording), out.about)) {
        break;
      }
    }
    return out;
  }
  out.type = AskedType::description;
  if (inside(question, frame(r_.language, Wording::which_term), out.about)) {
    return out;
  }
  out.type = AskedType::meaning;
  for (const Wording wording :
       {Wording::what_means, Wording::what_is, Wording::what_are, Wording::what_was, Wording::what_were}) {
    // "What is the colour of leaves?" asks for more than a meaning: a term has few words.
    if (inside(question, frame(r_.language, wording), out.about)) {
      const text::Words words(out.about, 8);
      const std::size_t most = is_unspaced(r_.language) ? 12 : 5;
      bool term = words.size() <= most;
      for (std::size_t i = 1; term && i < words.size(); ++i) {
        term = !is_function_word(r_.language, words.folded(i));
      }
      if (term) {
        return out;
      }
    }
  }
  out.type = AskedType::free;
  out.about = std::string(question);
  return out;
}

Evidence::Content Evidence::content(std::string_view text) const {
  Content out;
  const text::Words words(text, 2'000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_function_word(r_.language, words.folded(i))) {
      continue;
    }
    const std::uint32_t stem = r_.stem_of(words.folded(i));
    if (stem == no_stem) {
      ++out.unknown;
    } else if (std::find(out.stems.begin(), out.stems.end(), stem) == out.stems.end()) {
      out.stems.push_back(stem);
    }
  }
  return out;
}

const Sentence* Evidence::best_sentence(const std::vector<std::uint32_t>& stems, std::size_t& found) const {
  // Sentences of the rarest words, each counted once for each word that it has.
  std::vector<std::uint32_t> hits;
  for (const std::uint32_t stem : stems) {
    std::uint32_t last = no_stem;
    std::size_t read = 0;
    for (const std::uint32_t place : r_.occurrences(stem)) {
      if (++read > places_read_max) {
        break;
      }
      if (r_.sentence_of[place] != last) {
        last = r_.sentence_of[place];
        hits.push_back(last);
      }
    }
  }
  std::sort(hits.begin(), hits.end());
  const Sentence* best = nullptr;
  found = 0;
  for (std::size_t i = 0; i < hits.size();) {
    std::size_t end = i;
    while (end < hits.size() && hits[end] == hits[i]) {
      ++end;
    }
    if (end - i > found) {
      found = end - i;
      best = &r_.sentences[hits[i]];
    }
    i = end;
  }
  return best;
}

std::string Evidence::folded(const Sentence& sentence) const { return fold(r_.plain(sentence)); }

const Sentence* Evidence::verbatim(std::string_view text) const {
  const Content words = content(text);
  if (words.unknown > 0 || words.stems.empty()) {
    return nullptr;
  }
  // Looked for only where all its words are, and the rarest of them leads there.
  std::uint32_t rarest = words.stems.front();
  for (const std::uint32_t stem : words.stems) {
    rarest = r_.occurrences(stem).size() < r_.occurrences(rarest).size() ? stem : rarest;
  }
  const std::string wanted = without_stop(text);
  std::uint32_t last = no_stem;
  std::size_t read = 0;
  for (const std::uint32_t place : r_.occurrences(rarest)) {
    const std::uint32_t index = r_.sentence_of[place];
    if (index == last) {
      continue;
    }
    last = index;
    if (++read > places_read_max) {
      break;
    }
    if (text::find_folded(wanted, r_.plain(r_.sentences[index]), {true, false})) {
      return &r_.sentences[index];
    }
  }
  return nullptr;
}

Proof Evidence::proof(const Asked& asked, std::string_view answer) const {
  if (text::is_blank(answer)) {
    return {};
  }
  switch (asked.type) {
    case AskedType::cloze: {
      std::string filled = asked.about;
      filled.replace(filled.find(gap), gap.size(), answer);
      const Sentence* const sentence = verbatim(filled);
      return {sentence, sentence != nullptr, nullptr};
    }
    case AskedType::meaning:
      return definition_proof(asked.about, answer);
    case AskedType::description:
      return definition_proof(answer, asked.about);
    case AskedType::free:
      break;
  }
  const Content question = content(asked.about);
  const Content said = content(answer);
  if (said.unknown > 0 || question.unknown > 0 || said.stems.empty() || question.stems.empty()) {
    return {};
  }
  std::vector<std::uint32_t> all = question.stems;
  for (const std::uint32_t stem : said.stems) {
    if (std::find(all.begin(), all.end(), stem) == all.end()) {
      all.push_back(stem);
    }
  }
  std::size_t found = 0;
  const Sentence* const sentence = best_sentence(all, found);
  return {sentence, found == all.size() && question.stems.size() >= 2, nullptr};
}

Proof Evidence::definition_proof(std::string_view term, std::string_view meaning) const {
  if (text::is_blank(term) || text::is_blank(meaning)) {
    return {};
  }
  // The article of "What is the Calvin cycle?"
  text::Words words(term, 12);
  std::string_view name = term;
  if (words.size() > 1 && is_article(r_.language, words.folded(0))) {
    name = term.substr(words.span(1).from);
  }
  const std::string wanted = without_stop(meaning);
  const std::int32_t index = terms_.find(r_, name);
  for (const Definition& d : terms_.definitions) {
    const std::string says = fold(piece(r_.text, d.meaning));
    if (says == wanted || (wanted.size() > 20 && says.starts_with(wanted))) {
      const bool same =
          fold(piece(r_.text, d.term)) == fold(name) ||
          (index >= 0 && terms_.list[static_cast<std::size_t>(index)].exact.empty() &&
           d.words_end - d.first_word == terms_.list[static_cast<std::size_t>(index)].stems.size() &&
           std::equal(terms_.list[static_cast<std::size_t>(index)].stems.begin(),
                      terms_.list[static_cast<std::size_t>(index)].stems.end(), r_.stems.begin() + d.first_word));
      if (same) {
        return {&r_.sentences[d.sentence], true, nullptr};
      }
    }
  }
  // No definition that is known as one: the sentence with both.
  const Sentence* const sentence = verbatim(meaning);
  if (sentence == nullptr) {
    return {};
  }
  const bool about = text::find_folded(fold(name), r_.plain(*sentence), {true, false}).has_value();
  // A question for a meaning is answered by a definition alone: a sentence that only mentions the term tells no
  // meaning.
  return {about ? sentence : nullptr, about && defines(name), about ? nullptr : sentence};
}

Proof Evidence::mention(std::string_view words) const {
  if (const Sentence* const sentence = verbatim(words)) {
    return {sentence, true, nullptr};
  }
  std::size_t found = 0;
  const Content known = content(words);
  const Sentence* const sentence = best_sentence(known.stems, found);
  return {found * 2 >= known.stems.size() + known.unknown ? sentence : nullptr, false, nullptr};
}

Proof Evidence::nearest(std::string_view a, std::string_view b) const {
  std::string both(a);
  both += "\n";
  both += b;
  const Content known = content(without_wording(both));
  std::size_t found = 0;
  const Sentence* const sentence = best_sentence(known.stems, found);
  return {found * 2 >= known.stems.size() + known.unknown ? sentence : nullptr, false, nullptr};
}

bool Evidence::defines(std::string_view term) const {
  const text::Words words(term, 12);
  std::size_t from = words.size() > 1 && is_article(r_.language, words.folded(0)) ? 1 : 0;
  std::vector<std::uint32_t> stems;
  for (; from < words.size(); ++from) {
    stems.push_back(r_.stem_of(words.folded(from)));
  }
  return !stems.empty() && std::any_of(terms_.definitions.begin(), terms_.definitions.end(), [&](const Definition& d) {
    return piece(r_.text, d.term) == term || (d.words_end - d.first_word == stems.size() &&
                                              std::equal(stems.begin(), stems.end(), r_.stems.begin() + d.first_word));
  });
}

bool Evidence::is_foreign(std::string_view text) const {
  const Content words = content(without_wording(text));
  return words.stems.empty() && words.unknown > 0;
}

Unknown Evidence::unknown_in(std::string_view text) const {
  Unknown out;
  const text::Words words(text, 2'000);
  std::size_t content_words = 0;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_function_word(r_.language, words.folded(i))) {
      continue;
    }
    ++content_words;
    if (r_.stem_of(words.folded(i)) != no_stem) {
      continue;
    }
    if (++unknown <= 5) {
      out.words += out.words.empty() ? "" : ", ";
      out.words += words.written(i);
    }
    const char first = words.written(i).front();
    const bool number = ascii::is_digit(first);
    const bool capital = ascii::is_upper(first) && i > 0 && words.gap(i - 1) == " ";
    out.telling = out.telling || number || (capital && r_.language != Language::german);
  }
  // An answer of one or two words none of which the source has, or a text that mostly speaks of other things.
  out.telling = out.telling || unknown * 2 > content_words;
  return out;
}

std::string Evidence::without_wording(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    for (const Wording wording : {Wording::what_means, Wording::what_is, Wording::what_are, Wording::what_was,
                                  Wording::what_were, Wording::which_term, Wording::cloze_term, Wording::cloze_name,
                                  Wording::cloze_number, Wording::cloze_year, Wording::source_says}) {
      std::string body;
      if (inside(line, frame(r_.language, wording), body)) {
        line = body;
        break;
      }
    }
    if (const std::size_t hole = line.find(gap); hole != std::string::npos) {
      line.replace(hole, gap.size(), " ");
    }
    out += line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace plumb::extract
