#include "core/extract/definitions.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/ascii.hpp"
#include "core/extract/sentence_forms.hpp"
#include "core/text/fold.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t meaning_code_points_max = 300;

constexpr WordLists elsewhere = {
    " above aforementioned below former following hereafter latter overleaf preceding previous see these this those ",
    " diese diesem diesen dieser dieses folgend folgende folgenden obige obigen oben s siehe unten vorherige "
    "vorherigen ",
    " ce ces cet cette ceci dessous dessus précédent précédente suivant suivante suivantes suivants voir ",
    " ",
    " ",
    " "};
constexpr std::string_view elsewhere_unspaced[] = {"这",   "上述", "上边", "上面", "下面", "下列", "如下",
                                                   "以下", "该",   "参见", "它",   "この", "その", "これ",
                                                   "それ", "上記", "以下", "次の", "参照"};
// With these a clause begins that tells when or how, and not what.
constexpr WordLists clause_words = {
    " after although as at because before by during for from he how i if in it its on she since that there these they "
    "this those to unless until we what when where which while who with without you ",
    " bei bevor da dass dies diese dieser dieses er es falls für im in mit nach seit sie sobald solange um von vor "
    "während weil wenn wie wird zu zum zur ",
    " après avant avec ce cela cet cette ceci comme dans en il ils elle elles lorsque par pour quand que selon si sur ",
    " ",
    " ",
    " "};

class Finder {
 public:
  explicit Finder(const SourceText& reading)
      : r_(reading), w_(*reading.words), f_(reading), language_(static_cast<std::size_t>(reading.language)) {}

  std::vector<Definition> run() {
    for (std::size_t i = 0; i < r_.sentences.size(); ++i) {
      s_ = &r_.sentences[i];
      f_.begin(*s_);
      while (mark_ < r_.marks.size() && r_.marks[mark_].where.from < s_->plain.from) {
        ++mark_;
      }
      if (s_->aside || s_->kind == SentenceKind::heading || s_->first_word == s_->words_end) {
        continue;
      }
      std::optional<Definition> found = s_->kind == SentenceKind::row     ? row()
                                        : s_->kind == SentenceKind::entry ? tagged()
                                                                          : listed();
      if (!found && s_->kind != SentenceKind::row && s_->kind != SentenceKind::entry &&
          (s_->complete || r_.plain(*s_).back() == ';')) {
        found = f_.spoken();
      }
      if (found && means_something(*found)) {
        found->sentence = static_cast<std::uint32_t>(i);
        found->flaw = flaw(*found);
        out_.push_back(*found);
      }
    }
    mark_contradictions();
    return std::move(out_);
  }

 private:
  bool means_something(const Definition& d) const {
    const std::string_view meaning = f_.text(d.meaning);
    if (d.first_word >= d.words_end || meaning.size() < meaning_bytes_min) {
      return false;
    }
    if (is_unspaced(r_.language)) {
      return text::code_points(meaning) >= 4;
    }
    std::size_t words = 0;
    for (std::uint32_t i = first_word_from(r_, d.meaning.from); i < s_->words_end && w_.span(i).to <= d.meaning.to;
         ++i) {
      ++words;
    }
    return words >= (d.shape == Shape::is || d.code ? 2U : 3U);
  }

  std::string_view flaw(const Definition& d) const {
    const std::string_view meaning = f_.text(d.meaning);
    const std::uint32_t first = first_word_from(r_, d.meaning.from);
    const bool back =
        first < s_->words_end && d.shape != Shape::does && !f_.is_article_at(first) &&
        (listed_in(clause_words[language_], f_.folded(first)) ||
         (d.shape == Shape::listed && begins_clause(f_.folded(first))) ||
         (d.shape == Shape::listed && !is_unspaced(r_.language) && points_back(r_.language, f_.folded(first)) &&
          !listed_in(" another both each first one second to ", f_.folded(first))));
    const bool condition = meaning.starts_with("もし") || meaning.starts_with("如果");
    if (back || condition || points_elsewhere(r_, d.meaning)) {
      return "what the source says of it speaks of another place";
    }
    if (meaning.back() == ':' || (meaning.size() > 3 && meaning.ends_with("：")) ||
        std::count(meaning.begin(), meaning.end(), '(') != std::count(meaning.begin(), meaning.end(), ')')) {
      return "what the source says of it only begins there";
    }
    if (says_only_its_name(d)) {
      return "what the source says of it is only its name";
    }
    if (is_code(meaning) || meaning.find("://") != std::string_view::npos ||
        meaning.find_first_of("{}") != std::string_view::npos) {
      return "what the source says of it is code or an address";
    }
    if (text::code_points(meaning) > meaning_code_points_max) {
      return "what the source says of it is too long";
    }
    return {};
  }

