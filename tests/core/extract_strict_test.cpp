// What extraction makes of nothing: code, contents, numbers, changes. And what it reads of laid out text.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/extract/extract.hpp"
#include "core/extract/terms.hpp"
#include "core/json/value.hpp"

using namespace plumb;
using namespace plumb::extract;

namespace {

std::vector<Chunk> passages(std::string_view source) {
  auto found = chunks(source);
  REQUIRE(found);
  return found.value();
}

// "term = meaning", one a line, of what can be shown.
std::string defined(std::string_view source) {
  const std::vector<Chunk> all = passages(source);
  const SourceText reading(all);
  std::string out;
  for (const Definition& d : find_definitions(reading)) {
    if (d.flaw.empty()) {
      out += std::string(piece(reading.text, d.term)) + " = " + std::string(piece(reading.text, d.meaning)) + "\n";
    }
  }
  return out;
}

std::string made(Kind kind, std::string_view source, std::size_t count = 0) {
  const std::vector<Chunk> all = passages(source);
  const auto planned = plan(kind, all, {count});
  REQUIRE(planned);
  const auto text = generate(kind, planned.value(), all);
  REQUIRE(text);
  return text.value();
}

}  // namespace

TEST_CASE("extract: entries of a manual page are read: options, files, names, and its header is not") {
  CHECK(defined("LAMP(1)            User Commands            LAMP(1)\n\n"
                "NAME\n       lamp, lampd - switch the lamps of a house\n\n"
                "OPTIONS\n       -a, --all\n              Switch every lamp of the house.\n\n"
                "       -c      Print the colours on standard output.  This is\n               the default.\n\n"
                "FILES\n       /etc/lamps\n           names of the lamps\n\n"
                "SEE ALSO\n       candle(1) - a thing of the past with a wick\n\n"
                "lamps 1.0          2024          LAMP(1)\n") ==
        "lamp = switch the lamps of a house\n-a, --all = Switch every lamp of the house\n"
        "-c = Print the colours on standard output\n/etc/lamps = names of the lamps\n");
}

TEST_CASE("extract: a kind in brackets is no part of a name, a divided word is one, and code keeps its signs") {
  CHECK(defined("CONF(5)            File Formats            CONF(5)\n\n"
                "NAME\n       conf - settings of the house\n\n"
                "SETTINGS\n       LAMP_MAX (number)\n              Largest number of lamps that may be switched on or "
                "dim\xE2\x80\x90\n              med.\n\n"
                "       LAMP_DIR (string)\n              Directory of the lamps. lampd reads it too.\n") ==
        "conf = settings of the house\nLAMP_MAX = Largest number of lamps that may be switched on or dimmed\n"
        "LAMP_DIR = Directory of the lamps\n");
  CHECK(defined("# Tags\n\n* `[!hide]` - leaves a test out of the default list\n") ==
        "[!hide] = leaves a test out of the default list\n");
}

TEST_CASE("extract: what says only its name, or speaks of what stands elsewhere, defines nothing") {
  CHECK(defined("The lamp glossary is a glossary of the lamp.") == "");
  CHECK(defined("LAMP LAMP is a source of light that a switch controls.") == "");
  CHECK(defined("The following types are names that the requests of this chapter use.") == "");
  CHECK(defined("The result is a concatenation of the files that were read.") == "");
  CHECK(defined("The login program is used to establish a new session with the system.") == "");
}

TEST_CASE("extract: a name with a sign is not shown without it, examples define nothing, nor does an accusative") {
  CHECK(defined("The /dev directory is the place of the special files of devices.") == "");
  CHECK(defined("# Vulkane\n\nBeispiele sind der Vesuv und der Fuji, die in Italien und Japan stehen. "
                "Als Schichtvulkan bezeichnet man einen steilen Vulkan aus Lava und Asche. "
                "Der Krater ist die Mulde, aus der die Lava nach dem Ausbruch strömt. Als Lahar bezeichnet man das "
                "Gemisch aus Wasser und Asche.\n") ==
        "Krater = die Mulde, aus der die Lava nach dem Ausbruch strömt\nLahar = das Gemisch aus Wasser und Asche\n");
  CHECK(is_version("2.1.5"));
  CHECK_FALSE(is_version("2.1.5 Fixed Header"));
  CHECK(made(Kind::flashcards, "ssh-keyscan is a utility for gathering the public keys of hosts.")
            .find("\"ssh-keyscan\"") != std::string::npos);
}

TEST_CASE("extract: no question is asked in one language of what a page says in another") {
  const std::string_view page =
      "CHAGE(1)            Dienstprogramme            CHAGE(1)\n\n"
      "OPTIONEN\n       -a, --all\n              Show what is known of the accounts that are on the system.\n\n"
      "       -d, --day\n              Set the day on which the account was changed by the user.\n\n"
      "       -m, --most\n              Set the most days that the account may be used.\n\n"
      "       -w, --warn\n              Set the days before which the user is warned of it.\n\n"
      "       -h, --hilfe\n              Zeigt die Hilfe an und beendet das Programm.\n";
  CHECK(made(Kind::quiz, page, 8).find("Zeigt die Hilfe") == std::string::npos);
  CHECK(made(Kind::flashcards, page).find("Zeigt die Hilfe") != std::string::npos);  // a card asks nothing
}

