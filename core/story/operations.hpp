// Everything about stories as functions from JSON to JSON: what the npm package and the page call, where they would not
// go through a run.
//
//   contract {}                               the contract of outlines, as text: {"outline"}
//   make   {"outline": text}                  the phases' notes, findings, play, and story.json where it is sound
//   check  {"text": text}                     the same of Twee, story.json, our HTML or an outline, without notes
//   fold   {"notes": [...], "phases": n}      the graph after n of the notes: its hash, counts and lanes
//   judge  {"outline": text, "notes": [...]}  what make tells, of a journal's notes
//   ship   {"story": {...}, "format", "drafts"?}      a story.json as twee, html, json or gamebook: {"file", "text"}
//   read   {"story": {...}, "passage"?, "held"?, "take"?: [way, route]}
//                                             where a reader is, and the ways that are open there
//
// An outline is one that the caller has checked against the contract: no engine is behind these functions.
//
// An error says what of the request is none; that a story is broken is a finding.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::story {

struct StoryOperation {
  std::string_view name;
  std::string_view summary;  // one line
  Result<std::string> (*run)(const json::Value& request) = nullptr;
};
std::span<const StoryOperation> story_operations();
const StoryOperation* story_operation_named(std::string_view name);

}  // namespace plumb::story
