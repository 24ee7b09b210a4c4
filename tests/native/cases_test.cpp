// Every golden case, whole and in pieces. PLUMB_REWRITE=1 writes what the engine says into the files instead of
// comparing, so that the diff is the review. PLUMB_CASES_JSONL=FILE writes each artifact with its contract and verdict
// as a line of JSON, for the tests that hold the other hosts to the same bytes.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/contract/render.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "tests/native/case_file.hpp"
#include "tests/native/source_dir.hpp"

using namespace plumb;
using namespace plumb::cases;

namespace {

constexpr std::size_t byte_by_byte_max = 4096;  // artifacts up to here are fed byte by byte too

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += "  " + line + "\n";
  }
  return out;
}

// "POINTER: TEXT" of `refused:` and `warns:` against a place and a message that contains the text.
bool names(const std::string& line, const std::string& where, const std::string& message) {
  std::string place;
  json::append_string(place, where);
  if (line.compare(0, place.size(), place) != 0) {
    return false;
  }
  const std::string rest = line.substr(place.size());
  return rest.empty() || (rest.compare(0, 2, ": ") == 0 && message.find(rest.substr(2)) != std::string::npos);
}

// Feeds `text` in pieces of `size` bytes. Each finding must become certain at the byte it says and, in the end, be
// in the verdict under its id; a valid artifact must never have a broken error on the way.
std::string in_pieces(repair::Check& check, bool edits, const std::string& text, std::size_t size,
                      std::vector<std::string>& problems) {
  std::vector<contract::Finding> certain;
  std::size_t told = 0;
  const auto look = [&](std::uint64_t from, std::uint64_t to) {
    for (; told < certain.size(); ++told) {
      const contract::Finding& finding = certain[told];
      const bool again = std::any_of(certain.begin(), certain.begin() + static_cast<std::ptrdiff_t>(told),
                                     [&](const contract::Finding& earlier) { return earlier.id == finding.id; });
      // Where an edit waits for what decides it, what it holds back is told later.
      if (!again && (finding.decided_at > to || (!edits && finding.decided_at < from))) {
        problems.push_back(finding.rule + " at " + finding.at + " says it was decided at " +
                           json::uint_text(finding.decided_at) + " and was told after " + json::uint_text(to));
      }
    }
  };
  std::size_t fed = 0;
  while (fed < text.size()) {
    const std::size_t next = std::min(text.size(), fed + size);
    check.push(std::string_view(text).substr(fed, next - fed), certain);
    look(fed + (fed == 0 ? 0U : 1U), next);
    fed = next;
  }
  contract::Verdict verdict = check.end(certain);
  look(0, text.size());
  for (const contract::Finding& finding : certain) {
    if (verdict.valid && finding.severity == contract::Severity::error) {
      problems.push_back(finding.rule + " at " + finding.at + " was told of an artifact that is valid");
    }
    const bool kept = std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const contract::Finding& f) {
      return f.id == finding.id && f.rule == finding.rule;
    });
    if (!kept && verdict.more.empty()) {
      problems.push_back(finding.rule + " at " + finding.at + " was told and is not in the verdict");
    }
  }
  return contract::verdict_json(verdict);
}

void write_line(std::ofstream& out, const CaseFile& file, const Case& one, const Artifact& artifact,
                const std::string& verdict) {
  std::string line;
  json::Writer json(line);
  json.begin_object();
  json.member("file", file.path).member("name", one.name).member("contract", one.contract);
  if (!one.contract_name.empty()) {
    json.member("builtIn", one.contract_name);
  }
  json.key("documents").begin_object();
  for (const auto& [uri, text] : one.documents) {
    json.member(uri, text);
  }
  json.end_object();
  json.key("options").begin_object();
  for (const auto& [name, value] : one.options) {
    json.member(name, value);
  }
  json.end_object();
  json.member("context", one.context);
  std::string hex;  // an artifact may be no UTF-8
  for (const char c : artifact.text) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15U];
  }
  json.member("artifactHex", hex);
  json.key("verdict").raw(verdict);
  json.end_object();
  out << line << '\n';
}

class Runner {
 public:
  Runner() {
    const char* rewrite = std::getenv("PLUMB_REWRITE");
    rewrite_ = rewrite != nullptr && std::string(rewrite) == "1";
    const char* lines = std::getenv("PLUMB_CASES_JSONL");
    if (lines != nullptr) {
      lines_.open(lines, std::ios::binary);
    }
  }

  std::size_t artifacts() const { return artifacts_; }

