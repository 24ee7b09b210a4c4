// One HTML file: the book as data that is no script, a reader (reader_script.cpp), and a policy that lets nothing else
// run and nothing be asked for. Texts of the story reach the page as text nodes only.
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/story/looks.hpp"
#include "core/story/reader_page.hpp"
#include "core/story/ship.hpp"
#include "core/story/ship_parts.hpp"

namespace plumb::story {

namespace {

std::string base64(const json::Sha256::Digest& bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8U | (i + k < bytes.size() ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? alphabet[three >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return out;
}

// JSON in a script element: no `<` may stand there, so that nothing ends the element or opens a comment.
std::string in_script(std::string_view json) {
  std::string out;
  for (const char c : json) {
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return out;
}

constexpr std::string_view data_begins = "<script type=\"application/json\" id=\"book\">";

// What the reader is told beside the book: its words, how entities look, and after which paragraphs.
std::string page_json(const Book& book, const ReaderWords& words) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("words").begin_object();
  for (const Word one :
       {Word::begin, Word::again, Word::passage, Word::saved, Word::not_saved, Word::draft, Word::end}) {
    json.member(name_of(one), words[one]);
  }
  json.end_object().key("looks").begin_object();
  for (const BookEntity& entity : book.entities) {
    if (entity.overlays.empty()) {
      continue;
    }
    json.key(entity.id).begin_array();
    for (const BookOverlay& one : entity.overlays) {
      json.string(look_sentence(entity, one));
    }
    json.end_array();
  }
  json.end_object().key("after").begin_object();
  const std::vector<std::vector<Look>> looks = looks_of(book);
  for (std::size_t p = 0; p < looks.size(); ++p) {
    if (looks[p].empty()) {
      continue;
    }
    json.key(book.passages[p].id).begin_array();
    for (const Look& one : looks[p]) {
      json.begin_array().uint(one.after).string(one.entity->id).end_array();
    }
    json.end_array();
  }
  json.end_object().end_object();
  return out;
}

std::string button(std::string_view id, const std::string& text, std::string_view more = "") {
  return "<button id=\"" + std::string(id) + "\" type=\"button\"" + std::string(more) + ">" + html_text(text) +
         "</button>";
}

std::string labelled(const std::string& text) { return " aria-label=\"" + html_text(text) + "\""; }

std::string settings(const ReaderWords& words) {
  std::string out = "<details id=\"settings\" class=\"quiet\"><summary" + labelled(words[Word::looks]) +
                    ">Aa</summary><div>\n<p><span>" + html_text(words[Word::text_size]) + "</span>" +
                    button("smaller", "A\u2212", labelled(words[Word::smaller])) +
                    button("larger", "A+", labelled(words[Word::larger])) + "</p>\n<p><span>" +
                    html_text(words[Word::colours]) + "</span>";
  for (const auto& [set, word] : {std::pair{"auto", Word::automatic}, {"light", Word::light}, {"dark", Word::dark}}) {
    out += "<button type=\"button\" data-set=\"" + std::string(set) + "\">" + html_text(words[word]) + "</button>";
  }
  return out + "</p>\n<p class=\"keys\">" + html_text(words[Word::keys]) + "</p>\n</div></details>";
}

}  // namespace

std::string hash_source(std::string_view text) {
  json::Sha256 hash;
  hash.update(text);
  return "'sha256-" + base64(hash.digest()) + "'";
}

std::string html_head(const Book& book, const std::string& policy) {
  return "<!doctype html>\n<html lang=\"" + html_text(book.language) + "\" data-hash=\"" + html_text(book_hash(book)) +
         "\" data-graph=\"" + html_text(book.graph_hash) +
         "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
         (book.author.empty() ? "" : "<meta name=\"author\" content=\"" + html_text(book.author) + "\">\n") +
         "<meta name=\"ifid\" content=\"" + html_text(book.ifid) + "\">\n<title>" + html_text(book.title) +
         "</title>\n";
}

std::string title_page(const Book& book) {
  return "<h1>" + html_text(book.title) + "</h1>\n" +
         (book.author.empty() ? "" : "<p class=\"author\">" + html_text(book.author) + "</p>\n") +
         "<p class=\"rule\" aria-hidden=\"true\">\u2042</p>\n";
}

std::string ship_html(const Book& book, const ReaderWords& words, std::string_view theme) {
  const std::string policy = "default-src 'none'; script-src " + hash_source(reader_script) + "; style-src " +
                             hash_source(reader_style) + (theme.empty() ? "" : " " + hash_source(theme)) +
                             "; base-uri 'none'; form-action 'none'";
  std::string out = html_head(book, policy) + "<style>" + std::string(reader_style) + "</style>\n";
  out += theme.empty() ? "" : "<style>" + std::string(theme) + "</style>\n";
  out += "</head>\n<body>\n<header id=\"bar\" hidden>\n<h1>" + html_text(book.title) + "</h1>\n<div class=\"quiet\">" +
         button("undo", words[Word::back]) + "</div>\n" + settings(words) + "\n</header>\n";
  out += "<section id=\"cover\">\n" + title_page(book) + "<p class=\"buttons\">" +
         button("resume", words[Word::resume], " hidden") + button("fresh", words[Word::begin]) +
         "</p>\n<noscript><p>" + html_text(words[Word::no_script]) + "</p></noscript>\n</section>\n";
  out += "<main id=\"passage\" hidden></main>\n<footer id=\"foot\" class=\"quiet\" hidden><span id=\"saved\"></span>" +
         button("restart", words[Word::again]) + "</footer>\n";
  out += "<dialog id=\"ask\" aria-labelledby=\"question\"><p id=\"question\">" +
         html_text(words[Word::again_question]) + "</p><p class=\"buttons\">" +
         button("stay", words[Word::keep_reading]) + button("again", words[Word::again]) + "</p></dialog>\n";
  out += std::string(data_begins) + in_script(book_json(book)) + "</script>\n";
  out += "<script type=\"application/json\" id=\"page\">" + in_script(page_json(book, words)) + "</script>\n";
  return out + "<script>" + std::string(reader_script) + "</script>\n</body>\n</html>\n";
}

Result<Book> read_html_book(std::string_view html) {
  const std::size_t at = html.find(data_begins);
  const std::size_t end = at == std::string_view::npos ? at : html.find("</script>", at);
  if (end == std::string_view::npos) {
    return Error{ErrorCode::invalid_argument, "holds no story: it is not an HTML file that `plumb story make` wrote",
                 "", 0, 0};
  }
  const std::size_t from = at + data_begins.size();
  return read_book(html.substr(from, end - from));
}

}  // namespace plumb::story
