#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/extract/chunks.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/workflow/sop.hpp"

using namespace plumb::workflow;
using plumb::budget::Severity;
using Texts = std::vector<std::string>;

namespace {

constexpr std::string_view seed_text =
    "\n# Error Handling\n\nAll errors must include context about what operation failed.\n\n## Requirements\n"
    "1. Wrap errors with `fmt.Errorf(\"operation: %w\", err)`\n2. Include relevant identifiers\n";

SopFile file(std::string text, std::string front = "",
             std::string path = ".semspec/sources/docs/sops/error-handling.md", std::string lines = "") {
  return {std::move(path), std::move(text), std::move(front), 1, std::move(lines)};
}

Sop sop(std::string front, std::string text = std::string(seed_text)) {
  const SopReading read = read_sop(file(std::move(text), std::move(front)));
  REQUIRE_MESSAGE(read.sop, (read.findings.empty() ? "" : read.findings[0].finding.message));
  return *read.sop;
}

Changes patch(const std::string& path, const Texts& added) {
  std::string out = "diff --git a/" + path + " b/" + path + "\n--- a/" + path + "\n+++ b/" + path + "\n@@ -9,0 +10," +
                    std::to_string(added.size()) + " @@\n";
  for (const std::string& one : added) {
    out += "+" + one + "\n";
  }
  return read_changes(out).value();
}

std::string paragraph(int sentences, int seed) {
  std::string out;
  for (int i = 0; i < sentences; ++i) {
    out += "The operation number " + std::to_string(i * 7 + seed) + " has to tell who asked for it and why. ";
  }
  return out + "\n\n";
}

std::uint64_t likely(std::string_view text) { return plumb::text::estimate_tokens(text).likely; }

}  // namespace

TEST_CASE("workflow SOP: the seed's example is read with all it says") {
  const Sop read = sop(R"({"category": "sop", "applies_to": "*.go", "severity": "error"})");
  CHECK(read.id == "source.doc.sops.error-handling");
  CHECK(read.title == "Error Handling");
  CHECK(read.summary == "All errors must include context about what operation failed.");
  CHECK(read.requirements ==
        Texts{"Wrap errors with fmt.Errorf(\"operation: %w\", err)", "Include relevant identifiers"});
  CHECK(read.severity == Severity::error);
  CHECK(!read.severity_inferred);
  CHECK(read.applies_to == Texts{"*.go"});
  CHECK(read.chunks.size() == 1);
  CHECK(read.parent_tokens > 0);
}

TEST_CASE("workflow SOP: without a severity it is inferred, and marked so") {
  CHECK(sop("", "# A\n\nYou MUST do it. You MAY not.\n").severity == Severity::error);
  CHECK(sop("", "# A\n\nYou SHOULD do it, you may not.\n").severity == Severity::warning);
  CHECK(sop("", "# A\n\nYou MAY do it.\n").severity == Severity::info);
  CHECK(sop("", "# A\n\nEvery test must have a name.\n").severity == Severity::error);
  CHECK(sop("", "# A\n\nMUSTARD is yellow, as SHOULDers are not.\n").severity == Severity::warning);
  CHECK(sop("", "# A\n\nIt is so.\n\n```\nYOU MUST\n```\n").severity == Severity::warning);
  CHECK(sop("", "# A\n\nIt MUST.\n").severity_inferred);
}