  void run(CaseFile& file) {
    INFO(file.path);
    CHECK_MESSAGE(file.problems.empty(), joined(file.problems));
    std::vector<std::pair<const Artifact*, std::string>> rewritten;
    for (const Case& one : file.cases) {
      INFO(file.path << ":" << one.line << ": " << one.name);
      run(file, one, rewritten);
    }
    if (rewrite_ && !rewritten.empty()) {
      std::string text;
      std::size_t from = 0;
      for (const auto& [artifact, content] : rewritten) {
        text += file.text.substr(from, artifact->from - from) + content;
        from = artifact->to;
      }
      text += file.text.substr(from);
      if (text != file.text) {
        std::ofstream(plumb::test::source_dir() + "/" + file.path, std::ios::binary) << text;
      }
    }
  }

 private:
  void run(const CaseFile& file, const Case& one, std::vector<std::pair<const Artifact*, std::string>>& rewritten) {
    contract::ReadOptions read;
    contract::CheckOptions options;
    repair::EditOptions edits;
    REQUIRE(apply_options(one, read, options, edits));
    for (const auto& [uri, text] : one.documents) {
      read.documents.push_back({uri, text});
    }
    options.context = one.context;
    const Result<contract::Contract> contract = contract::Contract::read(one.contract, read);
    if (!one.refused.empty()) {
      const bool refused = !contract;
      CHECK_MESSAGE(refused, "the contract was accepted");
      if (refused) {
        CHECK_MESSAGE(names(one.refused[0], contract.error().where, contract.error().message), "expected ",
                      one.refused[0], "\n  found ", contract.error().where, ": ", contract.error().message);
        CHECK(contract.error().line > 0);
      }
      return;
    }
    const bool accepted = static_cast<bool>(contract);
    CHECK_MESSAGE(accepted, "the contract was refused: ", accepted ? "" : contract.error().where, ": ",
                  accepted ? "" : contract.error().message);
    if (!accepted) {
      return;
    }
    if (one.has_warns) {
      const std::vector<contract::Warning>& warnings = contract.value().warnings();
      CHECK(warnings.size() == one.warns.size());
      for (std::size_t i = 0; i < std::min(warnings.size(), one.warns.size()); ++i) {
        CHECK_MESSAGE(names(one.warns[i], warnings[i].at, warnings[i].message), "expected ", one.warns[i], "\n  found ",
                      warnings[i].at, ": ", warnings[i].message);
      }
    }
    for (const Artifact& artifact : one.artifacts) {
      INFO(file.path << ":" << artifact.line);
      run(file, one, artifact, contract.value(), options, edits, rewritten);
    }
  }

  void run(const CaseFile& file, const Case& one, const Artifact& artifact, const contract::Contract& contract,
           const contract::CheckOptions& options, const repair::EditOptions& edits,
           std::vector<std::pair<const Artifact*, std::string>>& rewritten) {
    ++artifacts_;
    repair::Check check(contract, options, edits);
    const contract::Verdict verdict = check.whole(artifact.text);
    const std::string json = contract::verdict_json(verdict);
    const std::string text = check.mended() ? check.text() : std::string();
    check.reset();
    if (rewrite_) {
      const bool messages =
          artifact.expected.empty() ||
          std::any_of(artifact.expected.begin(), artifact.expected.end(), [](const std::string& line) {
            return line.find(" at ") != std::string::npos && line.find(": ") != std::string::npos &&
                   line.compare(0, 10, "undecided ") != 0;
          });
      const std::vector<std::string> lines = expectation(verdict, text, artifact.expected, messages);
      std::string content = lines.size() == 1 && lines[0] == "valid" ? " valid\n" : "\n";
      if (content == "\n") {
        for (const std::string& line : lines) {
          content += line + "\n";
        }
      }
      rewritten.emplace_back(&artifact, content);
    } else {
      const std::vector<std::string> actual = expectation(verdict, text, artifact.expected, true);
      bool same = actual.size() == artifact.expected.size();
      for (std::size_t i = 0; same && i < actual.size(); ++i) {
        same = agrees(artifact.expected[i], actual[i]);
      }
      CHECK_MESSAGE(same, "expected\n", joined(artifact.expected), "found\n", joined(actual));
    }
    std::vector<std::string> problems;
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{20}, std::size_t{64}}) {
      if (size < 20 && artifact.text.size() > byte_by_byte_max) {
        continue;
      }
      const std::string pieces =
          in_pieces(check, edits.level != contract::EditLevel::none, artifact.text, size, problems);
      CHECK((check.mended() ? check.text() : std::string()) == text);
      CHECK_MESSAGE(pieces == json, "fed in pieces of ", size, " bytes\n", pieces, "\nwhole\n", json);
      check.reset();
    }
    CHECK_MESSAGE(problems.empty(), joined(problems));
    if (lines_.is_open()) {
      write_line(lines_, file, one, artifact, json);
    }
  }

  bool rewrite_ = false;
  std::ofstream lines_;
  std::size_t artifacts_ = 0;
};

}  // namespace

