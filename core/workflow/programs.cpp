#include "core/workflow/programs.hpp"

#include <algorithm>

#include "core/ascii.hpp"

namespace plumb::workflow {

namespace {

// A row a program, or some that are alike. What they configure counts from the folder that the gate runs in.
constexpr Program programs[] = {
    {"sh bash dash ash zsh ksh . source", Runs::shell, "-o", ""},
    {"awk gawk mawk nawk sed grep egrep fgrep rg jq", Runs::filed, "", ""},
    {"python pypy", Runs::python, "-W -X -Q", ""},
    {"node nodejs ts-node tsx", Runs::script, "-C --conditions -r --require --import --loader", ".npmrc"},
    {"perl ruby php lua Rscript", Runs::script, "-I -d", ""},
    {"make gmake", Runs::make, "-C -f -I -o -W -j", ""},
    {"npm pnpm yarn bun", Runs::npm, "",
     ".npmrc .yarnrc .yarnrc.yml bunfig.toml  package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"deno", Runs::nothing, "", "deno.json deno.jsonc"},
    {"just", Runs::nothing, "", "justfile Justfile .justfile"},
    {"task", Runs::nothing, "", "Taskfile.yml Taskfile.yaml"},
    {"env nohup exec command builtin sudo eval xargs npx bunx setsid", Runs::command, "-u -n -I -P -p", ""},
    {"nice timeout stdbuf xvfb-run", Runs::command, "-n -s -k -o -e -i -a", ""},
    {"coverage c8 nyc", Runs::command, "--source",
     ".coveragerc .nycrc .nycrc.json pyproject.toml[coverage]  "
     "package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"poetry pipenv uv hatch pdm rye bundle", Runs::command, "", "pyproject.toml[hatch pdm poe]"},
    {"pytest py.test", Runs::nothing, "",
     "pytest.ini .pytest.ini **/conftest.py pyproject.toml[pytest] tox.ini[pytest] setup.cfg[pytest]"},
    {"tox", Runs::nothing, "", "tox.ini pyproject.toml[tox] setup.cfg[tox]"},
    {"nox", Runs::nothing, "", "noxfile.py"},
    {"jest mocha ava tap vitest karma playwright cypress", Runs::nothing, "",
     "**/jest.config.* **/.mocharc.* **/ava.config.* **/.taprc **/vitest.config.* **/vitest.workspace.* "
     "**/karma.conf.* **/playwright.config.* **/cypress.config.*  "
     "package.json{scripts,jest,mocha,ava,tap,c8,nyc,vitest,config,type}"},
    {"ctest cmake", Runs::cmake, "",
     "**/CMakeLists.txt"
     "(test add_subdirectory +will_fail +disabled +skip_re +ndebug +return( +function(add_test +macro(add_test)  "
     "**/*.cmake"
     "(test add_subdirectory +will_fail +disabled +skip_re +ndebug +return( +function(add_test +macro(add_test)  "
     "CTestConfig.cmake CTestCustom.cmake CMakePresets.json"},
    {"meson ninja", Runs::nothing, "", "**/meson.build(test)"},
    {"cargo", Runs::nothing, "",
     ".cargo/** **/Cargo.toml[test lib]  **/Cargo.toml(members +autotests +harness +exclude +default-members)  "
     "rust-toolchain rust-toolchain.toml"},
    {"mvn", Runs::nothing, "", "**/pom.xml(test surefire failsafe skip) .mvn/**"},
    {"gradle", Runs::nothing, "", "**/build.gradle(test) **/build.gradle.kts(test) gradle.properties"},
    {"mvnw", Runs::nothing, "", "**/pom.xml(test surefire failsafe skip) .mvn/**"},
    {"gradlew", Runs::nothing, "",
     "**/build.gradle(test) **/build.gradle.kts(test) gradle/wrapper/** gradle.properties"},
    {"rake", Runs::nothing, "", "Rakefile"},
    {"rspec", Runs::nothing, "", ".rspec **/spec_helper.rb"},
    {"phpunit", Runs::nothing, "", "phpunit.xml phpunit.xml.dist"},
    {"composer", Runs::nothing, "", "composer.json{scripts}"},
    {"dotnet", Runs::nothing, "", "**/*.runsettings Directory.Build.props Directory.Build.targets"},
    {"bazel bazelisk", Runs::nothing, "", ".bazelrc"},
    {"pre-commit", Runs::nothing, "", ".pre-commit-config.yaml"},
    {"golangci-lint", Runs::nothing, "", ".golangci.*"},
    {"clang-tidy run-clang-tidy", Runs::nothing, "", "**/.clang-tidy"},
    {"clang-format", Runs::nothing, "", "**/.clang-format"},
    {"eslint", Runs::nothing, "", "**/.eslintrc* **/eslint.config.* .eslintignore"},
    {"prettier", Runs::nothing, "", "**/.prettierrc* .prettierignore"},
    {"tsc", Runs::nothing, "", "**/tsconfig*.json"},
    {"ruff", Runs::nothing, "", "**/ruff.toml **/.ruff.toml pyproject.toml[ruff]"},
    {"mypy", Runs::nothing, "", "mypy.ini .mypy.ini pyproject.toml[mypy] setup.cfg[mypy]"},
    {"flake8 pylint", Runs::nothing, "", ".flake8 .pylintrc pylintrc tox.ini[flake8] setup.cfg[flake8 pylint]"},
};

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view apart) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find_first_of(apart, from), text.size());
    if (end > from) {
      out.emplace_back(text.substr(from, end - from));
    }
    from = end + 1;
  }
  return out;
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = split_words(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

// "python3.11" is python, "/usr/bin/make" is make.
const Program* program_of(std::string_view word) {
  std::string_view name = word.substr(word.rfind('/') == std::string_view::npos ? 0 : word.rfind('/') + 1);
  while (name.size() > 1 && (ascii::is_digit(name.back()) || name.back() == '.')) {
    name.remove_suffix(1);
  }
  const auto found = std::find_if(std::begin(programs), std::end(programs),
                                  [&](const Program& one) { return has_word(one.names, name); });
  return name.empty() ? nullptr : found == std::end(programs) ? nullptr : &*found;
}

}  // namespace plumb::workflow
