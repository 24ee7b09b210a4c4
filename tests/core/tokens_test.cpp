#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/text/tokens.hpp"

using namespace plumb::text;

namespace {

struct Known {
  const char* text;
  std::uint64_t o200k;
  std::uint64_t cl100k;
};

// Counted with both vocabularies.
constexpr Known known[] = {
    {"The quick brown fox jumps over the lazy dog. It was a bright cold day in April, and the clocks were striking "
     "thirteen. Every question needs four options, and each of them must be different from the others.",
     43, 43},
    {"Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller staatlichen "
     "Gewalt. "
     "Das Deutsche Volk bekennt sich darum zu unverletzlichen und unveräußerlichen Menschenrechten.",
     46, 58},
    {"{\"questions\":[{\"question\":\"What is light?\",\"options\":[\"A wave\",\"A particle\",\"Both\",\"Neither\"],"
     "\"correct_answer\":\"Both\",\"explanation\":\"It shows both natures.\"}]}",
     40, 38},
    {"人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。", 35, 50},
    {"Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью.", 28, 51},
};

bool within(std::uint64_t estimate, std::uint64_t actual, std::uint64_t percent) {
  const std::uint64_t off = estimate > actual ? estimate - actual : actual - estimate;
  return off * 100 <= actual * percent;
}

}  // namespace

TEST_CASE("tokens: short texts in five scripts are estimated within a fifth, and the safe number covers them") {
  for (const Known& one : known) {
    CAPTURE(one.text);
    const TokenEstimate large = estimate_tokens(one.text, Encoding::o200k_base);
    const TokenEstimate small = estimate_tokens(one.text, Encoding::cl100k_base);
    CAPTURE(large.likely);
    CAPTURE(small.likely);
    CHECK(within(large.likely, one.o200k, 20));
    CHECK(within(small.likely, one.cl100k, 20));
    CHECK(large.safe >= one.o200k);
    CHECK(small.safe >= one.cl100k);
  }
}

TEST_CASE("tokens: what no word is in, and scripts that vocabularies know little of, are covered by the safe number") {
  struct Counted {
    std::string text;
    std::uint64_t o200k;
    std::uint64_t cl100k;
  };
  const Counted counted[] = {
      {"bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB1L9RIvNEVUxTveLruM0rfj0WAK1jHDhaXXzOI8d4VFmtvBtMkA/"
       "+SNV1tdpcY4BAEl9l2w/j4kSUt26phkV9mGCE/tCLl4r019GWp0RqhrWACeY2thHbFiEbZamq3/"
       "KcXlLZxQjFAjRzRNjAetkcvWBor8df9ikvBioJyjgcieced7mprp4wsNvbb1EKJk753ngVAde2uSronrBZxat0PbZ1humPrSfaC5lovAOaHvNMk"
       "5ubjlI6i++J1HhgjF7PbKNYdY9tJ+bPRScpN5d6dI/Yg5HbZ5ztp9x78fAF7oeb7q13mUz1czQewXtYu/frNNJxHJk8HZdrEosxiNwYKa",
       260, 273},
      {"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
       "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_"
       "adQssw5c",
       104, 108},
      {"a4abd4448c49562d828115d13a1fccea927f52b4d5459297f8b43e42da89238bc13626e43dcb38ddb082488927ec904fb42057443983e88"
       "585179d50551afe62",
       63, 63},
      {"var e=function(t){return t&&t.__esModule?t:{default:t}};n.d(r,\"a\",function(){return "
       "i}),u=c(o(a),l[0]||[]).map(h=>({...h,p:!1})),void 0===f&&(f=null);",
       61, 59},
      {std::string(300, '\n'), 20, 10},
      {std::string(200, '\0'), 100, 200},
      {"មនុស្សទាំងអស់កើតមកមានសេរីភាព និងសមភាពក្នុងសិទ្ធិ និងសេចក្តីថ្លៃថ្នូរ", 40, 115},
      {"လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း မွေးဖွားလာသူများ ဖြစ်သည်", 41, 152},
      {"සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත "
       "ගරුත්වයෙන් "
       "සහ "
       "අයිතිවාසිකම්වලින් "
       "සමාන "
       "වෙති",
       39, 142},
      {"ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ ᎠᎴ ᎤᏂᏠᏱ ᎤᎾᏕᎿ ᏚᏳᎧᏛ ᎨᏒᎢ", 97, 90},
      {"ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν, καὶ θεὸς ἦν ὁ λόγος", 52, 83},
      {"Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.", 31, 76},
  };
  for (const Counted& one : counted) {
    CAPTURE(one.text);
    const TokenEstimate large = estimate_tokens(one.text, Encoding::o200k_base);
    const TokenEstimate small = estimate_tokens(one.text, Encoding::cl100k_base);
    CHECK(within(large.likely, one.o200k, 25));
    CHECK(within(small.likely, one.cl100k, 25));
    CHECK(large.safe >= one.o200k);
    CHECK(small.safe >= one.cl100k);
  }
}

