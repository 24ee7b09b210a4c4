// Prompts: one Markdown file each, in prompts/, built in and exchangeable by whoever runs a pipeline.
//
//   ---
//   { "about": "Writes the artifact.", "temperature": 0.4, "output_tokens_max": 2000 }
//   ---
//   <!-- system -->
//   You write JSON. {{data_rule}}
//   <!-- user -->
//   Write {{count}} questions about: {{plan}}
//
// Between the `---` lines stands one JSON object. Its members:
//
//   about              what the prompt is for, one sentence (required)
//   temperature        a number from 0 to 2
//   output_tokens_max  the longest answer, in tokens
//   answer             the contract of the answer, where it is not the artifact's own
//   options            the options that a request may give, with what they are where it does not
//   limits             the least and the most of those that are numbers: {"num_questions": [1, 50]}
//   planned, made      what the log counts in the plan and in the artifact: {"at": "/questions/*", "one": "question",
//                      "many": "questions"}, or {"from": "/root", "children": "/children/*", ...} for a tree; `option`
//                      names the option that says how many are wanted
//
// A line `<!-- system -->`, `<!-- user -->` or `<!-- assistant -->` begins a message; text before the first one is the
// user's. The text is a template (core/text/template.hpp). A name that the pipeline does not give is an error with its
// line and column.
//
// Whatever comes from a source or a model reaches a prompt between fences that carry the hash of what they hold, so
// that no text can close its own fence, and the same data gives the same prompt:
//
//   <<<artifact 3f9ac1d2e5b70a41
//   ...
//   3f9ac1d2e5b70a41>>>
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"
#include "core/run/data.hpp"
#include "core/text/template.hpp"

namespace plumb::pipelines {

inline constexpr std::size_t prompt_bytes_max = std::size_t{256} << 10;

// What is counted, for people.
struct Counted {
  std::string at;        // a pointer pattern from the root; or
  std::string from;      // the root of a tree,
  std::string children;  // and the way from a node to those below it
  std::string one;
  std::string many;
  std::string option;

  bool there() const { return !many.empty(); }
  std::uint64_t count(const json::Value& document) const { return places(document).size(); }
  // JSON Pointers, in the order of the document; at most 100,000.
  std::vector<std::string> places(const json::Value& document) const;
  std::string words(std::uint64_t number) const;  // "1 question", "5 questions"
};

struct Prompt {
  std::string name;
  std::string about;
  std::string temperature;  // as it was written, or empty
  std::uint64_t output_tokens_max = 0;
  std::string answer;   // JSON text, or empty
  std::string options;  // JSON text, or empty
  std::string limits;   // likewise
  Counted planned;
  Counted made;
  struct Message {
    std::string role;
    text::Template text;
  };
  std::vector<Message> messages;
};

// `file` is named in errors. `names`: the variables that will be given; empty: any.
Result<Prompt> read_prompt(std::string_view name, std::string_view text, std::string_view file,
                           std::span<const std::string_view> names);

// The options of a plan prompt for people: "num_questions (1 to 50, usually 5), difficulty (usually medium)".
std::string options_words(const Prompt& prompt);
// The options that a prompt names ({{options.depth}}) are some that there are.
Result<bool> check_option_names(const Prompt& prompt, std::string_view file, std::span<const std::string_view> options);

// [{"role": "system", "content": "..."}, ...]
std::string messages_json(const Prompt& prompt, const json::Value& variables);

// `data` between fences; `label` is a word. Nothing for nothing.
std::string fenced(std::string_view label, std::string_view data);
// The sentence for a system message that says what fences mean.
std::string_view data_rule();

// The prompts that are compiled in, in the order of their names.
struct BuiltInPrompt {
  std::string_view name;
  std::string_view text;
};
const std::vector<BuiltInPrompt>& built_in_prompts();
const BuiltInPrompt* built_in_prompt(std::string_view name);

// The variables that a pipeline gives the prompt of this name; empty where no pipeline knows the name.
std::span<const std::string_view> prompt_variables(std::string_view name);

}  // namespace plumb::pipelines
