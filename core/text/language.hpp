// Which language a text is evidently in, and the names of languages.
//
//   language_of("Die Photosynthese ist der Vorgang, bei dem ...")    "de"
//   language_of("e = mc^2")                                          ""      nothing is evident
//   language_name("de")                                              "German"
//
// A language is evident by its script, or by words that its neighbours do not have (articles, pronouns, auxiliaries).
// There must be several of them, they must be frequent, and at least three times as frequent as those of any other
// language. Known by words: cs, de, en, es, fi, fr, hu, it, nl, pl, pt, ro, ru, sv, tr, uk; by script: el, he, ja, ko,
// th, zh. Of a text in any other language nothing is said, unless it has a script that only one of these uses.
#pragma once

#include <string>
#include <string_view>

namespace plumb::text {

// The primary tag of BCP 47, or empty. The first 20,000 words decide.
std::string_view language_of(std::string_view text);

// Whether language_of() ever gives this tag.
bool is_evident_language(std::string_view tag);

// The English name of a language of ISO 639-1 by its primary tag in lower case; empty if there is none.
std::string_view language_name(std::string_view tag);
// "DE-at" as "de"; empty if it is not written as a tag of BCP 47, or has two letters and names no language.
std::string primary_language(std::string_view tag);

}  // namespace plumb::text