TEST_CASE("cases: every golden case and every example of the reference gives what it says, whole and in pieces") {
  Runner runner;
  std::size_t cases = 0;
  for (CaseFile& file : read_case_files(plumb::test::source_dir())) {
    runner.run(file);
    cases += file.cases.size();
  }
  CHECK(cases > 0);
  MESSAGE(cases, " cases, ", runner.artifacts(), " artifacts");
}

TEST_CASE("cases: a case file is read into its parts") {
  const CaseFile file = parse_case_file("x.case",
                                        "# comment\n"
                                        "=== one\n"
                                        "# why\n"
                                        "contract: {\"type\": \"array\"}\n"
                                        "document http://x/y: true\n"
                                        "options:\n"
                                        "depth_max 4\n"
                                        "context: {}\n"
                                        "artifact: 3\n"
                                        "expect: valid\n"
                                        "artifact (escaped): a\\n\\x41\\\\\\*3{[}\n"
                                        "expect:\n"
                                        "type at \"\" decided 1: no: really\n"
                                        "\n"
                                        "=== two\n"
                                        "contract:\n"
                                        "{\n"
                                        "  \"minItems\": -1\n"
                                        "}\n"
                                        "refused: \"/minItems\": whole number\n",
                                        "");
  CHECK(file.problems.empty());
  REQUIRE(file.cases.size() == 2);
  const Case& one = file.cases[0];
  CHECK(one.name == "one");
  CHECK(one.line == 2);
  CHECK(one.contract == "{\"type\": \"array\"}");
  REQUIRE(one.documents.size() == 1);
  CHECK(one.documents[0].first == "http://x/y");
  CHECK(one.documents[0].second == "true");
  REQUIRE(one.options.size() == 1);
  CHECK(one.options[0].second == "4");
  REQUIRE(one.artifacts.size() == 2);
  CHECK(one.artifacts[0].text == "3");
  CHECK(one.artifacts[0].expected == std::vector<std::string>{"valid"});
  CHECK(one.artifacts[1].text == "a\nA\\[[[");
  CHECK(file.text.substr(one.artifacts[1].from, one.artifacts[1].to - one.artifacts[1].from) ==
        "\ntype at \"\" decided 1: no: really\n");
  CHECK(file.cases[1].contract == "{\n  \"minItems\": -1\n}");
  CHECK(file.cases[1].refused == std::vector<std::string>{"\"/minItems\": whole number"});
}

TEST_CASE("cases: a file that is no case file says so") {
  const auto problems = [](const char* text) { return parse_case_file("x.case", text, "").problems.size(); };
  CHECK(problems("text\n") == 1);
  CHECK(problems("=== a\n") == 2);
  CHECK(problems("=== a\ncontract: true\nartifact: 1\n") == 1);
  CHECK(problems("=== a\ncontract: true\nexpect: valid\n") == 2);
  CHECK(problems("=== a\ncontract: true\nartifact (escaped): \\q\nexpect: valid\n") == 1);
  CHECK(problems("=== a\ncontract: true\nartifact nowhere.json:\nexpect: valid\n") == 1);
  CHECK(problems("=== a\ncontract: true\nartifact: 1\nexpect: valid\n") == 0);
}

TEST_CASE("cases: an expected line leaves out what it does not care for") {
  CHECK(agrees("type at /a", "type at /a decided 3: m"));
  CHECK(agrees("type at /a decided 3", "type at /a decided 3: m"));
  CHECK(agrees("type at /a: m", "type at /a decided 3: m"));
  CHECK(agrees("type at /a shadowed", "type at /a decided 3 shadowed: m"));
  CHECK(agrees("type at \"/a: b\" decided 3", "type at \"/a: b\" decided 3: m"));
  CHECK(agrees("valid", "valid"));
  CHECK_FALSE(agrees("type at /a", "type at /a decided 3 shadowed: m"));
  CHECK_FALSE(agrees("type at /a decided 4", "type at /a decided 3: m"));
  CHECK_FALSE(agrees("type at /a: n", "type at /a decided 3: m"));
  CHECK_FALSE(agrees("type at /b", "type at /a decided 3: m"));
}

TEST_CASE("cases: blocks of a Markdown file are read and the rest is not") {
  const CaseFile file =
      parse_case_file("x.md",
                      "text\n```json\n=== no case\n```\n```case\n=== one\ncontract: true\nartifact: 1\n"
                      "expect: valid\n```\nartifact: 2\n",
                      "");
  CHECK(file.problems.empty());
  REQUIRE(file.cases.size() == 1);
  CHECK(file.text.substr(file.cases[0].artifacts[0].from, 7) == " valid\n");
  CHECK(file.cases[0].artifacts[0].to - file.cases[0].artifacts[0].from == 7);
}
