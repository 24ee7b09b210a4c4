// The terms of a source: what its sentences are about.
//
// A term is what a sentence, an entry or a row defines, a bold word, or a name. Nothing is a term only because it
// occurs often, or at the beginning of a line. Terms are in the order of their rank: marked and defined ones
// first, then by how often they occur. At most 400 are kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/extract/definitions.hpp"
#include "core/extract/source_text.hpp"

namespace plumb::extract {

inline constexpr std::size_t terms_max = 400;

enum class TermKind : std::uint8_t { noun, name, acronym, code };

struct Occurrence {
  std::uint32_t first_word = 0;
  std::uint32_t words_end = 0;
  bool plural = false;
};

struct Term {
  std::string name;   // as within a sentence
  std::string exact;  // how it is written where its signs matter: -s, /etc/passwd-; else empty
  TermKind kind = TermKind::noun;
  bool bold = false;
  bool heading = false;
  bool literal = false;          // begins a sentence in small letters: ssh-keyscan is a utility
  std::int32_t definition = -1;  // index into Terms::definitions
  std::string_view flaw;         // why it has none, though the source says something of it
  std::uint32_t head = no_stem;  // stem of the noun by which it is defined: "pigment"
  std::vector<Occurrence> at;    // where it is no part of a longer term; at most 64
  std::uint32_t count = 0;       // in all
  std::uint32_t first_word = 0;  // where it first occurs
  std::uint32_t score = 0;
  std::vector<std::uint32_t> stems;
};

struct Terms {
  std::vector<Term> list;
  std::vector<Definition> definitions;

  // The term with this name, by its stems and signs; -1 when there is none.
  std::int32_t find(const SourceText& reading, std::string_view name) const;
  const Definition* definition_of(const Term& term) const {
    return term.definition < 0 ? nullptr : &definitions[static_cast<std::size_t>(term.definition)];
  }
};

Terms find_terms(const SourceText& reading);
// The words of an occurrence as they are written, without quotes around them.
std::string_view written(const SourceText& reading, const Occurrence& occurrence);
// The first letter as a capital, where the word is all in lower case: names of things such as mRNA stay.
std::string capitalised(std::string_view text);
// As an option, or on the front of a card: capitalised, but for what is written in signs.
std::string label_of(const Term& term);
// The term as it is written where it is plural, or singular; empty where it does not occur so.
std::string_view form(const SourceText& reading, const Term& term, bool plural);
// What the source only mentions: the words in the places of nouns, each once, at most `most`. For a source that
// defines nothing.
std::vector<std::string> mentioned(const SourceText& reading, std::size_t most);

}  // namespace plumb::extract
