// What holds outlines against their contract. It stands apart, so that who judges them elsewhere links no engine.
#include "core/contract/check.hpp"
#include "core/story/contracts.hpp"
#include "core/story/make.hpp"

namespace plumb::story {

namespace {

const contract::Contract& outline_contract() {
  static const contract::Contract read = [] {
    for (const contract::BuiltIn& one : story_contracts()) {
      if (one.name == "outline") {
        Result<contract::Contract> done = contract::Contract::read(one.text);
        PLUMB_REQUIRE(static_cast<bool>(done), "the contract of outlines is one");
        return std::move(done).value();
      }
    }
    PLUMB_REQUIRE(false, "the contract of outlines is built in");
  }();
  return read;
}

}  // namespace

OutlineReading read_outline(std::string_view text) {
  contract::Verdict verdict = contract::check_text(outline_contract(), text);
  if (!verdict.valid || verdict.decision == contract::Decision::undecided) {
    OutlineReading out;
    out.verdict = std::move(verdict);
    return out;
  }
  return read_judged_outline(text, std::move(verdict));
}

Made make_story(std::string_view outline_json) { return make_story(outline_json, read_outline(outline_json)); }

Result<Made> story_from(std::string_view outline_json, std::vector<PhaseNote> notes) {
  return story_from(outline_json, read_outline(outline_json), std::move(notes));
}

Result<Checked> check_story(std::string_view text) { return check_story(text, read_outline); }

}  // namespace plumb::story
