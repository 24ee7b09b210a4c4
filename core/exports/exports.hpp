// An artifact as a file of another program: quizzes for Moodle, flashcards for Anki and spreadsheets, mind maps for
// outliners, and a review sheet that shows each claim beside its quote in the source.
//
//   const Format* format = format_named("gift");
//   Result<std::string> file = write(*format, artifact, {});
//
//   gift         quiz        GIFT, as Moodle's question/format/gift reads it
//   moodle-xml   quiz        Moodle XML, one `multichoice` question each
//   anki         flashcards  Anki's text file: tabs, every field quoted, no HTML
//   csv          flashcards  RFC 4180 with a header and a byte order mark, which spreadsheets need for UTF-8
//   opml         mindmap     OPML 2.0
//   freemind     mindmap     FreeMind's .mm, in ASCII
//   review       any         HTML for people
//
// Every text of the artifact is in the file and is read back as it was, with two exceptions that the formats demand: in
// GIFT and Moodle XML the texts are HTML, so that formulas are rendered and a line break is <br>; and readers of GIFT
// trim blanks around a text. A file needs time and space in the size of its artifact.
//
// The caller writes only what was accepted. Here an artifact needs no more than the members that the format shows; the
// error names the place of one that is missing. A character that no text file of these formats can hold (a control
// character other than tab, CR and LF, a lone surrogate, U+FFFE and U+FFFF) is an error too, with its place.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::exports {

struct Format {
  std::string_view name;       // of --as, ?as= and the page
  std::string_view artifact;   // "quiz", "flashcards", "mindmap"; empty: any artifact of a run
  std::string_view extension;  // of the file, with its dot
  std::string_view media_type;
};

// In the order of help and menus.
std::span<const Format> formats();
const Format* format_named(std::string_view name);
// "gift, moodle-xml, ...", for errors and help.
std::string format_names();

// `run` is the view of the run that made the artifact (`decision`, `evidence`, `unverified`, `warnings`, `issues`),
// which only `review` needs; null for an artifact from elsewhere.
Result<std::string> write(const Format& format, const json::Value& artifact, const json::Value& run);

}  // namespace plumb::exports
