// The parts of the command that are easier to try without a process: tests/native/cli_test.py has the rest.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "child.hpp"
#include "core/require.hpp"
#include "native/base/concat.hpp"
#include "native/base/glob.hpp"
#include "native/cli/arguments.hpp"
#include "native/cli/bugs.hpp"
#include "native/cli/line_batches.hpp"
#include "native/cli/ordered_work.hpp"
#include "native/cli/report.hpp"
#include "native/cli/terminal.hpp"
#include "native/control/web_files.hpp"
#include "native/host/isolated_call.hpp"

using namespace plumb;

namespace {

bool matches(std::string_view pattern, std::string_view path) {
  Result<plumb::Glob> glob = plumb::Glob::read(pattern);
  REQUIRE(glob);
  return glob.value().matches(path);
}

// A matcher that tries everything, for patterns of letters, `?`, `*` and `/`: what the quick one must agree with.
bool slow_matches(std::string_view p, std::string_view t) {
  if (p.substr(0, 3) == "**/") {
    if (slow_matches(p.substr(3), t))
      return true;
    const std::size_t slash = t.find('/');
    return slash != std::string_view::npos && slow_matches(p, t.substr(slash + 1));
  }
  if (p.empty())
    return t.empty();
  if (p.front() == '*') {
    for (std::size_t i = 0; i <= t.size(); ++i) {
      if (slow_matches(p.substr(1), t.substr(i)))
        return true;
      if (i < t.size() && t[i] == '/')
        return false;
    }
    return false;
  }
  return !t.empty() && (p.front() == t.front() || (p.front() == '?' && t.front() != '/')) &&
         slow_matches(p.substr(1), t.substr(1));
}

// All texts of up to `size` signs.
std::vector<std::string> all_texts(std::string_view signs, std::size_t size) {
  std::vector<std::string> texts = {""};
  for (std::size_t from = 0, round = 0; round < size; ++round) {
    const std::size_t to = texts.size();
    for (; from < to; ++from) {
      for (char c : signs)
        texts.push_back(texts[from] + c);
    }
  }
  return texts;
}

std::string temporary_file(std::string_view content) {
  char name[] = "/tmp/plumb-parts-XXXXXX";
  const int descriptor = ::mkstemp(name);
  REQUIRE(descriptor >= 0);
  REQUIRE(cli::write_all(descriptor, content));
  ::close(descriptor);
  return name;
}

}  // namespace

TEST_CASE("glob: all short patterns agree with a matcher that tries everything") {
  const std::vector<std::string> paths = all_texts("ab/", 5);
  std::size_t tried = 0;
  for (const std::string& tail : all_texts("ab?*/", 4)) {
    for (const std::string& pattern : {tail, "**/" + tail}) {
      // Empty segments and `**` beside others are refused or mean less; they have tests of their own.
      if (pattern.empty() || pattern.front() == '/' || pattern.back() == '/' ||
          pattern.find("//") != std::string::npos || tail.find("**") != std::string::npos) {
        continue;
      }
      const Result<plumb::Glob> glob = plumb::Glob::read(pattern);
      REQUIRE(glob);
      for (const std::string& path : paths) {
        if (path.empty() || path.front() == '/' || path.back() == '/' || path.find("//") != std::string::npos)
          continue;
        ++tried;
        if (glob.value().matches(path) != slow_matches(pattern, path)) {
          CAPTURE(pattern);
          CAPTURE(path);
          CHECK(glob.value().matches(path) == slow_matches(pattern, path));
        }
      }
    }
  }
  CHECK(tried > 50000);
}

TEST_CASE("glob: classes, braces, escapes and hidden names") {
  CHECK(matches("[a-c]x", "bx"));
  CHECK(!matches("[!a-c]x", "bx"));
  CHECK(matches("[]]x", "]x"));
  CHECK(matches("[a-]x", "-x"));
  CHECK(matches("a[", "a["));
  CHECK(matches("{a,b{1,2}}.json", "b2.json"));
  CHECK(!matches("{a,b{1,2}}.json", "b.json"));
  CHECK(matches("a\\*", "a*"));
  CHECK(!matches("a\\*", "ab"));
  CHECK(matches("\\{a\\}", "{a}"));
  CHECK(!matches("*", ".a"));
  CHECK(matches(".*", ".a"));
  CHECK(!matches("**/x", ".a/x"));
  CHECK(!matches("a/**", "a/.b/c"));
  CHECK(matches("?", "\xC3\xBC"));
  CHECK(matches("dir/**/*.json", "dir/a.json"));
  CHECK(matches("./a//b", "a/b"));
}

