#include "core/workflow/test_files.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"

namespace plumb::workflow {

namespace {

// Patterns as of tasks. Those without a folder are names of files in any folder.
constexpr std::string_view conventions[] = {
    // folders
    "**/test/**", "**/tests/**", "**/__tests__/**", "**/__snapshots__/**", "**/testdata/**", "**/e2e/**",
    "**/spec/support/**",
    // C, C++, Go, Rust, Python, Ruby, Elixir, Dart: the word before or behind an underscore or hyphen
    "**/test_*.*", "**/*_test.*", "**/*_tests.*", "**/*_unittest.*", "**/*-test.*", "**/test-*.*", "**/*_spec.*",
    "**/spec_helper.rb", "**/conftest.py",
    // one file with all of them
    "**/test.*", "**/tests.*",
    // JavaScript, TypeScript
    "**/*.test.*", "**/*.spec.*", "**/*.cy.*", "**/*.e2e.*", "**/*.snap",
    // Java, Kotlin, Scala, C#, PHP, Swift, Haskell
    "**/*Test.java", "**/*Tests.java", "**/*TestCase.java", "**/*Test.kt", "**/*Tests.kt", "**/*Spec.scala",
    "**/*Test.scala", "**/*Suite.scala", "**/*Test.cs", "**/*Tests.cs", "**/*Test.php", "**/*Tests.swift",
    "**/*Spec.hs", "**/*Test.m",
    // Perl, shell, Erlang, Robot Framework, Gherkin
    "**/t/*.t", "**/*.bats", "**/*_SUITE.erl", "**/*.robot", "**/*.feature"};

// A path that the pattern stands for: each wildcard is an x.
std::string sample_of(std::string_view glob) {
  std::string out;
  for (const char c : glob) {
    if (c != '*' && c != '?') {
      out += c;
    } else if (out.empty() || out.back() != 'x') {
      out += 'x';
    }
  }
  return out.empty() || out.back() == '/' ? out + "x" : out;
}

bool is_pattern(std::string_view glob) {
  return glob.find_first_of("*?") != std::string_view::npos || glob.empty() || glob.back() == '/';
}

}  // namespace

bool is_test_file(std::string_view path, std::span<const std::string> more) {
  const auto fits = [&](std::string_view glob) { return budget::path_fits(glob, path); };
  return std::any_of(std::begin(conventions), std::end(conventions), fits) ||
         std::any_of(more.begin(), more.end(), fits);
}

bool names_test(const Task& task, std::string_view path, std::span<const std::string> more) {
  const std::vector<std::string> written = task.written();
  return std::any_of(written.begin(), written.end(), [&](const std::string& glob) {
    return budget::path_fits(glob, path) && (!is_pattern(glob) || is_test_file(sample_of(glob), more));
  });
}

bool names_tests(const Task& task, std::span<const std::string> more) {
  const std::vector<std::string> written = task.written();
  return std::any_of(written.begin(), written.end(),
                     [&](const std::string& glob) { return is_test_file(sample_of(glob), more); });
}

bool names_file(const Task& task, std::string_view path) {
  const std::vector<std::string> written = task.written();
  return std::any_of(written.begin(), written.end(), [&](const std::string& glob) {
    return !ascii::only(glob, "*/.") && budget::path_fits(glob, path);
  });
}

}  // namespace plumb::workflow
