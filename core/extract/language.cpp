#include "core/extract/language.hpp"

#include <algorithm>

#include "core/text/phrases.hpp"
#include "core/text/utf8.hpp"

namespace plumb::extract {
namespace {

// Lists of words, each with a blank on both sides. A phrase has `_` where it has blanks.
// Besides those that text::is_function_word knows.
constexpr std::string_view english_words =
    " about above according across after again all almost along already also always among any around as because "
    "become becomes before behind below best better between both called cannot come comes commonly directly during "
    "each either else enough especially even every few find first found further generally get give given gives "
    "hence however indirectly inside instead just kind known last later less like made mainly make makes many may "
    "means merely might more most much must near nearly never next none nothing often once one only onto other "
    "others others' outside over own particularly perhaps rather same second seen several shall since some "
    "sometimes still such take taken takes than then therefore third through throughout thus together toward "
    "towards typically under until up upon use used uses using usually various very via well whereas whether while "
    "whole whose within without yet ";
constexpr std::string_view german_words =
    " aber alle als also am an auch auf aus bei bis bzw da damit dann das dass dem den denn der des die dies diese "
    "diesem diesen dieser dieses doch durch ein eine einem einen einer eines er es etwa für gegen hat hatte haben "
    "ihr ihre ihrer im in ist jede jeder kann kein keine können man mehr mit nach nicht noch nur ob oder ohne sehr "
    "sein seine seit sich sie sind so sowie über um und unter vom von vor war waren was wegen welche wenn werden "
    "wie wird wo wurde wurden zu zum zur zwischen bereits dessen deren dort hier innen je jeden jedes jedoch kaum "
    "lediglich meist nun oft sogar soll sollen sollte sonst statt stets trotz weil welcher welches weder während "
    "wobei worden ";
constexpr std::string_view german_articles = " das dem den der des die ein eine einem einen einer eines ";
constexpr std::string_view french_words =
    " à afin ainsi alors après au aucun aucune aussi autre autres aux avant avec avoir c ce ceci cela celle celles "
    "celui ces cet cette ceux chaque chez comme contre d dans de depuis des deux donc dont du elle elles en encore "
    "entre est et étaient était être eux fait il ils jusqu l la laquelle le lequel les leur leurs lors lorsque lui "
    "m mais même moins n ne ni non notre nous on ont ou où par parce pas pendant peu peut peuvent plus pour puis "
    "qu quand que quel quelle quelles quels qui quoi s sa sans selon ses si son sont sous sur tandis tel telle "
    "très tous tout toute toutes un une vers vos votre vous y ";
// Those that no sister language has in numbers.
constexpr std::string_view french_telling =
    " aux avec cette ces dans des du est et être le les leur ou pour qui sont sur une ";
constexpr std::string_view french_articles = " l la le les un une des du ";
constexpr std::string_view english_back =
    " accordingly additionally again also and another as besides both but consequently conversely each either "
    "finally first for furthermore he hence her here his however i in_addition indeed instead it its later "
    "likewise meanwhile moreover neither nevertheless nonetheless nor once one or otherwise our second she "
    "similarly so still such that their then there therefore these they third this those though thus to too we "
    "what when why yet you your ";
constexpr std::string_view german_back =
    " aber also andere außerdem beide da dabei dadurch dafür daher damit danach dann daraus darin darum darüber "
    "das dem denn dennoch deren deshalb dessen dies diese diesem diesen dieser dieses dort er es ferner hier "
    "hierbei ihr ihre jedoch man oder sein seine sie so somit sonst trotzdem und wir zudem ";
constexpr std::string_view french_back =
    " ainsi alors aussi ce ceci cela celle celles celui ces cet cette ceux c dès donc elle elles en ensuite enfin "
    "il ils là leur leurs lui mais on or par ou puis sa ses son toutefois y voir parmi pourtant cependant ";
// With the words that begin a clause which only prepares another.
constexpr std::string_view chinese_back =
    " 其 它 他 她 这 那 此 该 但 因 所 也 如 在 当 从 为 对 由 若 则 并 而 且 或 请 ";
// How these and those, also, but and however begin.
constexpr std::string_view japanese_back = " こ そ あ ど ま し た も ";
constexpr std::string_view empty_headings =
    " abstract appendix bibliography conclusion conclusions contents definitions einleitung example examples "
    "exercises faq further_reading glossary introduction key_terms notes overview preface quellen questions "
    "references review see_also summary table_of_contents usage zusammenfassung überblick übersicht description "
    "options files environment parameters outputs inputs name files standards bugs caveats diagnostics terminology "
    "terminologie voraussetzungen bezeichnung beschreibung optionen dateien umgebung aufgaben nom description "
    "options fichiers environnement introduction résumé exercices 名前 説明 ファイル オプション 名称 描述 选项 文件 "
    "练习 まとめ 小结 "
    "getting_started features ";
// What is below these says nothing of the source's matter.
constexpr std::string_view no_matter =
    " author authors author's_address authors'_address autor autoren auteur auteurs 著者 作者 references "
    "normative_references informative_references bibliography quellen literatur références 参考文献 see_also "
    "siehe_auch voir_aussi 関連項目 参见 参考 contents table_of_contents inhalt inhaltsverzeichnis sommaire "
    "table_des_matières 目次 目录 license licence lizenz copyright legal notices acknowledgements acknowledgments "
    "credits contributors contributions contributing synopsis übersicht_der_befehle 書式 用法 changelog changes "
    "history version_history release_notes news colophon traduction traducteur 翻訳者 übersetzung exercises questions "
    "aufgaben exercices 思考题 練習問題 status_of_this_memo build_status continuous_integration announcements "
    "getting_the_latest_version requirements_language ";

bool has_phrase(std::string_view list, std::string_view phrase) {
  std::string joined(phrase);
  for (char& c : joined) {
    c = c == ' ' ? '_' : c;
  }
  return listed_in(list, joined);
}

struct Sentences {
  Wording wording;
  std::string_view in[6];  // by Language
};

constexpr std::string_view bare = "{}";
// clang-format off
constexpr Sentences wordings[] = {
    {Wording::what_is,
     {"What is {}?", "Was ist {}?", "Qu'appelle-t-on « {} » ?", "什么是{}？", "「{}」とは何か。", bare}},
    {Wording::what_are,
     {"What are {}?", "Was sind {}?", "Qu'appelle-t-on « {} » ?", "什么是{}？", "「{}」とは何か。", bare}},
    {Wording::what_was,
     {"What was {}?", "Was war {}?", "Qu'appelle-t-on « {} » ?", "什么是{}？", "「{}」とは何か。", bare}},
    {Wording::what_were,
     {"What were {}?", "Was waren {}?", "Qu'appelle-t-on « {} » ?", "什么是{}？", "「{}」とは何か。", bare}},
    {Wording::what_means,
     {"What is meant by “{}”?", "Was bedeutet „{}“?", "Qu'appelle-t-on « {} » ?", "什么是{}？", "「{}」とは何か。", bare}},
    {Wording::which_term,
     {"Which term fits this description: “{}”?", "Welcher Begriff passt zu dieser Beschreibung: „{}“?",
      "Quel terme correspond à cette description : « {} » ?", "下列哪个术语符合这一描述：“{}”？",
      "次の説明に当てはまる用語はどれか。「{}」", "____: {}"}},
    {Wording::cloze_term,
     {"Which term completes this sentence? “{}”", "Welcher Begriff ergänzt diesen Satz? „{}“",
      "Quel terme complète cette phrase ? « {} »", "填空：“{}”", "空欄に入る語はどれか。「{}」", bare}},
    {Wording::cloze_name,
     {"Which name completes this sentence? “{}”", "Welcher Begriff ergänzt diesen Satz? „{}“",
      "Quel nom complète cette phrase ? « {} »", "填空：“{}”", "空欄に入る語はどれか。「{}」", bare}},
    {Wording::cloze_number,
     {"Which number completes this sentence? “{}”", "Welche Zahl ergänzt diesen Satz? „{}“",
      "Quel nombre complète cette phrase ? « {} »", "填空：“{}”", "空欄に入る数はどれか。「{}」", bare}},
    {Wording::cloze_year,
     {"Which year completes this sentence? “{}”", "Welches Jahr ergänzt diesen Satz? „{}“",
      "Quelle année complète cette phrase ? « {} »", "填空：“{}”", "空欄に入る年はどれか。「{}」", bare}},
    {Wording::source_says,
     {"The source says: “{}”", "In der Quelle steht: „{}“", "La source dit : « {} »", "原文：“{}”", "本文：「{}」", "“{}”"}},
};
// clang-format on

}  // namespace

bool listed_in(std::string_view list, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    if (at > 0 && list[at - 1] == ' ' && at + word.size() < list.size() && list[at + word.size()] == ' ') {
      return true;
    }
  }
  return false;
}

