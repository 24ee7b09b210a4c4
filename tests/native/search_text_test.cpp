// How files become passages, and queries terms.
#include <doctest/doctest.h>

#include <string>

#include "native/search/document.hpp"
#include "native/search/gzip.hpp"
#include "native/search/passages.hpp"
#include "native/search/query.hpp"
#include "native/search/quote.hpp"

using namespace plumb;
using namespace plumb::search;

namespace {

std::string headings_of(const Document& document) {
  std::string out;
  for (const DocumentLine& line : document.lines) {
    if (line.heading != 0)
      out += std::to_string(line.heading) + ":" + std::string(document.line(line)) + "@" + std::to_string(line.line) +
             "\n";
  }
  return out;
}

std::string text_of(const Document& document) {
  std::string out;
  for (const DocumentLine& line : document.lines)
    out += std::to_string(line.line) + ":" + std::string(document.line(line)) + "\n";
  return out;
}

std::string terms_of(std::string_view query) {
  std::string out;
  for (const Term& term : read_query(query).terms)
    out += term.match + " ";
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("native");

TEST_CASE("plain text: underlined, numbered and capital lines that stand alone are headings") {
  const Document document = plain_document(
      "Guide\n=====\n\nText.\n\n1. First part\n\nMore text here.\n\n1.2 A detail\n\nSEE ALSO\n\nno 1. heading\n12 "
      "apples\n");
  CHECK(headings_of(document) == "1:Guide@1\n1:1. First part@6\n2:1.2 A detail@10\n1:SEE ALSO@12\n");
  CHECK(document.title == "Guide");
}

TEST_CASE("markdown: what is fenced is no heading, and the marks are no part of one") {
  const Document document =
      markdown_document("# One #\n\n```sh\n# comment\n```\n\nTwo\n---\n\n- item\n---\n\n###### Six\n");
  CHECK(headings_of(document) == "1:One@1\n2:Two@7\n6:Six@13\n");
}

TEST_CASE("HTML: text comes without tags, menus and scripts, entities are characters, lines are those of the file") {
  const Document document = html_document(
      "<html><head><title>A &amp; B</title><style>p {}</style></head>\n<body>\n<nav><p>Menu</p></nav>\n"
      "<div class=\"sphinxsidebar\"><div>Side</div>bar</div>\n<script>if (a < b) x();</script>\n"
      "<h1>Head<a class=\"headerlink\" href=\"#x\">\xC2\xB6</a>\n line</h1>\n<p>Caf&eacute; &#8211; "
      "2&nbsp;<b>cups</b><br/>a &lt; b &unknown; x</p>\n"
      "<pre>one\n  two</pre></body></html>");
  CHECK(document.title == "A & B");
  CHECK(headings_of(document) == "1:Head line@6\n");
  CHECK(text_of(document) ==
        "6:Head line\n8:\n8:Caf\xC3\xA9 \xE2\x80\x93 2 cups\n8:a < b &unknown; x\n9:one\n10:  two\n");
}

TEST_CASE("HTML: what is malformed is text, and nothing is read beyond the end") {
  for (const std::string& page : {std::string("a < b & c <"), std::string("<p"), std::string("<!-- never closed"),
                                  std::string("<script>never closed"), std::string("<div class=\"nav"),
                                  std::string("&#xFFFFFFFFFF;&#0;&;"), std::string("</"), std::string("<nav><p>x")}) {
    CAPTURE(page);
    for (std::size_t cut = 0; cut <= page.size(); ++cut)
      (void)html_document(std::string_view(page).substr(0, cut));
  }
  CHECK(text_of(html_document("a < b & c <")) == "1:a < b & c <\n");
}

TEST_CASE("documents: a megabyte of what never ends is read to its end") {
  for (const char* piece : {"<a", "<a x=\"", "<a ='", "&", "&#", "<!-- ", "<script>", "<nav>", "</", "\n", "a\n", "\f",
                            "#", "\\h'", ".B \"\n", "= ", "x"}) {
    CAPTURE(piece);
    std::string text;
    while (text.size() < (1U << 20U))
      text += piece;
    (void)passages_of(html_document(text));
    (void)passages_of(man_document(text));
    (void)passages_of(markdown_document(text));
    (void)passages_of(plain_document(text));
    CHECK(paged_document(text).lines.size() <= text.size() + 100'001);
  }
}

TEST_CASE("manual pages: macros are left out, their words kept, sections are headings") {
  const Document document = man_document(
      ".\\\" comment\n.de XX\n.SH \"no\"\n..\n.if n \\{\\\n.  am URL\n.  .\n.\\}\n.TH \"FSTAB\" \"5\"\n.SH \"THE "
      "FILE\"\n"
      ".PP\nThe \\fBfirst\\fP field (\\fIfs_spec\\fR), util\\-linux\\*(Aqs\\(em\n.BR mount (8)\n.SS Sub\n.TP 8\n.B "
      "\\-a\nall\n");
  CHECK(document.title == "FSTAB(5)");
  CHECK(headings_of(document) == "1:THE FILE@10\n2:Sub@14\n");
  CHECK(text_of(document).find("12:The first field (fs_spec), util-linux's\xE2\x80\x94\n13:mount(8)\n") !=
        std::string::npos);
  CHECK(text_of(document).find("16:-a\n17:all\n") != std::string::npos);
}

TEST_CASE("manual pages of mdoc: names, flags and references are words") {
  const Document document = man_document(
      ".Dd June\n.Dt TOOL 1\n.Sh NAME\n.Nm tool\n.Nd does it\n.Sh DESCRIPTION\n.Nm\nreads\n.Fl v Ar file\n.Xr sh 1 "
      ".\n");
  CHECK(document.title == "TOOL(1)");
  CHECK(text_of(document).find("4:tool\n5:does it\n") != std::string::npos);
  CHECK(text_of(document).find("7:tool\n8:reads\n9:-v file\n10:sh(1)\n") != std::string::npos);
}

TEST_CASE("passages: no line is lost or doubled, and each stands in the section that its heading names") {
  std::string text = "# Book\n\nIntro.\n\n## One\n\n";
  for (int i = 0; i < 60; ++i)
    text += "Line " + std::to_string(i) + " of the first section, with a few words in it.\n" + (i % 7 == 6 ? "\n" : "");
  text += "\n## Two\n\nShort.\n\n## Empty\n";
  const Document document = markdown_document(text);
  const std::vector<Passage> passages = passages_of(document);
  std::string all;
  for (const Passage& one : passages) {
    CHECK(one.text.size() <= passage_bytes * 4 / 3);
    all += one.text + "\n";
  }
  for (int i = 0; i < 60; ++i) {
    const std::string line = "Line " + std::to_string(i) + " of";
    CHECK(all.find(line) != std::string::npos);
    CHECK(all.find(line) == all.rfind(line));
  }
  CHECK(passages.front().heading == "Book");
  CHECK(passages[1].heading == "Book > One");
  CHECK(passages.back().text == "Empty");
  CHECK(passages[passages.size() - 2].heading == "Book > Two");
}

TEST_CASE("passages: every line of a passage knows the line of the file that it came from") {
  const std::string html = "<p>one</p>\n\n\n<p>two\nthree</p>\n<p>four</p>";
  const std::vector<Passage> passages = passages_of(html_document(html));
  REQUIRE(passages.size() == 1);
  CHECK(passages[0].text == "one\n\ntwo\nthree\n\nfour");
  const std::string lines = lines_text(passages[0].lines);
  CHECK(line_of(lines, 0) == 1);
  CHECK(line_of(lines, 2) == 4);
  CHECK(line_of(lines, 3) == 5);
  CHECK(line_of(lines, 5) == 6);
  CHECK(lines_text({7, 8, 9}) == "7");
  CHECK(line_of("7", 2) == 9);
}

TEST_CASE("passages: a line of a megabyte is cut at sentences and blanks, between characters") {
  std::string text;
  while (text.size() < (1U << 20U))
    text += "Caf\xC3\xA9 number " + std::to_string(text.size()) + ". ";
  text += std::string(5000, '\xC3');  // no blank, no character either
  const std::vector<Passage> passages = passages_of(plain_document(text));
  std::string all;
  for (const Passage& one : passages) {
    CHECK(one.text.size() <= passage_bytes * 4 / 3);
    CHECK(line_of(lines_text(one.lines), 0) == 1);
    all += one.text;
  }
  CHECK(all == text);
}

TEST_CASE("queries: function words are left out, names with points and dashes stay together, nothing is syntax") {
  CHECK(terms_of("Which option of apt-get removes /etc/apt/sources.list?") ==
        "\"option\" \"apt get\" \"removes\" \"etc apt sources list\" ");
  CHECK(terms_of("\"a b\" NEAR(cats, 5) OR title:dogs* -fish ^x {y} +z") ==
        "\"b\" \"NEAR cats\" \"5\" \"title dogs\" \"fish\" \"x\" \"y\" \"z\" ");
  CHECK(terms_of("Ada's notes") == "\"Ada\" \"notes\" ");
  CHECK(terms_of("Ada\xE2\x80\x99s") == "\"Ada\" ");
  CHECK(terms_of("the who") == "\"the\" \"who\" ");
  CHECK(terms_of("  ?! \" ' * ") == "");
  CHECK(read_query(std::string(5000, 'x')).cut);
  std::string many;
  for (int i = 0; i < 100; ++i)
    many += "word" + std::to_string(i) + " ";
  CHECK(read_query(many).terms.size() == query_terms_max);
  CHECK(read_query(many).cut);
}

TEST_CASE("quotes: the piece that holds the most of what was asked, never more than its bound") {
  const std::string passage = "Cats sleep. Dogs bark at cats, and birds sing. Nothing else.";
  const Quote quote = best_quote(passage, {{{0, 4}, 0}, {{12, 16}, 1}, {{25, 29}, 0}}, {1.0, 2.0});
  CHECK(
      passage.substr(quote.where.from, quote.where.to - quote.where.from).find("Dogs bark at cats, and birds sing.") ==
      0);
  CHECK(quote.weight == doctest::Approx(3.0));
  const std::string lines(4000, 'x');
  const Quote cut = best_quote(lines, {}, {});
  CHECK(cut.where.to - cut.where.from <= quote_bytes_max);
  CHECK(best_quote("", {}, {}).where.to == 0);
}

TEST_CASE("gzip: members are taken together, damage and a bound are told") {
  // "hello\n" packed.
  const std::string hello(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06\x00\x00\x00", 26);
  REQUIRE(gunzip(hello, 100));
  CHECK(gunzip(hello, 100).value() == "hello\n");
  CHECK(gunzip(hello + hello, 100).value() == "hello\nhello\n");
  CHECK(gunzip(hello + std::string(512, '\0'), 100).value() == "hello\n");
  CHECK(gunzip(hello, 5).error().code == ErrorCode::limit);
  for (std::size_t cut = 3; cut < hello.size(); ++cut)
    CHECK_FALSE(gunzip(std::string_view(hello).substr(0, cut), 100));
  std::string damaged = hello;
  damaged[20] = 'x';
  CHECK_FALSE(gunzip(damaged, 100));
}

TEST_SUITE_END();
