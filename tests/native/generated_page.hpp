// Pages of docs/ that tests write from the tables of the code: PLUMB_REWRITE=1 writes them, otherwise they are
// compared.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/native/source_dir.hpp"

namespace plumb::test {

inline std::string file_text(const std::string& name) {
  std::ifstream file(source_dir() + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void hold_page(const std::string& page, const std::string& wanted) {
  const char* rewrite = std::getenv("PLUMB_REWRITE");
  if (rewrite != nullptr && std::string(rewrite) == "1") {
    std::ofstream(source_dir() + "/" + page, std::ios::binary) << wanted;
    return;
  }
  CHECK_MESSAGE(file_text(page) == wanted, page << " is out of date: PLUMB_REWRITE=1 ./dev test native");
}

// Plain text with code in backticks as Markdown: outside code, nothing of it is markup, and names of pages are links.
// `in_table`: as a cell.
inline std::string markdown(std::string_view text, bool in_table = false) {
  constexpr std::string_view folder = "docs/";
  std::string out;
  bool code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text.find(".md", i);
    const std::string name(text.substr(i, std::min(end, text.size()) - i));
    if (!code && end != std::string_view::npos && name.starts_with(folder) && name.find(' ') == std::string::npos) {
      const std::string page = name.substr(folder.size());
      out += "[" + page + "](" + page + ".md)";
      i = end + 2;
      continue;
    }
    const char c = text[i];
    code = code != (c == '`');
    const bool escaped = (!code && (c == '*' || c == '[' || c == '<')) || (in_table && c == '|');
    out += escaped ? "\\" : "";
    out += c;
  }
  return out;
}

}  // namespace plumb::test
