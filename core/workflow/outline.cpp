#include "core/workflow/outline.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/extract/blocks.hpp"
#include "core/workflow/outline_code.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t text_bytes_max = std::size_t{16} << 20U;

constexpr std::array<std::pair<std::string_view, Language>, 27> endings = {{
    {"c", Language::c},
    {"h", Language::cpp},
    {"cc", Language::cpp},
    {"cpp", Language::cpp},
    {"cxx", Language::cpp},
    {"hh", Language::cpp},
    {"hpp", Language::cpp},
    {"hxx", Language::cpp},
    {"ipp", Language::cpp},
    {"inl", Language::cpp},
    {"go", Language::go},
    {"py", Language::python},
    {"pyi", Language::python},
    {"js", Language::javascript},
    {"mjs", Language::javascript},
    {"cjs", Language::javascript},
    {"jsx", Language::javascript},
    {"ts", Language::typescript},
    {"mts", Language::typescript},
    {"cts", Language::typescript},
    {"tsx", Language::typescript},
    {"java", Language::java},
    {"rs", Language::rust},
    {"C", Language::cpp},
    {"H", Language::cpp},
    {"c++", Language::cpp},
    {"h++", Language::cpp},
}};

std::vector<OutlineLine> headings(std::string_view text) {
  std::vector<OutlineLine> out;
  std::size_t counted = 0;
  std::uint32_t line = 1;
  for (const extract::Block& block : extract::blocks(text)) {
    line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                  text.begin() + static_cast<std::ptrdiff_t>(block.where.from), '\n'));
    counted = block.where.from;
    if (block.kind == extract::BlockKind::heading && out.size() < outline_lines_max) {
      out.push_back({line, block.level > 0 ? block.level - 1 : 0, one_line(extract::piece(text, block.content))});
    }
  }
  return out;
}

}  // namespace

std::string_view language_name(Language language) {
  constexpr std::string_view names[] = {"none", "C", "C++", "Go", "Python", "JavaScript", "TypeScript", "Java", "Rust"};
  return names[static_cast<std::size_t>(language)];
}

Language language_of(std::string_view path) {
  const std::string_view base = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  const std::size_t dot = base.rfind('.');
  if (dot == std::string_view::npos) {
    return Language::none;
  }
  const std::string_view ending = base.substr(dot + 1);
  const auto at = std::find_if(endings.begin(), endings.end(), [&](const auto& one) { return one.first == ending; });
  return at == endings.end() ? Language::none : at->second;
}

std::vector<OutlineLine> outline(std::string_view path, std::string_view text) {
  text = text.substr(0, text_bytes_max);
  const Language language = language_of(path);
  if (language == Language::none) {
    return headings(text);
  }
  const CodeText code = code_text(text, language);
  switch (language) {
    case Language::c:
    case Language::cpp:
    case Language::java:
      return outline_of_statements(code, language);
    case Language::python:
      return outline_of_indents(code);
    default:
      return outline_of_lines(code, language);
  }
}

std::string outline_text(const std::vector<OutlineLine>& lines) {
  std::string out;
  for (const OutlineLine& one : lines) {
    out +=
        std::to_string(one.line) + "  " + std::string(std::size_t{2} * std::min(one.level, 8U), ' ') + one.text + "\n";
  }
  return out;
}

}  // namespace plumb::workflow