TEST_CASE("glob: a pattern with many stars takes no time") {
  std::string pattern;
  for (int i = 0; i < 500; ++i)
    pattern += "*a";
  CHECK(!matches(pattern + "b", std::string(4000, 'a')));
  std::string deep;
  std::string path;
  for (int i = 0; i < 200; ++i) {
    deep += "**/a/";
    path += "a/a/";
  }
  CHECK(!matches(deep + "b", path + "c"));
}

TEST_CASE("line batches: any sizes of lines come whole and in order, numbered") {
  std::string text;
  std::vector<std::string> wanted;
  for (std::size_t i = 0; i < 3000; ++i) {
    wanted.push_back(std::string(i * i % 3001, static_cast<char>('a' + i % 26)));
    text += wanted.back() + (i % 5 == 0 ? "\r\n" : "\n");
  }
  text += "last";
  wanted.push_back("last");
  const std::string path = temporary_file(text);
  Result<cli::LineBatches> batches = cli::LineBatches::open(path);
  REQUIRE(batches);
  std::size_t at = 0;
  std::uint64_t consumed = 0;
  for (;;) {
    Result<cli::LineBatches::Batch> batch = batches.value().next();
    REQUIRE(batch);
    consumed += batch.value().consumed;
    if (batch.value().kind == cli::LineBatches::Kind::end)
      break;
    REQUIRE(batch.value().kind == cli::LineBatches::Kind::lines);
    CHECK(batch.value().bytes.size() <= cli::LineBatches::batch_bytes + 4096);
    CHECK(batch.value().first_line == at + 1);
    std::string_view rest = batch.value().bytes;
    cli::Line line;
    while (cli::take_line(rest, line)) {
      REQUIRE(at < wanted.size());
      REQUIRE(line.text == wanted[at]);
      CHECK(line.blank == wanted[at].empty());
      ++at;
    }
  }
  CHECK(at == wanted.size());
  CHECK(consumed == text.size());
  std::remove(path.c_str());
}

TEST_CASE("line batches: a line longer than the bound comes in pieces that give the line again") {
  const std::string text = "short\n" + std::string(9'000'000, 'x') + "\nafter\n" + std::string(5'000'000, 'y');
  const std::string path = temporary_file(text);
  Result<cli::LineBatches> batches = cli::LineBatches::open(path);
  REQUIRE(batches);
  std::string got;
  std::vector<std::uint64_t> first_lines;
  for (;;) {
    Result<cli::LineBatches::Batch> batch = batches.value().next();
    REQUIRE(batch);
    if (batch.value().kind == cli::LineBatches::Kind::end)
      break;
    first_lines.push_back(batch.value().first_line);
    got += batch.value().bytes;
    if (batch.value().kind == cli::LineBatches::Kind::long_end)
      got += '\n';
    CHECK(batch.value().bytes.size() <= cli::LineBatches::line_bytes_max + cli::LineBatches::batch_bytes);
  }
  CHECK(got == text + "\n");
  CHECK(first_lines.front() == 1);
  CHECK(first_lines.back() == 4);
  std::remove(path.c_str());
}

TEST_CASE("ordered work: results are consumed in order, whatever takes longest, with a bounded window") {
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
    CAPTURE(threads);
    int next = 0;
    int last = -1;
    std::atomic<int> open{0};
    std::atomic<int> most{0};
    bool in_order = true;
    cli::run_in_order<int, int>(
        threads, 8,
        [&]() -> std::optional<int> {
          if (next == 2000)
            return std::nullopt;
          const int now = ++open;
          if (now > most)
            most = now;
          return next++;
        },
        [](int unit, std::size_t) {
          if (unit % 37 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(300));
          return unit * 2;
        },
        [&](int done) {
          in_order = in_order && done == (last + 1) * 2;
          ++last;
          --open;
        });
    CHECK(in_order);
    CHECK(last == 1999);
    CHECK(most <= 8);
  }
}