TEST_CASE("tokens: no text is estimated at less than its words, and safe is never less than a token for 16 bytes") {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t words = 1; words <= 400; ++words) {
    for (std::size_t i = 0; i < 2 + words % 9; ++i) {
      state = state * 1664525U + 1013904223U;
      text += static_cast<char>('a' + (state >> 24U) % 26U);
    }
    text += ' ';
    for (const Encoding encoding : {Encoding::o200k_base, Encoding::cl100k_base, Encoding::unknown}) {
      const TokenEstimate cost = estimate_tokens(text, encoding);
      REQUIRE(cost.likely >= words);
      REQUIRE(cost.safe * 16 + 16 >= text.size());
    }
  }
}

TEST_CASE("tokens: an unknown model costs the larger of both") {
  for (const Known& one : known) {
    const TokenEstimate both = estimate_tokens(one.text);
    const TokenEstimate large = estimate_tokens(one.text, Encoding::o200k_base);
    const TokenEstimate small = estimate_tokens(one.text, Encoding::cl100k_base);
    CHECK(both.likely == std::max(large.likely, small.likely));
    CHECK(both.safe == std::max(large.safe, small.safe));
  }
}

TEST_CASE("tokens: nothing costs nothing, anything costs at least one token and at most one a byte") {
  CHECK(estimate_tokens("").likely == 0);
  CHECK(estimate_tokens("").safe == 0);
  for (const std::string& text :
       {std::string("a"), std::string("\n"), std::string("\xFF\xFE\x80"), std::string(100'000, ' '),
        std::string(100'000, '-'), std::string(100'000, '7'), std::string("\xED\xA0\x80"), std::string(1, '\0'),
        std::string("e\u0301\u0301\u0301"), std::string("\u202E\u200F\U0001F600\U0001F468\u200D\U0001F469")}) {
    const TokenEstimate cost = estimate_tokens(text);
    CHECK(cost.likely >= 1);
    CHECK(cost.safe >= cost.likely);
    CHECK(cost.safe <= text.size());
  }
}

TEST_CASE("tokens: models are known by their names, whatever stands before and behind") {
  CHECK(encoding_of_model("gpt-4o") == Encoding::o200k_base);
  CHECK(encoding_of_model("openai/gpt-4o-mini-2024-07-18") == Encoding::o200k_base);
  CHECK(encoding_of_model("gpt-4") == Encoding::cl100k_base);
  CHECK(encoding_of_model("gpt-4-turbo") == Encoding::cl100k_base);
  CHECK(encoding_of_model("gpt-4.1-nano") == Encoding::o200k_base);
  CHECK(encoding_of_model("gpt-3.5-turbo-0125") == Encoding::cl100k_base);
  CHECK(encoding_of_model("o3-mini") == Encoding::o200k_base);
  CHECK(encoding_of_model("o10") == Encoding::unknown);
  CHECK(encoding_of_model("ollama/qwen3:8b") == Encoding::unknown);
  CHECK(encoding_of_model("") == Encoding::unknown);
}
