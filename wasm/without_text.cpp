// What plumb-schema.wasm has in place of core/contract/keywords/text_list.cpp, core/contract/measured.cpp, the reader
// of core/repair, its warnings of escapes and core/repair/edit_options.cpp: a contract with a rule about texts, and a
// check with edits, are refused with the line that loads what they want. The linker takes these and leaves the rooms'
// own out.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/contract/keywords/keyword.hpp"
#include "core/contract/measured.hpp"
#include "core/repair/edit_options.hpp"
#include "core/repair/escape_warnings.hpp"
#include "core/repair/reader.hpp"
#include "core/require.hpp"
#include "wasm/texts.hpp"

bool plumb::wasm::reads_texts() { return false; }

namespace plumb::contract {

namespace {

// What those hold that are no objects.
constexpr std::pair<std::string_view, json::Kind> forms[] = {
    {"maxSentences", json::Kind::number}, {"singleUnknown", json::Kind::boolean}, {"avoids", json::Kind::array}};

// A member of another form is somebody else's, as it is where these keywords are read.
bool may_be_ours(std::string_view keyword, const json::Value& value) {
  const auto* const form =
      std::find_if(std::begin(forms), std::end(forms), [&](const auto& one) { return one.first == keyword; });
  return value.is(form == std::end(forms) ? json::Kind::object : form->second);
}

constexpr Keyword wanted = {
    .compile =
        [](Compiler& compiler, Compiler::At& at) {
          if (compiler.form(at, may_be_ours(at.member.key, at.member.value), "a rule about texts")) {
            compiler.fail(at, "'" + std::string(at.member.key) + "' " + wasm::texts_wanted);
          }
        },
};

}  // namespace

const Keyword* text_keyword_of(Kw kw) { return facets_of(kw).group == KwGroup::texts ? &wanted : nullptr; }

std::string measure_history(const json::Value&) {
  PLUMB_REQUIRE(false, "a contract that reads what is measured is refused");
  return {};
}

}  // namespace plumb::contract

namespace plumb::repair {

Result<bool> read_edit_options(const json::Value&, EditOptions&) {
  return Error{ErrorCode::invalid_argument, std::string("`edits` ") + wasm::texts_wanted, "", 0, 0};
}

Reader::Reader(const contract::Program& program, const EditOptions& options, std::uint32_t depth_max)
    : options_(options), depth_max_(depth_max), places_(program) {}
void Reader::reset() {}
bool may_have_suspect_escape(std::string_view) { return false; }
void warn_of_escapes(contract::Verdict&, std::vector<contract::Finding>&) {}
void warn_of_escapes(contract::Verdict&, const contract::Program&, std::uint32_t, std::string_view,
                     std::vector<contract::Finding>&) {}
void Reader::read(std::string_view, bool, Output&) { PLUMB_REQUIRE(false, "a check with edits is refused"); }

}  // namespace plumb::repair
