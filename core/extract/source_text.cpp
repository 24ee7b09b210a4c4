#include "core/extract/source_text.hpp"

#include <algorithm>
#include <numeric>

#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

bool is_complete(std::string_view sentence) {
  while (!sentence.empty() && (sentence.ends_with("\"") || sentence.ends_with(')'))) {
    sentence.remove_suffix(1);
  }
  for (const std::string_view quote : {"\xE2\x80\x9D", "\xE2\x80\x9C", "\xC2\xBB"}) {
    if (sentence.ends_with(quote)) {
      sentence.remove_suffix(quote.size());
    }
  }
  return sentence.ends_with('.') || sentence.ends_with('!') || sentence.ends_with("\xE3\x80\x82");
}

bool is_mark(char c) { return c == '*' || c == '_' || c == '`'; }

}  // namespace

std::string_view stem(std::string_view folded) {
  const std::size_t size = folded.size();
  if (folded.ends_with("'s")) {
    return stem(folded.substr(0, size - 2));
  }
  if (size > 4 && folded.ends_with("ies")) {
    return folded.substr(0, size - 3);
  }
  if (size > 3 && folded.back() == 'y' && std::string_view("aeiou").find(folded[size - 2]) == std::string_view::npos) {
    return folded.substr(0, size - 1);
  }
  if (size > 4 && folded.ends_with("es") &&
      (folded.ends_with("sses") || folded.ends_with("xes") || folded.ends_with("ches") || folded.ends_with("shes"))) {
    return folded.substr(0, size - 2);
  }
  if (size > 3 && folded.back() == 's' && folded[size - 2] != 's' && folded[size - 2] != 'u' &&
      folded[size - 2] != 'i') {
    return folded.substr(0, size - 1);
  }
  return folded;
}

std::uint32_t mix(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash ^ (hash >> 15U);
}

SourceText::SourceText(std::span<const Chunk> all) : chunks(all) {
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::vector<std::string>& path = chunks[i].headings;
    aside_ = std::any_of(path.begin(), path.end(), [](const std::string& heading) {
      return is_version(heading) || is_aside(text::fold(without_number(heading), {true, true}));
    });
    for (const Block& block : blocks(chunks[i].text, chunks[i].in_code)) {
      read_block(static_cast<std::uint32_t>(i), block);
    }
  }
  words = std::make_unique<text::Words>(text);
  language = language_of(*words);
  index_words();
}

void SourceText::read_block(std::uint32_t chunk, const Block& block) {
  switch (block.kind) {
    case BlockKind::other:
      return;
    case BlockKind::row:
      read_plain(chunk, block.content, SentenceKind::row);
      return;
    case BlockKind::heading:
      aside_ = aside_ || is_version(piece(chunks[chunk].text, block.content));
      read_plain(chunk, block.content, SentenceKind::heading);
      return;
    case BlockKind::item:
      read_plain(chunk, block.content, SentenceKind::item);
      return;
    case BlockKind::entry:
      read_plain(chunk, block.content, SentenceKind::entry, block.tag);
      return;
    case BlockKind::paragraph:
      read_plain(chunk, block.content, SentenceKind::prose);
      return;
  }
}

void SourceText::read_plain(std::uint32_t chunk, TextSpan content, SentenceKind kind, TextSpan tag) {
  const std::string_view raw = piece(chunks[chunk].text, content);
  const Plain plain = plain_text(raw);
  std::vector<TextSpan> spans;
  if (kind == SentenceKind::heading || kind == SentenceKind::row) {
    if (!plain.text.empty()) {
      spans.push_back({0, plain.text.size()});
    }
  } else {
    spans = text::sentences(plain.text);
  }
  std::size_t mark = 0;
  for (const TextSpan span : spans) {
    Sentence sentence;
    sentence.kind = kind == SentenceKind::entry && span.from != spans.front().from ? SentenceKind::prose : kind;
    sentence.aside = aside_;
    sentence.chunk = chunk;
    std::size_t from = plain.places[span.from];
    std::size_t to = plain.places[span.to - 1] + 1;
    while (from > 0 && is_mark(raw[from - 1])) {
      --from;
    }
    while (to < raw.size() && is_mark(raw[to])) {
      ++to;
    }
    sentence.raw = {content.from + from, content.from + to};
    sentence.plain.from = text.size();
    if (sentence.kind == SentenceKind::entry) {
      sentence.raw.from = tag.from;
      text += piece(chunks[chunk].text, tag);
      sentence.tag_to = text.size();
      text += ": ";
    }
    const std::size_t shown_from = text.size();
    text += piece(plain.text, span);
    sentence.plain.to = text.size();
    text.push_back('\n');
    sentence.complete = is_complete(piece(plain.text, span));
    for (; mark < plain.marks.size() && plain.marks[mark].where.from < span.to; ++mark) {
      const TextSpan where = plain.marks[mark].where;
      if (where.from >= span.from && where.to <= span.to) {
        marks.push_back(
            {plain.marks[mark].kind, {shown_from + where.from - span.from, shown_from + where.to - span.from}});
      }
    }
    sentences.push_back(sentence);
  }
}

void SourceText::index_words() {
  const std::size_t count = words->size();
  sentence_of.resize(count);
  std::size_t word = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentences[i].first_word = static_cast<std::uint32_t>(word);
    while (word < count && words->span(word).from < sentences[i].plain.to) {
      sentence_of[word++] = static_cast<std::uint32_t>(i);
    }
    sentences[i].words_end = static_cast<std::uint32_t>(word);
    std::uint32_t said = sentences[i].first_word;
    while (said < word && words->span(said).from < sentences[i].tag_to) {
      ++said;
    }
    sentences[i].foreign = sentences[i].kind != SentenceKind::heading && is_foreign(language, *words, said, word);
    // What is left untranslated in a script with other letters is not even a card in it.
    sentences[i].aside = sentences[i].aside || (sentences[i].foreign && is_unspaced(language));
  }
  std::vector<std::string_view> texts(count);
  for (std::size_t i = 0; i < count; ++i) {
    texts[i] = stem(words->folded(i));
  }
  places_.resize(count);
  std::iota(places_.begin(), places_.end(), 0U);
  std::sort(places_.begin(), places_.end(), [&texts](std::uint32_t a, std::uint32_t b) {
    const int order = texts[a].compare(texts[b]);
    return order != 0 ? order < 0 : a < b;
  });
  stems.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || texts[places_[i]] != texts[places_[i - 1]]) {
      stem_text_.push_back(texts[places_[i]]);
      stem_from_.push_back(static_cast<std::uint32_t>(i));
    }
    stems[places_[i]] = static_cast<std::uint32_t>(stem_text_.size() - 1);
  }
  stem_from_.push_back(static_cast<std::uint32_t>(count));
}

std::uint32_t SourceText::stem_of(std::string_view folded) const {
  const std::string_view wanted = stem(folded);
  const auto found = std::lower_bound(stem_text_.begin(), stem_text_.end(), wanted);
  return found != stem_text_.end() && *found == wanted ? static_cast<std::uint32_t>(found - stem_text_.begin())
                                                       : no_stem;
}

bool SourceText::is_capital(std::size_t word) const {
  const std::string_view written = words->written(word);
  return text::is_upper_case(text::decode(written.data(), written.data() + written.size()).code_point);
}

}  // namespace plumb::extract
