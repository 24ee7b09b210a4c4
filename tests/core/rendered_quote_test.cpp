#include "core/text/rendered_quote.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace plumb::text;

namespace {

constexpr std::string_view source =
    "**Photosynthesis** is the process by which plants convert light energy into chemical energy stored in *glucose* "
    "molecules. It's a plant's way to live.\n\nThis occurs in [chloroplasts](http://x.y), which contain\nchlorophyll "
    "pigment \xE2\x80\x94 a \xE2\x80\x9Cgreen\xE2\x80\x9D dye.\n\n| Boiling point | 100 &deg;C |\n\nWater<br>enters "
    "through the <b>roots</b>; 3.5 % of it stays, x < 5.";

std::string shown(std::string_view quote, std::string_view text = source) {
  const QuoteResult found = find_rendered_quote(quote, text);
  return found.status == QuoteStatus::found       ? std::string(piece(text, found.where))
         : found.status == QuoteStatus::too_short ? "(too short)"
                                                  : "(not found)";
}

}  // namespace

TEST_CASE("rendered quotes: a quote stands there as people read it, and is shown as the source has it") {
  CHECK(shown("**Photosynthesis** is the process by which") == "**Photosynthesis** is the process by which");
  CHECK(shown("Photosynthesis is the process by which") == "**Photosynthesis** is the process by which");
  CHECK(shown("chemical energy stored in glucose molecules") == "chemical energy stored in *glucose* molecules");
  CHECK(shown("This occurs in chloroplasts, which contain") ==
        "This occurs in [chloroplasts](http://x.y), which contain");
  CHECK(shown("occurs in chloroplasts") == "occurs in [chloroplasts](http://x.y)");
  CHECK(shown("chloroplasts, which contain") == "[chloroplasts](http://x.y), which contain");
  CHECK(shown("which contain chlorophyll pigment") == "which contain\nchlorophyll pigment");
  CHECK(shown("chlorophyll pigment - a \"green\" dye") ==
        "chlorophyll pigment \xE2\x80\x94 a \xE2\x80\x9Cgreen\xE2\x80\x9D dye");
  CHECK(shown("It\xE2\x80\x99s a plant\xE2\x80\x99s way to live") == "It's a plant's way to live");
  CHECK(shown("THE PROCESS by which plants") == "the process by which plants");
  CHECK(shown("\"which plants convert light energy.\"") == "which plants convert light energy");
  CHECK(shown("Boiling point: 100 \xC2\xB0"
              "C") == "Boiling point | 100 &deg;C");
  CHECK(shown("Water enters through the roots") == "Water<br>enters through the <b>roots");
  CHECK(shown("3.5% of it stays") == "3.5 % of it stays");
}

TEST_CASE("rendered quotes: other words, other signs, half words and gaps are not there") {
  CHECK(shown("Photosynthesis was the process by which") == "(not found)");
  CHECK(shown("35% of it stays") == "(not found)");
  CHECK(shown("it stays, x > 5") == "(not found)");
  CHECK(shown("the process by which plan") == "(not found)");
  CHECK(shown("hotosynthesis is the process") == "(not found)");
  CHECK(shown("Photosynthesis is the process ... stored in glucose") == "(not found)");
}

TEST_CASE("rendered quotes: one word proves nothing, in any script") {
  CHECK(shown("soil", "It is absorbed from the soil by roots.") == "(too short)");
  CHECK(shown("") == "(too short)");
  CHECK(shown("is a") == "(too short)");
  const std::string japanese = "光合成は葉緑体で行われる。葉緑体は**色素**を含む。";
  CHECK(shown("葉緑体", japanese) == "(too short)");
  CHECK(shown("光合成は葉緑体で行われる", japanese) == "光合成は葉緑体で行われる");
  CHECK(shown("葉緑体は色素を含む", japanese) == "葉緑体は**色素**を含む");
  CHECK(shown("光合成は植物で行われる", japanese) == "(not found)");
}

TEST_CASE("rendered quotes: a word in common is one that says something") {
  CHECK(shares_content_word("Water is absorbed from the soil", "What does absorption bring?"));
  CHECK(shares_content_word("It stores ATP", "ATP"));
  CHECK(!shares_content_word("Water is absorbed from the soil by the roots", "Where is the pigment of the leaves?"));
  CHECK(!shares_content_word("Das ist aber nicht die Antwort", "Wo wird die Frage nicht beantwortet?"));
  CHECK(shares_content_word("In 1879 wurde sie erfunden", "1879"));
  CHECK(shares_content_word("葉緑体は色素を含む", "色素はどこにありますか"));
  CHECK(!shares_content_word("葉緑体は色素を含む", "根は水を吸収する"));
}
