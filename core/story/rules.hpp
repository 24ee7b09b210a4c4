// Every rule of stories: what a finding of it says, and what to do. `plumb explain RULE` prints it.
#pragma once

#include <span>
#include <string_view>

namespace plumb::story {

struct StoryRule {
  std::string_view id;       // as a finding names it
  std::string_view meaning;  // whole sentences
  std::string_view fix;
};

std::span<const StoryRule> story_rules();
// nullptr when no rule has that name.
const StoryRule* story_rule(std::string_view id);

}  // namespace plumb::story
