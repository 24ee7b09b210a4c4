#include "core/text/language.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace plumb;

namespace {

constexpr std::pair<std::string_view, std::string_view> evident[] = {
    {"cs",
     "Fotosyntéza je proces, při kterém rostliny přeměňují světelnou energii na chemickou. Probíhá v "
     "chloroplastech, které obsahují chlorofyl. Voda je přijímána kořeny a kyslík se uvolňuje do "
     "vzduchu. Není to jen pro rostliny, ale byla nalezena i jinde."},
    {"de",
     "Die Photosynthese ist der Vorgang, bei dem Pflanzen Lichtenergie in chemische Energie "
     "umwandeln. Sie findet in den Chloroplasten statt, und das Wasser wird durch die Wurzeln "
     "aufgenommen."},
    {"en",
     "Photosynthesis is the process by which plants convert light energy into chemical energy. It "
     "takes place in the chloroplasts, and the water is taken up by the roots."},
    {"es",
     "La fotosíntesis es el proceso por el cual las plantas convierten la energía de la luz en "
     "energía química. Este proceso ocurre en los cloroplastos, que contienen clorofila, y el agua "
     "entra por las raíces de la planta."},
    {"fi",
     "Fotosynteesi on prosessi, jossa kasvit muuttavat valon energian kemialliseksi energiaksi. Se ei "
     "ole nopea, mutta se on tärkeä, ja niin kuin kaikki kasvit, myös levät tekevät sitä."},
    {"fr",
     "La photosynthèse est le processus par lequel les plantes convertissent l'énergie de la lumière "
     "en énergie chimique. Elle se produit dans les chloroplastes, et l'eau entre par les racines "
     "avec les sels qui sont dans le sol."},
    {"hu",
     "A fotoszintézis az a folyamat, amelyben a növények a fény energiáját kémiai energiává "
     "alakítják. A kloroplasztiszokban zajlik, amelyek klorofillt tartalmaznak. A víz a gyökereken át "
     "jut be, és az oxigén a levegőbe kerül. Ez nem egy gyors folyamat, de van más is, hogy energiát "
     "nyerjenek."},
    {"it",
     "La fotosintesi è il processo con cui le piante convertono l'energia della luce in energia "
     "chimica. Avviene nei cloroplasti, che contengono la clorofilla, e l'acqua entra dalle radici "
     "della pianta. Gli zuccheri sono usati dalle cellule."},
    {"nl",
     "Fotosynthese is het proces waarbij planten lichtenergie omzetten in chemische energie. Het "
     "vindt plaats in de chloroplasten, die chlorofyl bevatten. Water wordt door de wortels opgenomen "
     "en zuurstof wordt aan de lucht afgegeven."},
    {"pl",
     "Fotosynteza jest to proces, w którym rośliny przekształcają energię światła w energię "
     "chemiczną. Zachodzi w chloroplastach, które zawierają chlorofil. Woda jest pobierana przez "
     "korzenie, a tlen wydziela się do powietrza."},
    {"pt",
     "A fotossíntese é o processo pelo qual as plantas convertem a energia da luz em energia química. "
     "Esse processo ocorre nos cloroplastos, que contêm clorofila. A água entra pelas raízes da "
     "planta e não é consumida ao todo."},
    {"ro",
     "Fotosinteza este procesul prin care plantele transformă energia luminii în energie chimică. Are "
     "loc în cloroplaste, care conțin clorofilă. Apa este absorbită de rădăcini și oxigenul este "
     "eliberat în aer, pe care îl respirăm. Nu toate plantele sunt la fel."},
    {"ru",
     "Фотосинтез — это процесс, при котором растения превращают энергию света в химическую энергию. "
     "Он происходит в хлоропластах, которые содержат хлорофилл. Вода поступает из корней, и кислород "
     "выделяется в воздух. Это было открыто не сразу."},
    {"sv",
     "Fotosyntes är den process där växter omvandlar ljusenergi till kemisk energi. Den sker i "
     "kloroplasterna, som innehåller klorofyll. Vattnet tas upp av rötterna och syret avges till "
     "luften. Det är inte alla växter som har det på vintern."},
    {"tr",
     "Fotosentez, bitkilerin ışık enerjisini kimyasal enerjiye dönüştürdüğü süreçtir. Bu süreç "
     "kloroplastlarda gerçekleşir ve klorofil ile çalışır. Su kökler ile alınır ve oksijen havaya "
     "verilir. Bu bir kimyasal tepkime olarak bilinir ve çok önemlidir."},
    {"uk",
     "Фотосинтез — це процес, при якому рослини перетворюють енергію світла на хімічну енергію. Він "
     "відбувається у хлоропластах, які містять хлорофіл. Вода надходить з коренів, і кисень "
     "виділяється в повітря. Це було відкрито не одразу, але є важливим для всіх та до цього."},
    {"ja", "光合成とは、植物が光のエネルギーを化学エネルギーに変える過程である。それは葉緑体で行われる。"},
    {"zh", "光合作用是植物把光能转变为化学能的过程。它在叶绿体中进行，叶绿体含有叶绿素。"},
    {"ko", "광합성은 식물이 빛 에너지를 화학 에너지로 바꾸는 과정이다. 엽록체에서 일어난다."},
    {"el", "Η φωτοσύνθεση είναι η διαδικασία με την οποία τα φυτά μετατρέπουν την ενέργεια του φωτός."},
    {"he", "פוטוסינתזה היא התהליך שבו צמחים ממירים אנרגיית אור לאנרגיה כימית."},
    {"th", "การสังเคราะห์ด้วยแสงเป็นกระบวนการที่พืชเปลี่ยนพลังงานแสงเป็นพลังงานเคมี"},
};

// Languages that are not known, whose neighbours are.
constexpr std::string_view neighbours[] = {
    // bg
    "Фотосинтезата е процес, при който растенията превръщат енергията на светлината в химична "
    "енергия. Тя протича в хлоропластите, които съдържат хлорофил. Водата идва от корените и "
    "кислородът се отделя във въздуха. Това не е било открито веднага, но е важно за всички.",
    // ca
    "La fotosíntesi és el procés pel qual les plantes converteixen l'energia de la llum en energia "
    "química. Té lloc als cloroplasts, que contenen clorofil·la. L'aigua entra per les arrels de la "
    "planta i l'oxigen surt a l'aire. No totes les plantes ho fan amb la mateixa eficiència.",
    // da
    "Fotosyntese er den proces, hvor planter omdanner lysenergi til kemisk energi. Den foregår i "
    "kloroplasterne, som indeholder klorofyl. Vandet optages af rødderne, og ilten afgives til "
    "luften. Det er ikke alle planter, der har det.",
    // gl
    "A fotosíntese é o proceso polo cal as plantas converten a enerxía da luz en enerxía química. "
    "Este proceso ocorre nos cloroplastos, que conteñen clorofila. A auga entra polas raíces da "
    "planta e non se consome toda.",
    // hr
    "Fotosinteza je proces u kojem biljke pretvaraju svjetlosnu energiju u kemijsku. Odvija se u "
    "kloroplastima koji sadrže klorofil. Voda se upija kroz korijen, a kisik se otpušta u zrak. To "
    "je važno za sve i nije otkriveno odmah.",
    // la
    "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, tertiam "
    "qui ipsorum lingua Celtae, nostra Galli appellantur. Hi omnes lingua, institutis, legibus inter "
    "se differunt. Gallos ab Aquitanis Garumna flumen, a Belgis Matrona et Sequana dividit.",
    // sk
    "Fotosyntéza je proces, pri ktorom rastliny premieňajú svetelnú energiu na chemickú. Prebieha v "
    "chloroplastoch, ktoré obsahujú chlorofyl. Voda je prijímaná koreňmi a kyslík sa uvoľňuje do "
    "vzduchu.",
};

}  // namespace