  // "openssl-glossary - An OpenSSL Glossary"; and a name that is no name: "PVK PVK is ...".
  bool says_only_its_name(const Definition& d) const {
    for (std::uint32_t i = d.first_word; i + 1 < d.words_end; ++i) {
      if (r_.stems[i] == r_.stems[i + 1]) {
        return true;
      }
    }
    if (is_unspaced(r_.language)) {
      return f_.text(d.meaning) == f_.text(d.term);
    }
    for (std::uint32_t i = first_word_from(r_, d.meaning.from); i < s_->words_end && w_.span(i).to <= d.meaning.to;
         ++i) {
      const auto begin = r_.stems.begin();
      const bool named = std::find(begin + d.first_word, begin + d.words_end, r_.stems[i]) != begin + d.words_end ||
                         text::fold(f_.text(d.term), {true, true}).find(f_.folded(i)) != std::string::npos;
      if (!named && !r_.function_word(i)) {
        return false;
      }
    }
    return true;
  }

  // In any language: pages that are translated have parts in others.
  static bool begins_clause(std::string_view word) {
    return std::any_of(std::begin(clause_words), std::end(clause_words),
                       [word](std::string_view list) { return listed_in(list, word); });
  }

  // One tag that is explained in several ways names a part of the text, and no thing: Semantics, Solution.
  void mark_contradictions() {
    std::map<std::string_view, std::pair<std::string_view, bool>> said;  // the meaning, and whether there are others
    for (const Definition& d : out_) {
      if (d.shape == Shape::listed) {
        const auto [at, fresh] = said.try_emplace(f_.text(d.term), f_.text(d.meaning), false);
        at->second.second = at->second.second || (!fresh && at->second.first != f_.text(d.meaning));
      }
    }
    for (Definition& d : out_) {
      if (d.shape == Shape::listed && said[f_.text(d.term)].second) {
        d.flaw = "the source explains it more than once, each time otherwise";
      }
    }
  }

  // Stroma: the fluid ...
  std::optional<Definition> listed() const {
    const bool marked = mark_ < r_.marks.size() && r_.marks[mark_].where.from == s_->plain.from &&
                        r_.marks[mark_].kind != MarkKind::italic;
    if (!marked && s_->kind != SentenceKind::item) {
      return std::nullopt;
    }
    const std::size_t marked_to = marked ? r_.marks[mark_].where.to : 0;
    const std::uint32_t most = is_unspaced(r_.language) ? unspaced_term_characters_max : definition_words_max + 2;
    for (std::uint32_t i = s_->first_word; i + 1 < s_->words_end && i < s_->first_word + most; ++i) {
      const std::string_view between = w_.gap(i);
      bool divides = false;
      for (const std::string_view sign : {": ", " - ", "= - ", "–", "—", "：", " : "}) {
        divides = divides || between.find(sign) != std::string_view::npos;
      }
      if (!divides) {
        continue;
      }
      if (marked && w_.span(i).to + 2 < marked_to) {
        return std::nullopt;
      }
      const std::uint32_t from = s_->first_word + (f_.is_article_at(s_->first_word) ? 1 : 0);
      // "xz, unxz, xzcat - compress files": the first of the names.
      const std::uint32_t end = from < i && w_.gap(from) == ", " ? from + 1 : i + 1;
      const bool dash = between.find('-') != std::string_view::npos || between.find("—") != std::string_view::npos;
      const bool name = !marked && dash && end == from + 1;  // of a command, which may be any word: find, which
      if (!name && !f_.is_term(from, end)) {
        return std::nullopt;
      }
      Definition d = f_.definition(from, end, f_.rest_from_word(i + 1), Shape::listed, Wording::what_means);
      d.term.from = from == s_->first_word ? s_->plain.from : d.term.from;  // "/etc/passwd", "--keep"
      d.term.to += r_.text[d.term.to] == '=' ? 1 : 0;
      d.code = !marked && dash && f_.text(d.term).find(' ') == std::string_view::npos;
      const bool code = marked && r_.marks[mark_].kind == MarkKind::code && marked_to >= d.term.to;  // `[!hide]`
      d.term = code ? r_.marks[mark_].where : d.term;
      return code || is_name(f_.text(d.term)) ? std::optional(d) : std::nullopt;
    }
    return std::nullopt;
  }

  // Signs that no name has.
  static bool is_name(std::string_view term) { return term.find_first_of("[]<>|{}()\"*!?") == std::string_view::npos; }