TEST_CASE("ordered work: an exception anywhere ends the whole and reaches the caller") {
  for (const int where : {0, 1, 2}) {
    CAPTURE(where);
    int next = 0;
    CHECK_THROWS_AS((cli::run_in_order<int, int>(
                        3, 4,
                        [&]() -> std::optional<int> {
                          if (where == 0 && next == 50)
                            throw std::runtime_error("produce");
                          return next++;
                        },
                        [&](int unit, std::size_t) {
                          if (where == 1 && unit == 50)
                            throw std::runtime_error("work");
                          return unit;
                        },
                        [&](int done) {
                          if (where == 2 && done == 50)
                            throw std::runtime_error("consume");
                        })),
                    std::runtime_error);
  }
}

TEST_CASE("report: the summary line is core's, byte for byte, for every mix of verdicts") {
  using contract::Decision;
  using contract::Severity;
  std::vector<contract::FileVerdict> all;
  const auto with = [](Decision decision, bool valid, std::vector<Severity> severities) {
    contract::FileVerdict one;
    one.file = "a";
    one.verdict.decision = decision;
    one.verdict.valid = valid;
    for (const Severity severity : severities) {
      contract::Finding finding;
      finding.severity = severity;
      one.verdict.findings.push_back(finding);
    }
    return one;
  };
  const std::vector<contract::FileVerdict> kinds = {
      with(Decision::accept, true, {}),
      with(Decision::revise, false, {Severity::error, Severity::warning}),
      with(Decision::accept_with_warnings, true, {Severity::warning, Severity::info}),
      with(Decision::undecided, true, {}),
      with(Decision::block, false, {Severity::error, Severity::error}),
  };
  // All selections of up to three.
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      for (std::size_t k = 0; k < 6; ++k) {
        all.clear();
        for (const std::size_t pick : {i, j, k}) {
          if (pick < 5)
            all.push_back(kinds[pick]);
        }
        if (i == 5 && j == 1)
          all.front().verdict.more.emplace_back("type", 7);
        cli::Totals totals;
        for (const contract::FileVerdict& one : all)
          totals.add(one.verdict, cli::FailOn::error);
        for (const bool color : {false, true}) {
          for (const bool ascii : {false, true}) {
            const contract::TextStyle style{color, ascii};
            REQUIRE(cli::summary_line(totals, 0, style) == contract::render_text_summary(all, style));
          }
        }
      }
    }
  }
}