TEST_CASE("workflow SOP: what front matter says wrongly is told with the file's line") {
  const SopReading read = read_sop(
      file("# A\n\nText.\n", R"({"severty": "error", "scope": "code"})", "sops/a.md", R"({"severty": 2, "scope": 3})"));
  REQUIRE(read.sop);
  REQUIRE(read.findings.size() == 1);
  CHECK(read.findings[0].path == "sops/a.md");
  CHECK(read.findings[0].finding.span.line == 2);
  CHECK(read.findings[0].finding.message == "'severty' says nothing here; did you mean 'severity'?");
  CHECK(read.findings[0].finding.severity == plumb::contract::Severity::warning);
  const SopReading wrong =
      read_sop(file("# A\n\nText.\n", R"({"scope": "all", "severity": "fatal"})", "a.md", R"({"severity": 3})"));
  CHECK(!wrong.sop);
  CHECK(wrong.findings[0].finding.span.line == 3);
  const SopReading pattern = read_sop(file("# A\n\nText.\n", R"({"checks": [{"forbidden": "(a"}]})"));
  CHECK(!pattern.sop);
  CHECK(pattern.findings[0].finding.message.find("the pattern '(a' cannot be used") == 0);
  CHECK(!read_sop(file("", "{}")).sop);
}

TEST_CASE("workflow SOP: applies_to is matched on path and base name, ** over folders, absent on all") {
  const Sop go = sop(R"({"applies_to": "*.go"})");
  CHECK(applies(go, "a.go"));
  CHECK(applies(go, "cmd/x/a.go"));
  CHECK(!applies(go, "a.goo"));
  const Sop deep = sop(R"({"applies_to": ["core/**/*.hpp", "docs/"]})");
  CHECK(applies(deep, "core/a/b/c.hpp"));
  CHECK(applies(deep, "core/c.hpp"));
  CHECK(applies(deep, "docs/x/y.md"));
  CHECK(!applies(deep, "native/c.hpp"));
  CHECK(applies(sop("{}"), "anything"));
  // What a task declares is a pattern too.
  CHECK(applies(go, "cmd/**"));
  CHECK(applies(go, "cmd/*.go"));
  CHECK(!applies(go, "docs/*.md"));
}

TEST_CASE("workflow SOP: those that apply come errors first; one that fits no file is told") {
  const SopLibrary all = read_sops(std::vector{
      file("# W\n\nText.\n", R"({"severity": "warning", "applies_to": "*.go"})", "sops/w.md"),
      file("# E\n\nText.\n", R"({"severity": "error"})", "sops/z.md"),
      file("# P\n\nText.\n", R"({"scope": "plan"})", "sops/p.md"),
      file("# N\n\nText.\n", R"({"applies_to": "*.zig"})", "sops/n.md"),
      file("# D\n\nText.\n", "{}", "other/w.md"),
  });
  CHECK(all.findings.size() == 1);
  CHECK(all.findings[0].finding.rule == "distinct");
  Texts ids;
  for (const Sop* one : sops_for(all.sops, Texts{"a.go"}, SopScope::code)) {
    ids.push_back(one->slug);
  }
  CHECK(ids == Texts{"z", "w"});
  CHECK(sops_for(all.sops, {}, SopScope::plan).size() == 2);
  const auto idle = sops_without_files(all.sops, Texts{"a.go", "b.md"});
  REQUIRE(idle.size() == 1);
  CHECK(idle[0].path == "sops/n.md");
}

TEST_CASE("workflow SOP: chunks have 200 to 1,500 tokens, and code is never cut") {
  std::string code = "```go\n";
  for (int i = 0; i < 250; ++i) {
    code += "if err := operation" + std::to_string(i) + "(ctx); err != nil { return fmt.Errorf(\"op: %w\", err) }\n\n";
  }
  code += "```\n\n";
  std::string text = "# Long\n\n";
  for (int i = 0; i < 12; ++i) {
    text += "## Part " + std::to_string(i) + "\n\n" + paragraph(2 + i * 9, i);
  }
  text += "## Code\n\n" + code + "## End\n\n" + paragraph(3, 1) + "### Deep\n\n" + paragraph(200, 2) + "## Chinese\n\n";
  for (int i = 0; i < 400; ++i) {
    text +=
        "\xE6\xAF\x8F\xE4\xB8\xAA\xE9\x94\x99\xE8\xAF\xAF\xE5\xBF\x85\xE9\xA1\xBB\xE5\x8C\x85\xE5\x90\xAB\xE4\xB8\x8A"
        "\xE4\xB8\x8B\xE6\x96\x87\xE3\x80\x82";
  }
  const Sop read = sop("{}", text + "\n");
  CHECK(read.chunks.size() > 5);
  std::size_t whole_code = 0;
  std::string joined;
  for (const SopChunk& one : read.chunks) {
    const bool has_code = one.text.find("```") != std::string::npos;
    if (has_code) {
      CHECK(one.text.find(code.substr(0, code.size() - 2)) != std::string::npos);
      ++whole_code;
    } else {
      CHECK_MESSAGE(likely(one.text) <= 1'500, one.section);
      CHECK_MESSAGE(likely(one.text) >= 200, one.section);
    }
    joined += one.text;
  }
  CHECK(whole_code == 1);
  // Nothing is lost but blanks between them.
  const auto solid = [](const std::string& from) {
    std::string out;
    for (const char c : from) {
      out += c == ' ' || c == '\n' ? "" : std::string(1, c);
    }
    return out;
  };
  CHECK(solid(joined) == solid(text));
}

TEST_CASE("workflow SOP: patterns are decided on added lines, with file and line") {
  const Sop read = sop(R"({"severity": "error", "applies_to": "*.go",
    "checks": [{"forbidden": "\\bpanic\\(", "message": "no panic"}, {"required": "%w", "files": "errors.go"}]})");
  const auto broken = check_patterns(read, patch("cmd/a.go", {"x := 1", "  panic(err)", "// panicky"}));
  REQUIRE(broken.size() == 1);
  CHECK(broken[0].path == "cmd/a.go");
  CHECK(broken[0].finding.span.line == 11);
  CHECK(broken[0].finding.severity == plumb::contract::Severity::error);
  CHECK(broken[0].finding.item == "source.doc.sops.error-handling");
  CHECK(broken[0].finding.message ==
        "source.doc.sops.error-handling: no panic: an added line has what is forbidden, '\\bpanic\\(': panic(err)");
  CHECK(check_patterns(read, patch("cmd/a.rs", {"panic(err)"})).empty());
  const auto missing = check_patterns(read, patch("x/errors.go", {"return err"}));
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].finding.message.find("no added line has what is required, '%w'") != std::string::npos);
  CHECK(check_patterns(read, patch("x/errors.go", {"fmt.Errorf(\"x: %w\", err)"})).empty());
  // What was there before, and what went, says nothing.
  const Changes removed = read_changes("--- a/a.go\n+++ b/a.go\n@@ -1,2 +1 @@\n panic(1)\n-panic(2)\n").value();
  CHECK(check_patterns(read, removed).empty());
  Changes cut = patch("b.go", {"x"});
  cut.files[0].listed = true;
  CHECK(check_patterns(read, cut)[0].finding.rule == "limit");
}

