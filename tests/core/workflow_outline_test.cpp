#include <doctest/doctest.h>

#include <string>

#include "core/workflow/outline.hpp"

using namespace plumb::workflow;

namespace {

std::string of(std::string_view path, std::string_view text) { return "\n" + outline_text(outline(path, text)); }

}  // namespace

TEST_CASE("workflow outline: C++ with templates, member values, raw strings and nested types") {
  CHECK(of("a.hpp", R"text(#pragma once
#define BAD {
// class Comment {
namespace a::b {
enum class Kind : char { one, two };
template <class T = int>
class Box final : public Base<T> {
 public:
  explicit Box(T value) : value_{value}, more_(1) { value_ = {}; }
  T get() const { return value_; }
  struct Inner {
    int deep;
  };

 private:
  T value_ = T{};
};
inline constexpr int numbers[] = {1, 2'000};
std::string text(int a, int b = 3) { return R"(class X { )" + std::string("}{"); }
bool operator==(const Box<int>& a, const Box<int>& b);
using Map = std::map<int, int>;
extern "C" int entry(const char* p) {
  if (p) { return 1; }
  return 0;
}
struct { int x; } nameless;
}  // namespace a::b
int last;
)text") == R"(
5  enum class Kind : char {
6  template <class T = int> class Box final : public Base<T> {
9    explicit Box(T value) : value_{value}, more_(1);
10    T get() const;
11    struct Inner {
16    T value_;
18  inline constexpr int numbers[];
19  std::string text(int a, int b = 3);
20  bool operator==(const Box<int>& a, const Box<int>& b);
21  using Map = std::map<int, int>;
22  extern "C" int entry(const char* p);
26  struct {
26    int x;
28  int last;
)");
}

TEST_CASE("workflow outline: Go, Rust and Java") {
  CHECK(of("a.go",
           "package a\n\nimport \"fmt\"\n\nconst (\n\tA = 1\n\tB = `{`\n)\n\ntype T struct {\n\tx int\n}\n\nfunc (t "
           "*T) Do(f func() error) (int, error) {\n\tvar inner = 1\n\treturn inner, nil\n}\nvar X = "
           "map[string]int{\n\t\"a\": 1,\n}\n") ==
        "\n6  A\n7  B\n10  type T struct\n14  func (t *T) Do(f func() error) (int, error)\n18  var X\n");
  CHECK(of("a.rs",
           "use std::fmt;\npub struct P<'a> { x: &'a str }\nimpl<'a> P<'a> {\n    pub fn new(c: char) -> Self {\n      "
           "  let q = '{';\n        P { x: \"}\" }\n    }\n}\n/* fn no() { /* nested */ */\npub(crate) async fn go() "
           "{}\nconst N: usize = 3;\nmacro_rules! m { () => {} }\n") ==
        "\n2  pub struct P<'a>\n3  impl<'a> P<'a> {\n4    pub fn new(c: char) -> Self\n10  pub(crate) async fn "
        "go()\n11  const N: usize\n12  macro_rules! m\n");
  CHECK(of("A.java",
           "package a;\nimport b.C;\n@Deprecated(since = \"1\")\npublic final class A<T> implements B {\n  private int "
           "x = 1;\n  @Override\n  public String toString() { return \"}\"; }\n  static { x(); }\n  enum E { ONE, TWO "
           "}\n}\n") ==
        "\n3  @Deprecated(since = \"1\") public final class A<T> implements B {\n5    private int x;\n6    @Override "
        "public String toString();\n9    enum E {\n");
}

TEST_CASE("workflow outline: TypeScript, JavaScript and Python") {
  CHECK(of("a.tsx",
           "import { x } from \"y\";\nexport interface P {\n  a: string;\n}\nexport type K = \"a\" | \"b\";\nconst re "
           "= /[{]`/;\nexport default function App({ p }: { p: P }) {\n  const s = `${[1].map((i) => `{${i}}`)}`;\n  "
           "return <p>don't {s} </p>;\n}\nclass C extends D {\n  #n = 1;\n  async go(x: number): Promise<void> {\n    "
           "go();\n  }\n}\nlet type = 3;\n") ==
        "\n2  export interface P {\n3    a: string\n5  export type K = \"a\" | \"b\"\n6  const re\n7  export default "
        "function App({ p }: { p: P })\n11  class C extends D {\n12    #n\n13    async go(x: number): "
        "Promise<void>\n17  let type\n");
  CHECK(of("a.py",
           "\"\"\"def no():\n\"\"\"\nimport os\nN: int = 3\n@cache\ndef f(a,\n      b={}):\n    x = 1\n    def "
           "inner(): pass\nclass C(B):\n    y = 1\n    async def m(self) -> int:\n        def deep(): pass\nif x == "
           "1:\n    pass\n") == "\n4  N: int\n6  def f(a, b={})\n10  class C(B)\n12    async def m(self) -> int\n");
}

TEST_CASE("workflow outline: other files by their headings, and no text is refused") {
  CHECK(of("a.md", "# One\n\nText.\n\n```\n# no\n```\n\n## Two\n\nMore.\n") == "\n1  One\n9    Two\n");
  CHECK(of("LICENSE", "") == "\n");
  std::uint32_t seed = 1;
  const std::string_view alphabet = "{}()[]<>\"'`/*\\#=;:\n aR$@,.-";
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      seed = seed * 1664525U + 1013904223U;
      text += alphabet[(seed >> 16U) % alphabet.size()];
    }
    for (const char* path : {"a.cpp", "a.go", "a.py", "a.ts", "a.java", "a.rs", "a.md"}) {
      for (const OutlineLine& line : outline(path, text)) {
        CHECK(line.text.size() <= 210);
      }
    }
  }
}

TEST_CASE("workflow outline: ends, whatever brackets, quotes and slashes there are") {
  for (const std::string_view piece :
       {"f{}", "(/[", "${`", "'", "/*", "R\"(", "func (", "=/", "<a ", "template<", "x = {", "#", "\"\"\""}) {
    std::string text;
    while (text.size() < 100'000) {
      text += piece;
    }
    for (const char* path : {"a.cpp", "a.go", "a.py", "a.ts", "a.java", "a.rs", "a.md"}) {
      CHECK(outline(path, text).size() <= text.size());
    }
  }
}