TEST_CASE("isolated call: a broken assumption ends the call and not the process") {
  // In a process of its own: the handler is one for the whole process, and the thread that broke rests for good.
  const pid_t child = test::fork_when_quiet();
  REQUIRE(child >= 0);
  if (child == 0) {
    REQUIRE(std::freopen("/dev/null", "w", stdout) != nullptr);
    REQUIRE(std::freopen("/dev/null", "w", stderr) != nullptr);
    host::install_requirement_handler();
    bool good = true;
    for (int i = 0; i < 3; ++i) {
      const host::CallOutcome broken = host::isolated_call([] { PLUMB_REQUIRE(false, "this never holds"); });
      good = good && !broken.finished && broken.problem.find("this never holds") != std::string::npos;
      int result = 0;
      const host::CallOutcome after = host::isolated_call([&result] { result = 5; });
      good = good && after.finished && result == 5;
    }
    const host::CallOutcome thrown = host::isolated_call([] { throw std::runtime_error("thrown"); });
    good = good && !thrown.finished && thrown.problem == "thrown";
    const host::CallOutcome memory = host::isolated_call([] { throw std::bad_alloc(); });
    good = good && !memory.finished && memory.out_of_memory;
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("bugs: a broken assumption is named, a report is asked for, and the exit code is 2") {
  for (const bool throws : {false, true}) {
    CAPTURE(throws);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = test::fork_when_quiet();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::dup2(ends[1], STDERR_FILENO);
      cli::install_bug_handlers();
      if (throws) {
        std::terminate();
      }
      requirement_broken("this never holds", "core/some.cpp", 1205);
    }
    ::close(ends[1]);
    std::string told;
    char piece[512];
    for (ssize_t count = ::read(ends[0], piece, sizeof piece); count > 0;
         count = ::read(ends[0], piece, sizeof piece)) {
      told.append(piece, static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 2);
    CHECK(told.find("Please report it") != std::string::npos);
    CHECK((throws || told.find("this never holds (core/some.cpp:1205)") != std::string::npos));
  }
}

TEST_CASE("web files: types by ending, and only what lies in the folder") {
  CHECK(control::type_of_name("a.wasm") == "application/wasm");
  CHECK(control::type_of_name("a.js") == "text/javascript; charset=utf-8");
  CHECK(control::type_of_name("a.html") == "text/html; charset=utf-8");
  CHECK(control::type_of_name("a.unknown") == "application/octet-stream");
  CHECK(control::type_of_name(".js") == "application/octet-stream");
  CHECK(!control::WebFiles::open("/nonexistent"));
}

TEST_CASE("a client gets the coding that it weighs highest, of equal ones the smallest") {
  using control::Coding;
  const auto wanted = [](std::string_view accepted) {
    std::string text;
    for (const Coding coding : control::wanted_codings(accepted))
      text += coding == Coding::brotli ? 'b' : coding == Coding::gzip ? 'g' : 'i';
    return text;
  };
  CHECK(wanted("") == "i");
  CHECK(wanted("gzip, deflate, br, zstd") == "bgi");
  CHECK(wanted("GZIP ; Q=1.0,\tBr;q=0.9") == "gbi");
  CHECK(wanted("gzip;q=0.8, br") == "bgi");
  CHECK(wanted("br;q=0.001,gzip;q=0.000") == "bi");
  CHECK(wanted("br;q=0, *") == "gi");
  CHECK(wanted("*") == "bgi");
  CHECK(wanted("*;q=0") == "i");
  CHECK(wanted("identity;q=0.5, br;q=0.2, gzip;q=0.7") == "gib");
  CHECK(wanted("identity") == "i");
  CHECK(wanted("identity;q=0, br;q=0.1") == "bi");
  CHECK(wanted("x-gzip") == "gi");
  CHECK(wanted("deflate, compress, brotli") == "i");
  CHECK(wanted("br;q=2, gzip;q=x, br;level=3") == "i");
  CHECK(wanted(",,;q=1,=") == "i");
  CHECK(wanted(std::string(5000, ',') + "br") == "i");
}

TEST_CASE("a tag is known in a list, weak or not") {
  CHECK(control::names_tag("\"a-br\"", "\"a-br\""));
  CHECK(control::names_tag("\"x\" , W/\"a-br\"", "\"a-br\""));
  CHECK(control::names_tag("*", "\"a\""));
  CHECK(!control::names_tag("\"a\"", "\"a-br\""));
  CHECK(!control::names_tag("", "\"a\""));
}

TEST_CASE("wrapped: lines keep to the width and the words to their order") {
  const std::string text = cli::wrapped("one two three four five six seven eight nine ten", 4, 30);
  CHECK(text == "one two three four five\n    six seven eight nine ten");
  CHECK(cli::wrapped("a\n\nb", 2, 80) == "a\n\n  b");
  CHECK(cli::wrapped(std::string(100, 'x'), 2, 40) == std::string(100, 'x'));
}

TEST_CASE("concat: pieces of text, characters and numbers; decimals as printf writes them") {
  CHECK(concat("run ", std::string("r1"), ':', ' ', 3, "/", std::uint64_t{18446744073709551615ULL}, " ", -1) ==
        "run r1: 3/18446744073709551615 -1");
  CHECK(concat().empty());
  for (const double value : {0.0, 0.25, 0.35, 1.0 / 3.0, 0.001, 0.0025, 1e-7, 12345.678, 1e15, -2.5, 1e300}) {
    char text[512];
    std::snprintf(text, sizeof text, "%g", value);
    CHECK(general(value) == text);
    for (const int digits : {0, 1, 3, 6}) {
      std::snprintf(text, sizeof text, "%.*f", digits, value);
      CHECK(fixed(value, digits) == text);
    }
  }
}
