// The writers of the formats, and how each format escapes a text. Internal to this folder.
#pragma once

#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::exports {

// Text of HTML: & < > and ", and <br> for each line break.
std::string html(std::string_view text);
// Text or attribute of XML: & < > ", and tab, CR and LF by number, which readers keep.
std::string xml(std::string_view text);
// The same in ASCII alone: all else by number.
std::string ascii_xml(std::string_view text);
// Text of GIFT, without its line breaks: ~ = # { } : and the backslash.
std::string gift(std::string_view text);
// A field of a table, in quotes.
std::string quoted_field(std::string_view text);

// The text of a member that must be there.
Result<std::string_view> text_at(const json::Value& object, std::string_view place, std::string_view member);

Result<std::string> write_gift(const json::Value& artifact);
Result<std::string> write_moodle_xml(const json::Value& artifact);
Result<std::string> write_anki(const json::Value& artifact);
Result<std::string> write_csv(const json::Value& artifact);
Result<std::string> write_opml(const json::Value& artifact);
Result<std::string> write_freemind(const json::Value& artifact);
Result<std::string> write_review(const json::Value& artifact, const json::Value& run);

}  // namespace plumb::exports
