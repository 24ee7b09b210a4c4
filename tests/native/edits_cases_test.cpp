// What edits must never do, over the artifacts of every golden case: with one byte lost anywhere, or cut off anywhere,
// nothing is accepted that is not what the artifact was.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/check.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::cases;

namespace {

constexpr std::size_t places_max = 400;  // of one artifact; of a longer one so many, evenly spread
constexpr std::size_t artifact_max = 200000;

// Runs `look` with the contract and the text of every artifact that is JSON.
template <class Look>
void each_artifact(const Look& look) {
  for (const CaseFile& file : read_case_files(plumb::test::source_dir())) {
    for (const Case& one : file.cases) {
      contract::ReadOptions read;
      contract::CheckOptions options;
      repair::EditOptions edits;
      if (!one.refused.empty() || !apply_options(one, read, options, edits)) {
        continue;
      }
      for (const auto& [uri, text] : one.documents) {
        read.documents.push_back({uri, text});
      }
      options.context = one.context;
      const Result<contract::Contract> contract = contract::Contract::read(one.contract, read);
      if (!contract) {
        continue;
      }
      for (const Artifact& artifact : one.artifacts) {
        INFO(file.path << ":" << artifact.line);
        json::Arena arena;
        const Result<json::Value> value = json::parse(artifact.text, arena, {.depth_max = 2000});
        if (value && artifact.text.size() <= artifact_max) {
          look(contract.value(), options, artifact.text, value.value());
        }
      }
    }
  }
}

contract::Contract anything() { return contract::Contract::read("true").value(); }

// True for the byte behind a backslash that begins an escape, unless it is a backslash itself.
bool is_letter_of_escape(std::string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && text[before - 1] == '\\') {
    --before;
  }
  return (at - before) % 2 == 1 && text[at] != '\\';
}

// With certain edits the damaged text is refused, or it is what the artifact was.
void never_silent(repair::Check& check, const std::string& damaged, const json::Value& was, std::size_t& accepted) {
  json::Arena arena;
  if (json::parse(damaged, arena, {.depth_max = 2000})) {
    return;  // JSON itself: nobody can see it
  }
  check.reset();
  const contract::Verdict verdict = check.whole(damaged);
  if (!verdict.valid) {
    return;
  }
  ++accepted;
  const Result<json::Value> read = json::parse(check.text(), arena, {.depth_max = 2000});
  const bool is_json = static_cast<bool>(read);
  CHECK_MESSAGE(is_json, damaged);
  const bool same = is_json && json::equal(read.value(), was);
  CHECK_MESSAGE(same, "was ", json::value_text(was), "\n damaged ", damaged, "\n read as ", check.text());
}

}  // namespace

TEST_CASE("edits: one byte lost anywhere in an artifact of a case never gives another value") {
  const contract::Contract any = anything();
  std::size_t accepted = 0;
  std::size_t artifacts = 0;
  each_artifact(
      [&](const contract::Contract&, const contract::CheckOptions&, const std::string& text, const json::Value& was) {
        ++artifacts;
        contract::CheckOptions options;
        options.limits.depth_max = 2000;
        repair::Check check(any, options, {.level = contract::EditLevel::certain, .keep_text = true});
        const std::size_t step = text.size() / places_max + 1;
        for (std::size_t at = 0; at < text.size(); at += step) {
          if (is_letter_of_escape(text, at)) {
            continue;  // what is left may be a backslash that stands for itself, and is read as that
          }
          never_silent(check, text.substr(0, at) + text.substr(at + 1), was, accepted);
        }
      });
  CHECK(artifacts > 400);
  MESSAGE(artifacts, " artifacts, ", accepted, " damaged texts accepted");
}

TEST_CASE("edits: what is cut off is accepted neither with certain edits nor with guesses") {
  const contract::Contract any = anything();
  std::size_t cuts = 0;
  each_artifact(
      [&](const contract::Contract&, const contract::CheckOptions&, const std::string& text, const json::Value& was) {
        if (!was.is(json::Kind::object) && !was.is(json::Kind::array)) {
          return;  // a number cut off may be a number
        }
        contract::CheckOptions options;
        options.limits.depth_max = 2000;
        const std::size_t end = text.find_last_not_of(" \t\r\n");
        for (const auto level : {contract::EditLevel::certain, contract::EditLevel::guess}) {
          repair::Check check(any, options, {.level = level, .keep_text = true});
          const std::size_t step = end / places_max + 1;
          for (std::size_t size = end; size > 0; size -= std::min(size, step)) {
            check.reset();
            ++cuts;
            const contract::Verdict verdict = check.whole(std::string_view(text).substr(0, size));
            CHECK_MESSAGE(!verdict.valid, text.substr(0, size));
          }
        }
      });
  CHECK(cuts > 1000);
}

TEST_CASE("edits: the artifacts of all cases pass through as they are, and are judged as without edits") {
  std::ptrdiff_t warned = 0;
  each_artifact([&](const contract::Contract& contract, const contract::CheckOptions& options, const std::string& text,
                    const json::Value&) {
    const contract::Verdict without = contract::check_text(contract, text, options);
    repair::Check check(contract, options, {.level = contract::EditLevel::certain, .keep_text = true});
    const contract::Verdict with = check.whole(text);
    if (without.valid) {
      CHECK(with.valid);
    }
    for (const contract::Edit& edit : with.edits) {
      CHECK_MESSAGE(
          (edit.edit_class >= contract::EditClass::list_of_one || edit.edit_class == contract::EditClass::envelope),
          "strict JSON needs no edit of its text: ", contract::edit_class_name(edit.edit_class));
    }
    warned += std::count_if(with.findings.begin(), with.findings.end(),
                            [](const contract::Finding& finding) { return finding.rule == "suspectEscape"; });
    if (with.edits.empty()) {
      CHECK(with.findings.size() == without.findings.size());
      for (std::size_t i = 0; i < std::min(with.findings.size(), without.findings.size()); ++i) {
        CHECK(with.findings[i].rule == without.findings[i].rule);
        CHECK(with.findings[i].span.from == without.findings[i].span.from);
        CHECK(with.findings[i].span.to == without.findings[i].span.to);
        CHECK(with.findings[i].span.column_to == without.findings[i].span.column_to);
        CHECK(with.findings[i].decided_at == without.findings[i].decided_at);
      }
    }
  });
  CHECK(warned == 2);  // the examples of suspectEscape itself: everywhere else it would be a false alarm
}
