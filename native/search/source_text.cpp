#include "native/search/source_text.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/text/utf8.hpp"
#include "native/base/text_encoding.hpp"
#include "native/search/document_file.hpp"

namespace plumb::search {

namespace {

constexpr std::size_t looked_at = 1024;  // bytes in which HTML says its encoding

// The value of `charset=` in a page's <meta>, or empty.
std::string page_encoding(std::string_view html) {
  const std::string begin = ascii::lower(html.substr(0, looked_at));
  constexpr std::string_view word = "charset=";
  const std::size_t at = begin.find(word);
  std::string out;
  for (std::size_t i = at == std::string::npos ? begin.size() : at + word.size(); i < begin.size(); ++i) {
    const char c = begin[i];
    if (ascii::is_word(c) || c == '-') {
      out += c;
    } else if (!out.empty() || (c != '"' && c != '\'')) {
      break;
    }
  }
  return out;
}

std::string markdown_of(const Document& document) {
  std::string out;
  for (const DocumentLine& line : document.lines) {
    out += line.heading > 0 ? std::string(std::min<std::size_t>(line.heading, 6), '#') + " " : "";
    out += document.line(line);
    out += '\n';
  }
  return out;
}

Result<std::string> pdf_source(std::string bytes) {
  Result<std::string> text = pdf_text(std::move(bytes), {});
  if (!text) {
    return text.error().code == ErrorCode::not_found
               ? Error{ErrorCode::not_found,
                       "is a PDF, and there is no pdftotext to read it; on Debian: apt install poppler-utils", "", 0, 0}
               : text.error();
  }
  std::string out = std::move(text).value();
  if (out.find_first_not_of(" \t\r\n\f") == std::string::npos) {
    return Error{ErrorCode::invalid_argument,
                 "is a PDF without text, for example scanned pages; run it through text recognition (OCR) first", "", 0,
                 0};
  }
  std::replace(out.begin(), out.end(), '\f', '\n');
  return utf8_text(std::move(out), "");
}

}  // namespace

Result<std::string> source_text(const std::string& name, std::string bytes, const std::string& encoding) {
  const FileKind kind = kind_of(name, bytes);
  if (kind == FileKind::pdf) {
    return pdf_source(std::move(bytes));
  }
  const bool says_itself = kind == FileKind::html && encoding.empty() && !text::is_utf8(bytes);
  const std::string declared = says_itself ? page_encoding(bytes) : encoding;
  Result<std::string> text = utf8_text(std::move(bytes), declared);
  return text && kind == FileKind::html ? Result<std::string>(markdown_of(html_document(text.value()))) : text;
}

}  // namespace plumb::search
