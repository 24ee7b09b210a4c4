// The main of core_tests and native_tests. Ends with a line that `./dev test` adds up:
//   suite NAME: N passed, M failed, K skipped
// NAME is --suite=NAME, else the program's name. A test that cannot be made here says MESSAGE("skipped: " << why): it
// is counted as skipped, not as passed, and told as `skip: TEST: WHY`.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/require.hpp"

#if defined(__unix__) && !defined(__EMSCRIPTEN__)
#include <signal.h>
#include <unistd.h>
#endif

namespace {

// A test case that does not end fails after this long instead of holding up its suite. The longest takes a fifth of it,
// under the sanitizers, on a busy machine.
constexpr unsigned test_case_s_max = 900;

void begin_clock([[maybe_unused]] unsigned seconds) {
#if defined(__unix__) && !defined(__EMSCRIPTEN__)
  // doctest tells of an abort with the test case's name.
  ::signal(SIGALRM, [](int /*signal*/) {
    constexpr char why[] = "\nthis test case has not ended within its 900 s\n";
    (void)!::write(STDERR_FILENO, why, sizeof why - 1);
    ::abort();
  });
  ::alarm(seconds);
#endif
}

struct Counts {
  unsigned started = 0;
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned skipped = 0;
  unsigned said_skipped = 0;  // by tests that were begun
};

Counts counts;  // filled by the reporter below, which doctest makes itself

// Counts test cases for the last line; doctest's own console output stays as it is.
struct CountingReporter : doctest::IReporter {
  explicit CountingReporter(const doctest::ContextOptions& /*options*/) {}
  void report_query(const doctest::QueryData& /*query*/) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    begin_clock(0);
    counts.failed = stats.numTestCasesFailed;
    // --first and --last leave some to another process
    counts.passed = counts.started - stats.numTestCasesFailed - counts.said_skipped;
    counts.skipped += stats.numTestCases - stats.numTestCasesPassingFilters + counts.said_skipped;
  }
  void test_case_start(const doctest::TestCaseData& test) override {
    ++counts.started;
    name = test.m_name;
    why.clear();
    begin_clock(test_case_s_max);
  }
  void test_case_reenter(const doctest::TestCaseData& /*test*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (!why.empty() && stats.failure_flags == 0) {
      ++counts.said_skipped;
      std::printf("skip: %s: %s\n", name.c_str(), why.c_str());
    }
  }
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*signature*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*assertion*/) override {}
  void log_message(const doctest::MessageData& message) override {
    const std::string text = message.m_string.c_str();
    if (text.rfind(skipped, 0) == 0)
      why = text.substr(skipped.size());
  }
  void test_case_skipped(const doctest::TestCaseData& /*test*/) override {}

  const std::string skipped = "skipped: ";
  std::string name;
  std::string why;
};

REGISTER_LISTENER("counting", 1, CountingReporter);

void print_broken_requirement(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken requirement: %s\n", file, line, what);
}

}  // namespace

int main(int argc, char** argv) {
  plumb::set_requirement_handler(print_broken_requirement);
  std::string suite = argc > 0 ? argv[0] : "tests";
  suite.erase(0, suite.rfind('/') + 1);
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--suite=", 0) == 0) {
      suite = argument.substr(8);
    }
  }
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit()) {
    return result;
  }
  std::printf("suite %s: %u passed, %u failed, %u skipped\n", suite.c_str(), counts.passed, counts.failed,
              counts.skipped);
  return result;
}