  // A tag and its explanation.
  std::optional<Definition> tagged() const {
    std::uint32_t end = s_->first_word;
    while (end < s_->words_end && w_.span(end).to <= s_->tag_to) {
      ++end;
    }
    TextSpan tag{s_->plain.from, s_->tag_to};
    // "UMASK (number)": its kind is no part of the name.
    const std::size_t kind = f_.text(tag).find(" (");
    if (kind != std::string_view::npos && kind > 0 && f_.text(tag).back() == ')') {
      tag.to = tag.from + kind;
      while (end > s_->first_word && w_.span(end - 1).to > tag.to) {
        --end;
      }
    }
    const bool option = f_.text(tag).front() == '-';
    if (end == s_->first_word || end == s_->words_end || !is_name(f_.text(tag)) ||
        (!option && !f_.is_term(s_->first_word, end))) {
      return std::nullopt;
    }
    Definition d = f_.definition(s_->first_word, end, f_.rest_from(s_->tag_to + 2), Shape::listed, Wording::what_means);
    d.term = tag;
    d.code = w_.written(s_->first_word).front() >= 'a' && f_.text(tag).find(' ') == std::string_view::npos;
    for (const std::string_view says : {"是指，", "是指"}) {  // "最小年龄: 最小密码年龄是指，..."
      const std::size_t at = f_.text(d.meaning).substr(0, 48).find(says);
      d.meaning.from += at != std::string_view::npos ? at + says.size() : 0;
    }
    if (const std::size_t at = says_what_it_is(f_.text(d.meaning)); at < 48) {
      constexpr std::string_view sign = "とは";
      constexpr std::string_view comma = "、";
      d.meaning.from += at + sign.size();
      d.meaning.from += f_.text(d.meaning).starts_with(comma) ? comma.size() : 0;
    }
    // "maximum age: The maximum age is the number of days ..."
    const std::uint32_t said = first_word_from(r_, s_->tag_to);
    std::uint32_t again = said + (said < s_->words_end && f_.is_article_at(said) ? 1 : 0);
    const std::uint32_t behind = again + (end - s_->first_word);
    if (behind + 2 < s_->words_end &&
        text::fold(f_.text(tag), {true, true}) ==
            text::fold(f_.text({w_.span(again).from, w_.span(behind - 1).to}), {true, true})) {
      if (!f_.is_copula(behind)) {
        return std::nullopt;
      }
      d.meaning = f_.rest_from_word(behind + 1);
    }
    return d;
  }

  // The first cell of a row, and the first behind it that tells something.
  std::optional<Definition> row() const {
    std::uint32_t end = 0;
    std::uint32_t cell = s_->first_word;
    for (std::uint32_t i = s_->first_word; i < s_->words_end; ++i) {
      const bool last = i + 1 == s_->words_end;
      if (!last && w_.gap(i).find('|') == std::string_view::npos && w_.gap(i).find("│") == std::string_view::npos) {
        continue;
      }
      const TextSpan said{w_.span(cell).from, w_.span(i).to};
      const bool tells = std::count(f_.text(said).begin(), f_.text(said).end(), ' ') >= 2 || is_unspaced(r_.language);
      if (end > 0 && tells) {
        return f_.is_term(s_->first_word, end)
                   ? std::optional(f_.definition(s_->first_word, end, said, Shape::listed, Wording::what_means))
                   : std::nullopt;
      }
      end = end == 0 ? i + 1 : end;
      cell = i + 1;
    }
    return std::nullopt;
  }

  const SourceText& r_;
  const text::Words& w_;
  SentenceForms f_;
  std::size_t language_;
  const Sentence* s_ = nullptr;
  std::size_t mark_ = 0;
  std::vector<Definition> out_;
};

}  // namespace

std::vector<Definition> find_definitions(const SourceText& reading) { return Finder(reading).run(); }

bool points_elsewhere(const SourceText& reading, TextSpan span) {
  const std::string_view text = piece(reading.text, span);
  if (is_unspaced(reading.language)) {
    if (std::any_of(std::begin(elsewhere_unspaced), std::end(elsewhere_unspaced),
                    [text](std::string_view word) { return text.find(word) != std::string_view::npos; })) {
      return true;
    }
  }
  const text::Words& words = *reading.words;
  for (std::uint32_t i = first_word_from(reading, span.from); i < words.size() && words.span(i).to <= span.to; ++i) {
    const std::string_view word = words.folded(i);
    const bool next = i + 1 < words.size();
    const char behind = next ? words.written(i + 1).front() : ' ';
    // "Section 3.1", "chapter 4", "Figure 2"; "such" but not "such as"
    const bool numbered = ascii::is_digit(behind) &&
                          listed_in(" section chapter figure table abschnitt kapitel abbildung chapitre figure ", word);
    // Pages that are translated in part have English in them.
    if (numbered || listed_in(elsewhere[static_cast<std::size_t>(reading.language)], word) ||
        listed_in(elsewhere[0], word) || (word == "such" && next && words.folded(i + 1) != "as")) {
      return true;
    }
  }
  return false;
}

std::uint32_t first_word_from(const SourceText& reading, std::size_t at) {
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(reading.words->size());
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (reading.words->span(middle).from < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace plumb::extract
