// What plumb-schema.wasm has in place of core/contract/keywords/text_list.cpp, core/contract/measured.cpp, the reader
// of core/repair and core/repair/edit_options.cpp: a contract with a rule about texts, and a check with edits, are
// refused with the line that loads what they want. The linker takes these and leaves the rooms' own out.
#include <span>
#include <string>
#include <string_view>

#include "core/contract/keywords/keyword.hpp"
#include "core/contract/measured.hpp"
#include "core/repair/edit_options.hpp"
#include "core/repair/reader.hpp"
#include "core/require.hpp"
#include "wasm/texts.hpp"

bool plumb::wasm::reads_texts() { return false; }

namespace plumb::contract {

namespace {

// A member of another form is somebody else's, as it is where these keywords are read.
bool may_be_ours(std::string_view keyword, const json::Value& value) {
  switch (kw_named(keyword)) {
    case Kw::max_sentences:
      return value.is(json::Kind::number);
    case Kw::single_unknown:
      return value.is(json::Kind::boolean);
    case Kw::avoids:
      return value.is(json::Kind::array);
    default:
      return value.is(json::Kind::object);
  }
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

std::span<const KeywordRow> text_keywords() { return {}; }
const Keyword* text_keyword_of(Kw kw) { return kw >= Kw::max_sentences && kw <= Kw::quoted_from ? &wanted : nullptr; }

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
void Reader::read(std::string_view, bool, Output&) { PLUMB_REQUIRE(false, "a check with edits is refused"); }

}  // namespace plumb::repair