TEST_CASE("extract: the terms of a protocol are read, its contents, drawings and page breaks are not") {
  const std::string_view draft =
      "Table of Contents\n\n   1.  Introduction  . . . . . . . . . .   2\n     1.1.  Terms . . . . . . . . . . . . .   "
      "2\n\n"
      "1.  Introduction\n\n   A \"zone\" is a set of lamps that are switched together.\n\n"
      "1.1.  Terms\n\n   Beacon:  A message that a lamp sends unasked when it has been\n      switched on.\n\n"
      "   +-+-+-+-+-+-+-+\n   | Ver |  Type |\n   +-+-+-+-+-+-+-+\n\n"
      "Doe              Expires 2024              [Page 3]\n";
  CHECK(defined(draft) ==
        "zone = a set of lamps that are switched together\n"
        "Beacon = A message that a lamp sends unasked when it has been switched on\n");
  const auto map = plan(Kind::mindmap, passages(draft), {});  // contents are no topics, and there are no others
  REQUIRE_FALSE(map);
  CHECK(map.error().message.starts_with("No mind map can be made of this source"));
}

TEST_CASE("extract: nothing is made of a list of changes") {
  for (const std::string_view list :
       {"Changes in 1.2.13 (13 Oct 2022)\n- Decoder: the part that reads a stream was mended\n\n"
        "Changes in 1.2.12 (27 Mar 2022)\n- Encoder: a table of codes is smaller now\n",
        "# Changelog\n\n## [2.0.0] - 2024-05-01\n\n- **Decoder**: a part that reads a stream\n",
        "v2.9.14: May 02 2022:\n   - Security:\n  Decoder is a part that reads a stream.\n"}) {
    CHECK(defined(list) == "");
    CHECK(made(Kind::flashcards, list).find("\"back\": \"\"") != std::string::npos);
  }
  CHECK(is_version("version 0.1 [March 29, 1995]"));
  CHECK(is_version("## 1.2.0 - 2024-01-31"));
  CHECK_FALSE(is_version("3.1. Fixed Header"));
  CHECK_FALSE(is_version("Ubuntu 18.04 and above"));
}

TEST_CASE("extract: what tells when, where or how is no term, nor are the words of changelogs") {
  CHECK(
      defined("# Pflanzen\n\nDerzeit ist die Zahl der Arten nicht bekannt. Insgesamt ist der Vorgang ein Kreislauf aus "
              "Stufen. Wichtig ist die Temperatur, die das Wasser hat. Blühend ist ein Zustand, den die Pflanze nur "
              "kurz hat, und was blühend heißt, weiß man. Stroma ist die Flüssigkeit, die den Chloroplasten "
              "füllt.\n") == "Stroma = die Flüssigkeit, die den Chloroplasten füllt\n");
  CHECK(defined("# Plants\n\nCurrently is a time that the plants of this page know. Stroma is a fluid that fills the "
                "chloroplast of a plant.\n") == "Stroma = a fluid that fills the chloroplast of a plant\n");
  CHECK(defined("# Lampes\n\nActuellement est un moment que les lampes de la maison connaissent bien.\n") == "");
  CHECK(defined("# 植物\n\n目前是植物研究的一个重要时期和阶段。光合作用是植物利用光能制造有机物的过程。\n") ==
        "光合作用 = 植物利用光能制造有机物的过程\n");
  CHECK(defined("# Lamps\n\nAdded is a switch that turns the lamps of the house on.\n\n- **Fixed** - a lamp that was "
                "never switched off\n") == "");
}

TEST_CASE("extract: no Japanese term or meaning is cut in mid-word") {
  CHECK(defined("# "
                "ことば\n\nしごとは、社会の中で人が行う活動である。大切なことは、毎日続けることである。日本では、米が主"
                "食である。"
                "あるいは、別の考え方である。それは重要なものであり、または、新しいものである。現在は、多くの人が使う道"
                "具である。\n") == "");
  CHECK(defined("# "
                "生物\n\nリボ核酸（RNA）は、タンパク質の合成に関わる核酸である。葉緑体とは、光を受け取る緑色の粒のこと"
                "である。"
                "抗体とは、異物に結びつくタンパク質のことをいう。\n") ==
        "リボ核酸（RNA） = タンパク質の合成に関わる核酸\n葉緑体 = 光を受け取る緑色の粒\n抗体 = "
        "異物に結びつくタンパク質\n");
  CHECK(made(Kind::flashcards, "# 生物\n\n**リボ核酸（RNA）**は、タンパク質の合成に関わる核酸である。\n")
            .find("\"front\": \"リボ核酸（RNA）\"") != std::string::npos);
}

