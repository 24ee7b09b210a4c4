// The built-in provider `extract`: it plans, writes, judges and repairs artifacts from the source's own sentences, by
// rule. No model and no network; the same bytes in give the same bytes out on every host.
//
//   auto passages = chunks(source);                                   core/extract/chunks.hpp
//   auto planned  = plan(Kind::quiz, passages.value(), {.count = 5});
//   auto artifact = generate(Kind::quiz, planned.value(), passages.value());
//   auto claims   = judge(Kind::quiz, artifact.value(), passages.value());
//   auto mended   = repair(Kind::quiz, artifact.value(), verdict, planned.value(), passages.value());
//
// What it writes is extractive and says so: artifacts carry `"made_by": "extract"` after the members that the contract
// asks for. Every term, definition, number and option is in the source; English, German, French, Chinese and
// Japanese are understood, of other languages entries and rows of tables.
//
// What cannot be made well is left out: `"fewer"` and `"left_out"` behind `made_by` say how many items there are of how
// many, and why. A source that supports nothing gives an artifact that does not pass: what it mentions is asked for all
// the same, with the few options that the source has; judge() then finds them not answerable, and repair() has nothing
// to mend them with.
//
// All JSON is given and returned as text. Errors: a source or plan that cannot be read (invalid_argument), more items
// than items_max (limit).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/extract/chunks.hpp"
#include "core/result.hpp"

namespace plumb::extract {

enum class Kind : std::uint8_t { quiz, flashcards, mindmap };
// By the name of the built-in contract.
std::optional<Kind> kind_named(std::string_view name);

inline constexpr std::size_t items_max = 200;

struct Request {
  std::size_t count = 0;  // questions or cards; 0: at most 5 questions, 10 cards
  std::size_t depth = 3;  // levels of a mindmap, the root with them; 2 to 6
};

// {"concepts": [{"name": "stroma", "chunk": 3, "quote": "..."}, ...], "questions": 5} for a quiz (at most 10 concepts
// that can be asked about), {"terms": [...], "cards": 10} for flashcards, {"main": "Photosynthesis", "topics": [...],
// "depth": 3} for a mindmap. The quote is verbatim from that passage.
Result<std::string> plan(Kind kind, std::span<const Chunk> chunks, const Request& request = {});

// The artifact. `plan` may be one of these, or one whose concepts, terms and topics are plain strings.
Result<std::string> generate(Kind kind, std::string_view plan, std::span<const Chunk> chunks);

// {"claims": [{"rule": "answerable", "at": "/questions/0", "holds": true, "chunk": 3, "quote": "..."}, ...]}: one claim
// for each rule of the contract that asks, and each item. `holds` is null where words alone cannot tell. A claim that
// holds has its chunk and quote, verbatim; others have them where they help, and a `reason`. Of any artifact, by
// whomever.
Result<std::string> judge(Kind kind, std::string_view artifact, std::span<const Chunk> chunks);

// The artifact with what `verdict` (a verdict as JSON, or {"findings": [...]}) says mended from the source: options
// added, duplicates left out, an answer put back among its options, a definition cut at the end of a sentence, an item
// that the source does not support replaced. The very same text where nothing can be mended.
Result<std::string> repair(Kind kind, std::string_view artifact, std::string_view verdict, std::string_view plan,
                           std::span<const Chunk> chunks);

}  // namespace plumb::extract