TEST_CASE("workflow SOP: entities have the seed's predicates, and a prefix gives parents without chunks") {
  const SopLibrary all =
      read_sops(std::vector{file(std::string(seed_text), R"({"applies_to": ["*.go", "*.c"], "severity": "error"})"),
                            file("# B\n\n" + paragraph(300, 1), "{}", "sops/b.md")});
  const auto ids = [&](std::string_view prefix) {
    plumb::json::Arena arena;
    Texts out;
    const std::string text = sop_entities(all.sops, prefix);
    const auto read = plumb::json::parse(text, arena);
    REQUIRE(read);
    for (const plumb::json::Value& one : read.value().array()) {
      out.emplace_back(plumb::json::text_of(one, "id"));
    }
    return out;
  };
  CHECK(ids("source.doc.sops") == Texts{"source.doc.sops.b", "source.doc.sops.error-handling"});
  CHECK(ids("source.doc.sops.error-handling") ==
        Texts{"source.doc.sops.error-handling", "source.doc.sops.error-handling.chunk.1"});
  CHECK(ids("").size() > 4);
  CHECK(ids("source.doc.sops.b.chunk.2") == Texts{"source.doc.sops.b.chunk.2"});
  const std::string text = sop_entities(all.sops, "");
  for (const std::string_view predicate :
       {"category", "applies_to", "severity", "summary", "requirements", "content", "chunk_index"}) {
    CHECK(text.find("\"source.doc." + std::string(predicate) + "\"") != std::string::npos);
  }
  CHECK(text.find(R"({"predicate":"code.structure.belongs","object":"source.doc.sops.b"})") != std::string::npos);
}