TEST_CASE("extract: what cannot be made of a source is said in words of the task") {
  const std::vector<Chunk> source = passages("Ja. So ist es.");
  for (const auto& [kind, said] : {std::pair(Kind::quiz, "No question can be made of this source"),
                                   std::pair(Kind::flashcards, "No flashcard can be made of this source"),
                                   std::pair(Kind::mindmap, "No mind map can be made of this source")}) {
    const auto planned = plan(kind, source, {});
    REQUIRE_FALSE(planned);
    CHECK(planned.error().message.starts_with(said));
    CHECK(planned.error().message.find("choose a provider with a model") != std::string::npos);
  }
}

TEST_CASE("extract: lines of code and labels are no terms") {
  CHECK(defined("Usage\n\n    int main(void) {\n        return lamp_switch(&house, 1);\n    }\n") == "");
  CHECK(defined("- Note: the lamps of a house are many\n- Email: doe at example and others\n") == "");
  CHECK(defined("- [First part](#first): what the lamps are\n- [Second part](#second): what they do\n") == "");
  CHECK(defined("| Option | What it means for lamps |\n| --- | --- |\n| `dim` | the brightness of a lamp |\n") ==
        "dim = the brightness of a lamp\n");
}

TEST_CASE("extract: what cannot be shown alone has a reason") {
  const std::vector<Chunk> all =
      passages("A **lamp** is a device that follows the rules above. A **wick** is a device of the following kinds.\n");
  const SourceText reading(all);
  for (const Definition& d : find_definitions(reading)) {
    CHECK(d.flaw == "what the source says of it speaks of another place");
  }
  const std::string cards =
      made(Kind::flashcards, "A **lamp** is a device that gives light. A **wick** is one of those above.\n", 5);
  CHECK(cards.find(R"("fewer": "1 of 5 cards: the source has no more that can be made well")") != std::string::npos);
  CHECK(cards.find("\"reason\": \"the source does not say what it is\"") != std::string::npos);
}

TEST_CASE("extract: German, French, Chinese and Japanese sentences define") {
  CHECK(
      defined("Unter der Tropopause versteht man die Grenze zwischen zwei Schichten der Luft. Als Isobaren bezeichnet "
              "man Linien, die Orte gleichen Drucks verbinden. Das ist nicht alles, was man von der Luft weiß.\n") ==
      "Tropopause = die Grenze zwischen zwei Schichten der Luft\n"
      "Isobaren = Linien, die Orte gleichen Drucks verbinden\n");
  CHECK(defined("La condensation est le passage de la vapeur à l'état liquide. On appelle évapotranspiration la somme "
                "des deux. Le point de rosée désigne la température de l'air saturé.\n") ==
        "condensation = le passage de la vapeur à l'état liquide\névapotranspiration = la somme des deux\n"
        "point de rosée = la température de l'air saturé\n");
  CHECK(defined("所谓超重，是指物体对支持物的压力大于重力的现象。位移是从初位置指向末位置的有向线段，它是矢量。") ==
        "超重 = 物体对支持物的压力大于重力的现象\n位移 = 从初位置指向末位置的有向线段\n");
  CHECK(defined("細胞膜とは、細胞の内と外を隔てる薄い膜のことである。葉緑体は、光を使う緑色の粒である。"
                "赤血球の直径は、約8マイクロメートルである。") ==
        "細胞膜 = 細胞の内と外を隔てる薄い膜\n葉緑体 = 光を使う緑色の粒\n");
}

TEST_CASE("extract: a wrong option that is right, too, is replaced when a quiz is mended") {
  const std::string_view source =
      "A **lamp** is a device that gives light. A **wick** is a string that draws oil. A **torch** is a device that "
      "one "
      "carries. A **lantern** is a device that hangs. A **lighter** is a device that gives light.\n";
  const std::vector<Chunk> all = passages(source);
  const std::string planned = plan(Kind::quiz, all, {}).value();
  const std::string quiz =
      R"({"questions":[{"question":"Which term fits this description: “a device that gives light”?",)"
      R"("options":["Lamp","Lighter","Torch","Lantern"],"correct_answer":"Lamp","explanation":"So it is."}]})";
  const std::string claims = judge(Kind::quiz, quiz, all).value();
  CHECK(claims.find("Another option is just as correct by the source") != std::string::npos);
  const std::string mended =
      repair(Kind::quiz, quiz, R"({"findings":[{"rule":"answer-correct","at":"/questions/0"}]})", planned, all).value();
  CHECK(mended.find("Lighter") == std::string::npos);
  CHECK(mended.find("Wick") != std::string::npos);
  CHECK(judge(Kind::quiz, mended, all).value().find("\"holds\":false") == std::string::npos);
}