TEST_CASE("language: a text is known by its script or its frequent words") {
  for (const auto& [tag, text] : evident) {
    CHECK(text::language_of(text) == tag);
    CHECK(text::is_evident_language(tag));
    CHECK(!text::language_name(tag).empty());
  }
}

TEST_CASE("language: nothing is said of what is short, mixed, code or of another language") {
  for (const std::string_view text : neighbours) {
    CHECK_MESSAGE(text::language_of(text).empty(), text);
  }
  for (const std::string_view text : {"", "x", "Chloroplasts. 6 CO2 + 6 H2O. e = mc^2. Napoleon 1802.", "The end",
                                      "for i in range(10): a = b + c; z = w",
                                      "Der Hund und die Katze sind nicht im Haus, und das ist auch gut. The dog and "
                                      "the cat are not in the house, and "
                                      "that is what they have."}) {
    CHECK_MESSAGE(text::language_of(text).empty(), text);
  }
}

TEST_CASE("language: two languages of one script are never taken for each other") {
  for (const auto& [tag, text] : evident) {
    for (const auto& [other, more] : evident) {
      const std::string_view found = text::language_of(std::string(text) + "\n" + std::string(more));
      const bool good = found.empty() || found == tag || found == other;
      CHECK_MESSAGE(good, found);
    }
  }
}

TEST_CASE("language: tags are those of BCP 47") {
  CHECK(text::primary_language("de") == "de");
  CHECK(text::primary_language("DE-at") == "de");
  CHECK(text::primary_language("zh-Hant-TW") == "zh");
  CHECK(text::primary_language("gsw") == "gsw");
  for (const std::string_view wrong : {"", "d", "german", "xx", "de-", "de--AT", "de_AT", "d1", "1", "de-123456789"}) {
    CHECK_MESSAGE(text::primary_language(wrong).empty(), wrong);
  }
  CHECK(text::language_name("de") == "German");
  CHECK(text::language_name("aa") == "Afar");
  CHECK(text::language_name("zu") == "Zulu");
  CHECK(text::language_name("gsw").empty());
}

TEST_CASE("language: of a page that was translated in part neither language is evident") {
  const std::string half =
      "光合成とは、植物が光のエネルギーを化学エネルギーに変える過程である。それは葉緑体で行われる。\n"
      "The page has not been translated to the end, and what follows is the text of the authors.";
  CHECK(text::language_of(half).empty());
  CHECK(
      text::language_of(half + half + "光合成とは、植物が光のエネルギーを化学エネルギーに変える過程である。").empty());
}