Language language_of(const text::Words& words) {
  constexpr std::size_t words_max = 20'000;
  const std::size_t count = words.size() < words_max ? words.size() : words_max;
  std::size_t singles = 0;
  std::size_t kana = 0;
  std::size_t english = 0;
  std::size_t german = 0;
  std::size_t french = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view word = words.folded(i);
    if (words.is_single_letter(i)) {
      const char32_t c = text::decode(word.data(), word.data() + word.size()).code_point;
      ++singles;
      kana += c < 0x3100 || c > 0x9FFF ? 1 : 0;
    } else {
      english += text::is_function_word(word) ? 1 : 0;
      german += listed_in(german_words, word) ? 1 : 0;
      french += listed_in(french_telling, word) ? 1 : 0;
    }
  }
  // Each of its letters counts as a word, and pages that are translated keep names, options and examples.
  if (singles * 5 > count) {
    return kana * 20 > singles ? Language::japanese : Language::chinese;
  }
  if (english * 10 < count && german * 10 < count && french * 10 < count) {
    return Language::other;
  }
  return french > english && french > german ? Language::french
         : german > english                  ? Language::german
                                             : Language::english;
}

bool is_function_word(Language language, std::string_view folded) {
  switch (language) {
    case Language::english:
      return text::is_function_word(folded) || listed_in(english_words, folded);
    case Language::german:
      return listed_in(german_words, folded);
    case Language::french:
      return listed_in(french_words, folded);
    default:
      return false;
  }
}

