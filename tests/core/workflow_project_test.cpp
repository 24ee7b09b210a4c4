// What a project's files call for, as gates and as plumb.yaml.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/workflow/project.hpp"

using namespace plumb::workflow;
using Words = std::vector<std::string>;

TEST_CASE("project: what a project's files call for") {
  const auto found = [](Words paths, std::vector<ProjectText> texts = {}) {
    Words out;
    for (const Detected& one : detect_gates(paths, texts)) {
      std::string line = one.preset + " (" + one.because + "):";
      for (const Gate& gate : one.gates) {
        line += " " + gate.name;
      }
      out.push_back(line);
    }
    return out;
  };
  CHECK(found({"CMakeLists.txt", "src/a.cpp"}) == Words{"cmake (CMakeLists.txt): configure build test"});
  CHECK(found({"go.mod", "Makefile"}) == Words{"go (go.mod): build vet test"});
  CHECK(found({"package.json"}, {{"package.json", R"({"scripts": {"test": "x", "lint": "y"}})"}}) ==
        Words{"npm (package.json): test lint"});
  CHECK(found({"package.json"}) == Words{"npm (package.json): test"});  // its text was not read
  CHECK(found({"package.json"}, {{"package.json", R"({"scripts": {"start": "x"}})"}}).empty());
  CHECK(found({"package.json"}, {{"package.json", R"({"name": "data"})"}}).empty());
  CHECK(found({"pyproject.toml", "tests/test_a.py"}) == Words{"python (pyproject.toml): compile test"});
  CHECK(found({"tool.py"}) == Words{"python (tool.py): compile"});
  CHECK(found({"Makefile"}, {{"Makefile", "all:\n\tcc x\n"}}) == Words{"make (Makefile): build"});
  CHECK(found({"Makefile"}, {{"Makefile", "all:\n\ntest:\n"}}) == Words{"make (Makefile): build test"});
  CHECK(found({"README.md"}).empty());
  CHECK(found({"go.mod", ".golangci.yml"}) == Words{"go (go.mod): build vet test lint"});
  CHECK(found({"CMakeLists.txt"}, {{"CMakeLists.txt", "project(a)\n"}}) ==
        Words{"cmake (CMakeLists.txt): configure build"});
  CHECK(found({"Cargo.toml", "rustfmt.toml"}) == Words{"cargo (Cargo.toml): build test format"});
  CHECK(found({"package.json", "pnpm-lock.yaml"}) == Words{"pnpm (package.json): test"});
  CHECK(found({"pyproject.toml", "uv.lock"},
              {{"pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['checks']\n[tool.ruff]\n"}}) ==
        Words{"uv (pyproject.toml): compile test lint"});
  CHECK(found({"Makefile"}, {{"Makefile", "all:\n\ncheck:\n"}}) == Words{"make (Makefile): build test"});
}

TEST_CASE("project: the parts of a monorepo have gates of their own, in their folders") {
  const Words paths = {"api/go.mod",
                       "api/main.go",
                       "web/package.json",
                       "web/pnpm-lock.yaml",
                       "tools/py/pyproject.toml",
                       "tools/py/test_a.py",
                       "node_modules/x/package.json",
                       "api/testdata/go.mod",
                       "deep/a/b/c/d/go.mod"};
  const std::vector<ProjectText> texts = {
      {"web/package.json", R"({"scripts": {"test": "vitest", "build": "vite build"}, "devDependencies": {}})"},
      {"tools/py/pyproject.toml", "[project]\ndependencies = []\n"}};
  const std::vector<Detected> found = detect_gates(paths, texts);
  REQUIRE(found.size() == 3);
  CHECK(found[0].because == "api/go.mod");
  CHECK(found[0].gates[2].name == "api-test");
  CHECK(found[0].gates[2].dir == "api");
  CHECK(found[0].gates[2].after == Words{"api-build"});
  CHECK(found[0].gates[2].trigger == Words{"api/**"});
  CHECK(found[1].because == "tools/py/pyproject.toml");
  CHECK(found[1].path == Words{"tools/py/.venv/bin"});
  CHECK(found[1].gates[1].name == "tools-py-test");
  CHECK(found[1].gates[1].command == "python3 -m unittest discover");
  CHECK(found[2].gates[0].command == "pnpm run build");
  CHECK(found[2].gates[0].caches == Words{"web/node_modules"});
  CHECK(found[2].setup == "pnpm install --frozen-lockfile");
  const std::string yaml = project_yaml(found, false);
  CHECK(yaml.find("  setup: {run: \"(cd tools/py && python3 -m venv .venv && .venv/bin/pip install -q -e .) && "
                  "(cd web && pnpm install --frozen-lockfile)\", shell: true, time: 10m, network: true}\n") !=
        std::string::npos);
  CHECK(yaml.find("  path: [\"tools/py/.venv/bin\"]\n") != std::string::npos);
  CHECK(yaml.find(
            "    # web/package.json\n    - name: web-build\n      command: \"pnpm run build\"\n      dir: \"web\"\n") !=
        std::string::npos);
}

TEST_CASE("project: a workspace runs its members, and several tools of a folder have names of their own") {
  const std::vector<ProjectText> texts = {{"package.json", R"({"workspaces": ["a"], "scripts": {"test": "x"}})"},
                                          {"a/package.json", R"({"scripts": {"test": "x"}})"},
                                          {"Cargo.toml", "[workspace]\nmembers = ['b']\n"},
                                          {"b/Cargo.toml", "[package]\n"}};
  const Words paths = {"package.json", "a/package.json", "Cargo.toml", "b/Cargo.toml"};
  const std::vector<Detected> found = detect_gates(paths, texts);
  REQUIRE(found.size() == 2);
  CHECK(found[0].gates[1].command == "cargo test --workspace");
  CHECK(found[1].gates[0].name == "npm-test");
  CHECK(read_gates(gates_json(found[0].gates)));
}
