#include "core/story/rules.hpp"

#include <algorithm>

namespace plumb::story {

namespace {

constexpr StoryRule table[] = {
    // Files of stories.
    {"broken_link", "A link names a passage that does not exist, or names none.",
     "Correct the name, or write the passage. A similar name is suggested."},
    {"no_start", "The passage that the story begins with does not exist.",
     "Name an existing passage as `start` in StoryData, or call one \"Start\"."},
    {"duplicate_passage", "Two passages have the same name. Only one can be reached.", "Rename one of them."},
    {"unclosed", "A macro or link is opened and never closed in its passage.", "Close it, `<</if>>` or `]]`."},
    {"story_data", "The passage StoryData is not valid JSON.", "Correct the JSON, or export the story again."},
    {"dead_end", "Nothing leads on from a passage, and it is empty or not tagged as an ending.",
     "Add a link, or tag the passage `ending`."},
    {"orphan", "No link from the start leads to a passage.", "Link to it, or remove it."},
    {"unread", "This part of the file was not read, and it may change where a reader can go. The story is undecided.",
     "Nothing is wrong. To have the story proven, write this part with macros that are read."},
    {"coverage", "Some parts of the story were not read, so the result is undecided. The finding counts them.",
     "See the `unread` findings for each place."},
    // Play.
    {"play", "The story is too large to walk, or has no start, so nothing is said of its readings.",
     "Reduce the number of variables or codewords that choices ask for."},
    {"play_trap",
     "A reader can come to a passage from which no ending can be reached any more. The finding names the shortest way "
     "there and what the reader holds.",
     "Open one of the ways that the finding calls shut, or tag the passage `ending`."},
    {"play_ending_unreached", "No reading comes to this ending.", "Change the conditions on the way to it."},
    {"play_gate_never_open", "A choice is never offered to any reader who comes to its passage.",
     "Change its condition, or remove the choice."},
    {"play_variant_never_taken", "A choice has variants, and no reader is ever led to this one.",
     "Change its condition, or remove the variant."},
    {"play_both_answers", "A reader can hold the codewords of both answers to one dilemma.",
     "Let only one of the answers be committed in any reading."},
    // Outlines.
    {"reference", "The outline names a beat, path, entity or answer that does not exist.",
     "Take one of the names in `allowed`; the nearest comes first."},
    {"duplicate_id", "Two parts of the outline have the same id.", "Rename one of them."},
    {"dilemma_id", "The id of a dilemma has characters that ids cannot have.", "Use letters, digits and single `_`."},
    {"one_default", "A dilemma needs exactly one default answer.", "Set `default: true` on one of its two answers."},
    {"default_explored", "A default answer is not explored, and the path of all defaults goes through it.",
     "Remove `explored: false` from the default answer."},
    {"too_many_dilemmas", "More dilemmas have both answers explored than the story's size allows.",
     "Choose a larger `size`, or set `explored: false` on an answer."},
    {"commits_one_path", "A beat that commits to an answer stands on several paths.",
     "Let it stand on that path alone."},
    {"path_commits", "An explored answer has no beat that commits to it.", "Add `commits` to a beat of its path."},
    {"interaction", "Two dilemmas are said to interact, and share nothing, or the pair is wrong.",
     "Correct the pair, or remove the interaction."},
    {"cycle", "Beats come after one another in a circle.", "Remove one `after` of the circle."},
    {"phase_failed", "The story could not be grown from the outline. The finding names the phase and the reason.",
     "Correct the outline as the finding says."},
    // The grown story.
    {"single_start", "The story has more than one beginning, or none.", "Let one beat come before all others."},
    {"all_passages_reachable", "A passage cannot be reached from the start.", "Let a beat lead to it."},
    {"all_endings_reachable", "No ending can be reached from the start.", "Add an ending beat to the path."},
    {"spine_arc_exists", "The path of all default answers is missing.", "Give each dilemma a default answer."},
    {"dilemmas_resolved", "A dilemma is never decided in some arc.", "Add a beat that commits to each answer."},
    {"gate_satisfiability", "A gate asks for a codeword that nothing grants.", "Grant it before, or remove the gate."},
    {"gate_co_satisfiability", "A gate asks for codewords that no reader can hold together.",
     "Split the gate, or ask for fewer codewords."},
    {"passage_dag_cycles", "Passages lead to one another in a circle.", "Remove one of the choices."},
    {"convergence_policy_compliance", "Branches meet again earlier than the dilemma's policy allows.",
     "Make the shared beats exclusive to one path, or set `policy: soft`."},
    {"arc_divergence", "Two arcs differ in few passages or in none.", "Give the paths beats of their own."},
    {"max_consecutive_linear", "Many passages follow one another without a choice.", "Add a choice, or join passages."},
    {"codeword_gate_coverage", "A codeword is granted, and no choice or variant asks for it.",
     "Let something depend on it, or leave it out."},
    {"forward_path_reachability", "A passage has no choice that is open to every reader.",
     "Add a choice without a gate."},
    {"commits_timing", "A path commits to its answer very early or very late.", "Move the committing beat."},
    {"ambiguous_labels", "Two choices of a passage have the same label.", "Give them different labels."},
    {"routing_coverage_ce", "The variants of an ending do not match every arc exactly once.",
     "Cover each combination of answers by one ending."},
    {"routing_coverage_me", "Two variants before a passage match the same arc.", "Let only one of them match."},
    {"prose_neutrality", "A passage is read from several paths, and its prose is not shown to suit each.",
     "Write it neutrally, or add residue for each path."},
};

}  // namespace

std::span<const StoryRule> story_rules() { return table; }

const StoryRule* story_rule(std::string_view id) {
  const auto at = std::find_if(std::begin(table), std::end(table), [id](const StoryRule& one) { return one.id == id; });
  return at == std::end(table) ? nullptr : at;
}

}  // namespace plumb::story
