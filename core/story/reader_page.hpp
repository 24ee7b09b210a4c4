// The styles and the script that are written into the exported HTML files: the reader and the gamebook.
//
// The reader's script finds its elements by the ids that ship_html.cpp writes. A theme is another style after
// `reader_style`, and may set what `:root` sets there.
#pragma once

#include <string_view>

namespace plumb::story {

extern const std::string_view reader_style, reader_script, gamebook_style;

}  // namespace plumb::story