bool is_foreign(Language language, const text::Words& words, std::size_t from, std::size_t to) {
  // Words of another language that English has too, as others.
  constexpr std::string_view homographs = " a hat man on plus war ";
  std::size_t counts[3] = {};
  std::size_t singles = 0;
  for (std::size_t i = from; i < to; ++i) {
    singles += words.is_single_letter(i) ? 1 : 0;
    for (std::size_t one = 0; one < 3; ++one) {
      const bool ours = static_cast<std::size_t>(language) == one;
      counts[one] += is_function_word(static_cast<Language>(one), words.folded(i)) &&
                             (ours || !listed_in(homographs, words.folded(i)))
                         ? 1
                         : 0;
    }
  }
  if (is_unspaced(language)) {
    return singles == 0 && to - from > 3;
  }
  if (language == Language::other) {
    return false;
  }
  return singles * 2 > to - from ||
         *std::max_element(std::begin(counts), std::end(counts)) > counts[static_cast<std::size_t>(language)];
}

bool is_article(Language language, std::string_view folded) {
  return language == Language::english  ? folded == "the" || folded == "a" || folded == "an"
         : language == Language::german ? listed_in(german_articles, folded)
         : language == Language::french ? listed_in(french_articles, folded)
                                        : false;
}

bool points_back(Language language, std::string_view folded) {
  constexpr std::string_view lists[] = {english_back, german_back, french_back, chinese_back, japanese_back, " "};
  return listed_in(lists[static_cast<std::size_t>(language)], folded);
}

bool is_adverb(Language language, std::string_view folded) {
  constexpr std::string_view lists[] = {
      " additionally also clear currently finally formerly generally hence here historically however important "
      "initially "
      "interestingly later meanwhile moreover nowadays notable often originally presently previously recently "
      "remarkably similarly sometimes then there therefore thus today traditionally typically usually well-known ",
      " abends aktuell allerdings allgemein anfangs ansonsten auch auffällig aufgrund außerdem beispielsweise bekannt "
      "bemerkenswert besonders bisher bislang charakteristisch dabei dadurch daher damals damit danach dann daneben "
      "daraus darum darunter darüber dennoch derzeit deshalb deswegen dort ebenfalls ebenso eigentlich einst "
      "entscheidend entsprechend erst etwa ferner folglich früher gegenwärtig gelegentlich gewöhnlich grundsätzlich "
      "gut häufig hauptsächlich heute heutzutage hier hierbei hierfür hingegen hinzu historisch immer innen "
      "insbesondere "
      "insgesamt international inzwischen jedoch jetzt künftig letztlich manchmal meist meistens mithin mittlerweile "
      "momentan möglich möglicherweise nachts namensgebend natürlich neu neuerdings normalerweise notwendig nun oft "
      "offenbar schließlich seitdem seither selten seltener somit sonst später stattdessen tagsüber tatsächlich "
      "teilweise traditionell trotzdem typisch typischerweise umstritten unbekannt ungefähr unklar ursprünglich "
      "vermutlich vielleicht vorher wahrscheinlich weiter weiterhin weltweit wesentlich wichtig wichtiger "
      "zeitweise zudem zuerst zugleich zuletzt zunächst zurzeit zusätzlich ",
      " actuellement ailleurs ainsi alors aujourd'hui aujourd’hui aussi autrefois cependant couramment désormais "
      "également enfin ensuite essentiel finalement fréquemment généralement habituellement hier historiquement ici "
      "important jadis jusqu'ici là maintenant néanmoins notamment originellement parfois plutôt pourtant "
      "principalement "
      "puis rarement récemment souvent surtout toujours toutefois traditionnellement ",
      " 一般 不仅 主要 也许 以前 以后 但是 其实 其次 其中 历史上 只有 可能 因为 因此 如今 实际上 尤其 就是 当今 当前 "
      "当时 总之 所以 "
      "昔日 曾经 最后 最近 最初 此外 此时 特别 现在 现代 的确 目前 确实 而且 起初 过去 近年来 近来 还有 这里 通常 那时 "
      "那里 然后 首先 ",
      " あと いま かつて この頃 ここ ここで その後 それ 一般 一般に 一方 人 今 今日 以前 以後 以降 従来 実 実際 将来 "
      "当時 当初 "
      "後 昔 最近 最初 本来 次 特 現代 現在 近年 通常 古来 普通 過去 ",
      " "};
  return listed_in(lists[static_cast<std::size_t>(language)], folded);
}

bool is_changelog_word(std::string_view folded) {
  return listed_in(
      " added breaking bugfix bugfixes changed changelog deprecated dropped enhanced enhancements fixed fixes improved "
      "improvements removed renamed reverted unreleased updated aktualisiert behoben entfernt geändert hinzugefügt "
      "korrigiert unveröffentlicht verbessert veraltet ajouté ajoutée ajoutées ajoutés corrigé corrigée corrigées "
      "corrigés modifié modifiée modifiées modifiés obsolète supprimé supprimée supprimées supprimés ",
      folded);
}

bool is_empty_heading(std::string_view folded) { return has_phrase(empty_headings, folded) || is_aside(folded); }

bool is_aside(std::string_view folded) {
  // "Notices and Acknowledgements", "Contributing Changes"
  constexpr std::string_view telling =
      " acknowledgements acknowledgments changelog contributing contributors copyright danksagung licence license "
      "licensing remerciements ";
  const text::Words words(folded, 8);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (listed_in(telling, words.folded(i))) {
      return true;
    }
  }
  return has_phrase(no_matter, folded);
}

std::string worded(Language language, Wording wording, std::string_view text) {
  const std::string_view pattern = wordings[static_cast<std::size_t>(wording)].in[static_cast<std::size_t>(language)];
  const std::size_t hole = pattern.find(bare);
  std::string out(pattern.substr(0, hole));
  out += text;
  out += pattern.substr(hole + bare.size());
  return out;
}

}  // namespace plumb::extract
