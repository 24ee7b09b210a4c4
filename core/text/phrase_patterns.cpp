#include "core/text/phrase_patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/require.hpp"
#include "core/text/unicode.hpp"
#include "core/text/utf8.hpp"

namespace plumb::text {
namespace {

// A line is a pattern.
constexpr std::string_view vague_patterns =
    "more|further|additional|general|basic|background|relevant|useful|interesting|important|other|extra "
    "information|info|infos|details|insights|facts|knowledge|resources\n"
    "some|any|interesting|useful facts|info|insights|background|ideas|inspiration|tips|things|points\n"
    "bit|little more about|on\n"
    "tell|know|learn|read|find|say|said|discover|understand us|me|out? more\n"
    "more can|could|to be? said|say|tell\n"
    "what else is|can|could|do|should\n"
    "there is to know\n"
    "there to know\n"
    "one should|must|ought know about\n"
    "should|must one|i|we know about\n"
    "anything|something|everything|things about|on|interesting|relevant|useful|else|regarding|related|concerning\n"
    "^ find|do|make some|a? bit? of? research|reading about|on|into\n"
    "^ research|study|examine|investigate|explain|describe the? topic|subject|theme|field|area|issue of?\n"
    "^ i|we? need? help with|me\n"
    "^ study|understand|learn|research everything|anything\n"
    "topic|subject|theme|field _? _? _? in general|depth|detail\n"
    "etc|usw|itd|osv|ecc\n"
    "mehr über|zu|zum|zur|erfahren|lernen|wissen|infos|informationen|details\n"
    "info|infos|information|informationen|details|wissenswertes|allgemeines|näheres|hintergründe über|zu|zum|zur\n"
    "hilfreiche|nützliche|interessante|allgemeine|weitere|relevante informationen|infos|details|fakten|dinge\n"
    "überblick über|zu|verschaffen|bekommen|geben|gewinnen\n"
    "alles|etwas|irgendwas|einiges über|zu|zum|zur\n"
    "und so weiter|fort\n"
    "über|mich _? _? _? _? schlau|informieren|schlaumachen\n"
    "en savoir|apprendre|connaître|lire plus|davantage\n"
    "apprendre|savoir|lire|découvrir plus|davantage\n"
    "plus de|d information|informations|infos|détails|renseignements\n"
    "information|informations|renseignements|infos utiles|générales|sur\n"
    "tout savoir|connaître|apprendre sur?\n"
    "aperçu|vue|idée du|de|d|des|générale ensemble?\n"
    "et ainsi de suite\n"
    "más|algo|todo|saber|aprender información|detalles|datos|más|sobre|acerca\n"
    "información|datos general|generales|útil|útiles|sobre|acerca|relevante|interesante\n"
    "visión|idea general\n"
    "saperne|sapere|scoprire|imparare|conoscere di? più\n"
    "maggiori|ulteriori|più informazioni|dettagli|info\n"
    "informazioni|notizie su|sul|sulla|sui|sull|sullo|sugli|sulle|generali|utili\n"
    "tutto su|sul|sulla|sui|sull\n"
    "e così via\n"
    "mais|algo|tudo|saber|aprender informações|detalhes|dados|mais|sobre\n"
    "informações|dados gerais|sobre|úteis\n"
    "visão geral\n"
    "meer te? informatie|over|weten|details|leren\n"
    "informatie|info|alles|iets over\n"
    "enzovoort|enz\n"
    "więcej o|na|informacji|wiedzieć\n"
    "informacje|wszystko|coś o|na\n"
    "i tak dalej\n"
    "lepiej poznać|zrozumieć\n"
    "poznać|zrozumieć lepiej\n"
    "hakkında daha|bilgi|her\n"
    "больше о|об|обо|про|информации|узнать\n"
    "узнать|рассказать|прочитать|почитать больше|подробнее|побольше\n"
    "подробнее|подробности|информация|информацию|всё|все|что-нибудь о|об|обо|про\n"
    "и так далее\n"
    "и тому подобное\n"
    "изучить тему|вопрос|область|предмет|мир\n"
    "المزيد|معلومات|كل|شيء عن|حول|المعلومات|عامة|شيء\n"
    "बारे में अधिक|और|जानकारी|जानना|जानें|सब\n"
    "대해|대한|관한|관해 더|추가|정보|알아보*|알고|공부*|조사*|모든\n"
    "더 알려*|알고|알아보*|자세히\n"
    "추가|일반적인|유용한 정보\n";

constexpr std::string_view exploratory_patterns =
    "get|gain|have|give|provide|present|obtain us|me? a|an|some|the? general|broad|brief|quick|rough|good|better|"
    "high-level? overview|sense|feel|feeling|picture|idea|insight|insights|understanding|grasp\n"
    "overview of|on|over\n"
    "^ learn|read|study|find|discover|understand out|up? more|about|on|something|anything|things\n"
    "want|like|love|wish|need|trying|going to learn|explore|understand|discover about|more|something|how|better?\n"
    "want|like|love|wish|need to know more|about|something|everything\n"
    "deep|deeper dive|dives\n"
    "dive|dig|delve|look deeper|deeply|into|around\n"
    "explore|explores|exploring|delve|delving|brainstorm|brainstorming\n"
    "map|survey|scan|understand|explore the? landscape|space|field|market\n"
    "landscape|world|realm|universe of\n"
    "what|whatever is|s out there|around?\n"
    "see|look what|around can|is|there|various|different|for|our? be|to|is|ideas|aspects? found|know?\n"
    "look at various|different|for|our? ideas|aspects?\n"
    "better understand|understanding\n"
    "understand _? better\n"
    "understand _ _ better\n"
    "different|various|several|many|all|other aspects|facets|topics|ways|angles|things|perspectives\n"
    "familiarise|familiarize|acquaint me|us|myself|ourselves|yourself? with\n"
    "get familiar|acquainted|started with\n"
    "erkunde*|erforsche*|stöbern\n"
    "thema|bereich|gebiet erkunden|erforschen|kennenlernen|untersuchen|vertiefen\n"
    "tiefer eintauchen|einsteigen\n"
    "^ explorer|explorez|explorons\n"
    "explorar|explora|exploremos|indagar\n"
    "esplorare|esplora|approfondire\n"
    "verkennen|verken\n"
    "odkryć|odkrywać|eksplorować\n"
    "keşfet*\n"
    "исследовать мир|тему|область|рынок|возможности\n"
    "исследуй*\n"
    "استكشاف|استكشف|اكتشاف\n"
    "탐구*|탐색*|탐험*\n";

// What only taste or counsel can answer.
constexpr std::string_view opinion_patterns =
    "^ should we|i|you|one|people|he|she|they\n"
    "^ should _ _? _? join|leave|ban|become|buy|sell|invest|enter|be|have|start|stop|use|switch|move\n"
    "should i|we\n"
    "do|did|would|what you|people think|believe|feel|like|recommend|prefer|suggest\n"
    "in|from your|my|our opinion|view\n"
    "worth it|doing|buying|visiting|trying\n"
    "good|bad|great|terrible idea|name|slogan|thing|choice\n"
    "is|are|was it|this|that|_|_ _? good|bad|nice|right|wrong\n"
    "is|it better|worse|nicer|smarter|wiser to|than\n"
    "is|are|was|were _ _? _? better|nicer|worse|cooler than\n"
    "beautiful|nice|nicer|nicest|ugly|coolest|cooler|prettiest|favorite|favourite|happy|fun|funny|boring\n"
    "most|more interesting|exciting|important|impressive|fascinating|inspiring|attractive\n"
    "the|a best _? _? to|for|in|of|city|language|way|place|phone|car\n"
    "what|which|who is|are|s the best\n"
    "sollte|sollten|soll|sollen wir|ich|man|österreich|deutschland|die|der\n"
    "lohnt es|sich sich?\n"
    "deiner|eurer|ihrer meinung|ansicht\n"
    "faut il\n"
    "devrions|devrait|dois nous|on|je\n"
    "selon|à toi|vous|votre avis?\n"
    "deberíamos|debería|conviene\n"
    "vale la pena\n"
    "dovremmo|conviene|dovrei\n";

// What no reader could hold an answer against.
constexpr std::string_view vibe_patterns =
    "good|great|excellent|nice|nicely|useful|helpful|interesting|engaging|comprehensive|thorough|valuable|solid|deep|"
    "insightful|meaningful|professional|convincing|satisfying|satisfied|satisfactory|impressive|adequate|appropriate|"
    "readable|understandable|credible|reliable|trustworthy|high-quality|quality|polished|compelling\n"
    "high|good|better quality|understanding|overview\n"
    "in|great|sufficient|enough|more|full depth|detail|details|information\n"
    "is|are|reads|looks|sounds|feels|seems|and|very|as|well clear|complete|accurate|easy|fine|right|correct|deep|"
    "professional|researched|written|relevant\n"
    "^ clear|complete|easy|deep|in-depth|detailed|relevant|accurate\n"
    "as _ as possible\n"
    "easy to read|understand|follow|use\n"
    "user|users|customer|client|reader|readers|team|everyone is|are|feels|likes|loves happy|satisfied|it|?\n"
    "customer|client|reader|user likes|loves|enjoys\n"
    "is|are|be happy|glad|pleased\n"
    "covers|treats|handles|explains|describes _ _? _? well|properly|fully|thoroughly|completely\n"
    "everything|all|the|most relevant|important|interesting|key aspects|points|things|topics|is|information|facts?\n"
    "helps|help to|us|me|the|understand|with|decide\n"
    "make|makes|making sense|decisions|it better\n"
    "gut|gute|guten|guter|gutes|hilfreich*|nützlich*|interessant*|ausführlich*|verständlich*|hochwertig*|umfassend*\n"
    "bon|bonne|bons|bonnes|utile|utiles|complète|complet|claire|clair|intéressant*|pertinent*\n"
    "buena|bueno|buenos|buenas|útil|útiles|completa|completo|clara|claro|interesante*\n"
    "buono|buona|utile|utili|completo|completa|chiaro|interessante*\n"
    "bom|boa|útil|úteis|interessante*\n"
    "goed|goede|nuttig*|duidelijk*\n"
    "хорош*|полезн*|интересн*|качественн*\n";

// What an answer can be held against.
constexpr std::string_view evidence_patterns =
    "source|sources|citation|citations|cited|cites|cite|citing|reference|references|link|links|url|urls|quote|quotes|"
    "quoted|wording|verbatim\n"
    "number|numbers|figure|figures|count|counts|amount|amounts|total|totals|sum|price|prices|cost|costs|fee|fees|rent|"
    "salary|salaries|revenue|sales|budget|tax|rate|rates|share|shares|percentage|percentages|percent|ratio|median|"
    "mean|average|margin|score|weight|height|length|width|size|capacity|capacities|range|speed|distance|duration|"
    "payload|temperature|density|volume|currency|euros|dollars|unit|units|interval|effect\n"
    "date|dates|dated|year|years|month|months|quarter|deadline|version|day|days\n"
    "name|names|named|naming|list|lists|listed|listing|table|row|rows|chart|ranking|steps|headquarters|address\n"
    "study|studies|report|survey|census|statistic|statistics|data|dataset|trial|paper|article|law|regulation|"
    "judgment|contract|document|documents|office|filing|manufacturer|maker\n"
    "states|says|shows|tells|stating|saying whether|which|who|when|how\n"
    "yes or no\n"
    "quelle|quellen|zahl|zahlen|anzahl|datum|preis|preise|kosten|höhe|frist|fristen|betrag|studie|studien|anteil|"
    "prozent|liste|tabelle|beleg|belege|gesetz\n"
    "chiffre|chiffres|prix|montant|pourcentage|officielles|citées|liste|étude|études|tableau|loi\n"
    "fuente|fuentes|cifra|cifras|porcentaje|precio|fecha|enlace|informe|ley|tabla\n"
    "fonte|fonti|prezzo|percentuale|elenco|fontes|preço|porcentagem|percentagem|número|números\n"
    "bron|bronnen|prijs|bedrag|lijst|aantal\n"
    "źródło|źródła|źródeł|liczba|cena|источник*|цифр*|дата|цена|процент*\n";

// Words that point at something. Where nothing was named before them, the reader has to guess.
constexpr std::string_view unanchored_patterns =
    "the|this|that|these|those|said|such company|firm|product|study|report|paper|decision|policy|law|system|project|"
    "topic|issue|event|country|city|person|author|authors|model|method|approach|figures|numbers|results "
    "mentioned|above?"
    "\n"
    "mentioned|described|discussed|listed above|earlier|before|previously\n"
    "aforementioned|abovementioned\n"
    "does|did|would|could that mean|imply|change|affect|cause|require|matter\n"
    "reason|reasons|cause|explanation|evidence for|of that\n"
    "previous|former|latter|last|above|first|other one|ones|question|answer|result|results|query|study|report\n";

// Pieces of text of the scripts without spaces.
constexpr std::string_view vague_pieces =
    "更多关于\n更多信息\n更多资料\n更多的信息\n了解更多\n了解一下\n全面了解\n想了解\n等等\n相关信息\n一般信息\n的更多\n"
    "有关信息\n"
    "についてもっと\nもっと知りたい\nもっと学びたい\nもっと詳しく\n詳しく知りたい\nについて詳しく\nいろいろ調べ\n色々調"
    "べ\n"
    "いろいろ知りたい\n色々知りたい\nについて知りたい\nについて学びたい\nなどを調べ\nについての情報\n更多資訊\n了解更多"
    "資訊\n"
    "ข้อมูลเพิ่มเติม\nเรียนรู้เกี่ยวกับ\nข้อมูลทั่วไป\nอยากรู้เกี่ยวกับ\nเพิ่มเติมเกี่ยวกับ\n";
constexpr std::string_view exploratory_pieces = "探索\n探究\n研究一下\n概述\n概要を知\n深入了解\nを探求\nสำรวจ\n";
constexpr std::string_view opinion_pieces =
    "应该不应该\n该不该\n你觉得\n你认为\nと思いますか\nべきですか\nべきでしょうか\n最好的是\n";
constexpr std::string_view evidence_pieces =
    "出典\n金額\n台数\n日付\n施行日\n割合\n価格\n来源\n数据\n官方\n数字\n日期\n金额\n出口额\n";
constexpr std::string_view vibe_pieces =
    "良い\nいい回答\n役に立つ\n役立つ\n分かりやすい\nわかりやすい\n充実した\n有用\n全面\n很好\n高质量\n详细\n优质\n有趣"
    "\n";

// Sorted.
constexpr std::string_view far_list[] = {
    "att", "bir",  "bu",   "by\xC4\x87", "co",           "cu",        "czy",        "det",          "din",
    "do",  "dla",  "en",   "er",         "est",          "ett",       "f\xC3\xB6r", "fra",          "h\xC3\xA1ny",
    "har", "hogy", "hur",  "hva",        "hvor",         "i",         "ile",        "in",           "ja",
    "jak", "je",   "jest", "ka\xC3\xA7", "ki",           "kolik",     "konu",       "kt\xC3\xB3re", "kt\xC3\xB3ry",
    "la",  "med",  "mi",   "mit",        "mitk\xC3\xA4", "na",        "ne",         "nie",          "och",
    "od",  "og",   "on",   "p\xC3\xA5",  "pentru",       "po",        "przez",      "roku",         "s\xC4\x85",
    "se",  "si",   "som",  "til",        "ve",           "v\xC3\xA1",
};

constexpr std::size_t hits_max = 1000;

std::string_view patterns_of(PhraseList list) {
  switch (list) {
    case PhraseList::vague:
      return vague_patterns;
    case PhraseList::exploratory:
      return exploratory_patterns;
    case PhraseList::opinion:
      return opinion_patterns;
    case PhraseList::vibe:
      return vibe_patterns;
    case PhraseList::unanchored:
      return unanchored_patterns;
    default:
      return {};
  }
}

std::string_view pieces_of(PhraseList list) {
  switch (list) {
    case PhraseList::vague:
      return vague_pieces;
    case PhraseList::exploratory:
      return exploratory_pieces;
    case PhraseList::opinion:
      return opinion_pieces;
    case PhraseList::vibe:
      return vibe_pieces;
    default:
      return {};
  }
}

// Takes the part before `sign` off the front of `text`.
std::string_view take(std::string_view& text, char sign) {
  std::size_t at = 0;
  if (sign == '|') {
    while (at < text.size() && text[at] != sign) {
      ++at;  // alternatives are short: by hand is faster
    }
  } else {
    at = std::min(text.find(sign), text.size());
  }
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

bool is_joint(std::string_view gap) {
  for (std::size_t at = 0; at < gap.size();) {
    const Decoded c = decode(gap.data() + at, gap.data() + gap.size());
    if (!is_white_space(c.code_point) && c.code_point != '-' && c.code_point != '\'' && c.code_point != 0x2019 &&
        !(c.code_point >= 0x2010 && c.code_point <= 0x2012)) {
      return false;
    }
    at += c.size;
  }
  return true;
}

bool one_matches(std::string_view alternatives, std::string_view word) {
  while (!alternatives.empty()) {
    const std::string_view one = take(alternatives, '|');
    if (one.empty() || (one[0] != word[0] && one[0] != '_')) {
      continue;
    }
    if (one == "_" || one == word ||
        (one.back() == '*' && word.substr(0, one.size() - 1) == one.substr(0, one.size() - 1))) {
      return true;
    }
  }
  return false;
}

// The words that the pattern takes from word `i` on; no_match where it does not match there.
constexpr std::size_t no_match = static_cast<std::size_t>(-1);
std::size_t match_at(const Words& words, std::size_t i, std::size_t first, std::string_view pattern) {
  if (pattern.empty()) {
    return i - first;
  }
  std::string_view rest = pattern;
  std::string_view part = take(rest, ' ');
  const bool optional = part.back() == '?';
  if (optional) {
    part.remove_suffix(1);
  }
  if (i < words.size() && !words.folded(i).empty() && (i == first || is_joint(words.gap(i - 1))) &&
      one_matches(part, words.folded(i))) {
    const std::size_t taken = match_at(words, i + 1, first, rest);
    if (taken != no_match) {
      return taken;
    }
  }
  return optional ? match_at(words, i, first, rest) : no_match;
}

struct Line {
  std::string_view pattern;
  bool anchored = false;
};

// Words that a pattern may begin with are told apart by their first two bytes.
std::size_t beginning_of(std::string_view word) {
  const unsigned first = static_cast<unsigned char>(word[0]);
  const unsigned second = word.size() > 1 ? static_cast<unsigned char>(word[1]) : 0U;
  return (first * 37U + second) & 0xFFU;
}

// The lines of a table, and for each beginning which of them may begin with a word that begins so.
struct Lines {
  static constexpr std::size_t lines_max = 384;
  static constexpr std::size_t sets = lines_max / 64;
  std::vector<Line> all;
  std::array<std::array<std::uint64_t, sets>, 256> by_beginning = {};

  void note(std::size_t beginning, std::size_t line) {
    by_beginning[beginning][line >> 6U] |= std::uint64_t{1} << (line & 63U);
  }
};

// Up to the first word that must be there, each may be the one that a match begins with.
void note_beginnings(std::string_view pattern, std::size_t line, Lines& lines) {
  for (bool optional = true; optional && !pattern.empty();) {
    std::string_view part = take(pattern, ' ');
    optional = part.back() == '?';
    while (!part.empty()) {
      const std::string_view one = take(part, '|');
      if (one == "_") {
        for (std::size_t beginning = 0; beginning < 256; ++beginning) {
          lines.note(beginning, line);
        }
      } else if (!one.empty()) {
        lines.note(beginning_of(one), line);  // what ends in * has two letters before it
      }
    }
  }
}

// A line that is but a choice of single words is taken as a line for each: a word is then compared with few.
Lines lines_of(std::string_view table) {
  Lines lines;
  while (!table.empty()) {
    Line line;
    std::string_view pattern = take(table, '\n');
    if (pattern.starts_with("^ ")) {
      line.anchored = true;
      pattern.remove_prefix(2);
    }
    const bool single = pattern.find(' ') == std::string_view::npos;
    while (!pattern.empty()) {
      line.pattern = single ? take(pattern, '|') : pattern;
      pattern = single ? pattern : std::string_view();
      PLUMB_REQUIRE(lines.all.size() < Lines::lines_max, "a table of patterns is short");
      note_beginnings(line.pattern, lines.all.size(), lines);
      lines.all.push_back(line);
    }
  }
  return lines;
}

bool begins_sentence(const Words& words, std::size_t i) {
  return i == 0 || words.gap(i - 1).find_first_of(".!?:;\n") != std::string_view::npos;
}

void find_pieces(std::string_view text, std::string_view pieces, std::vector<PhraseHit>& hits) {
  while (!pieces.empty()) {
    const std::string_view piece = take(pieces, '\n');
    for (std::size_t at = text.find(piece); at != std::string_view::npos && hits.size() < hits_max;
         at = text.find(piece, at + piece.size())) {
      hits.push_back({{at, at + piece.size()}, piece});
    }
  }
}

}  // namespace

namespace {

std::vector<PhraseHit> find_in(const Words& words, std::string_view patterns, std::string_view pieces) {
  const std::string_view text = words.text();
  std::vector<PhraseHit> hits;
  bool ascii = true;
  for (const char c : text) {
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  }
  if (!ascii) {
    find_pieces(text, pieces, hits);
  }
  const Lines lines = lines_of(patterns);
  for (std::size_t i = 0; i < words.size() && hits.size() < hits_max && !lines.all.empty();) {
    const std::string_view word = words.folded(i);
    std::size_t longest = 0;
    std::string_view pattern;
    for (std::size_t set = 0; set < Lines::sets && !word.empty(); ++set) {
      for (std::uint64_t left = lines.by_beginning[beginning_of(word)][set]; left != 0; left &= left - 1) {
        const Line& line = lines.all[set * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (line.anchored && !begins_sentence(words, i)) {
          continue;
        }
        const std::size_t taken = match_at(words, i, i, line.pattern);
        if (taken != no_match && taken > longest) {
          longest = taken;
          pattern = line.pattern;
        }
      }
    }
    if (longest > 0) {
      hits.push_back({{words.span(i).from, words.span(i + longest - 1).to}, pattern});
    }
    i += std::max<std::size_t>(longest, 1);
  }
  return hits;
}

}  // namespace

std::vector<PhraseHit> find_patterns(const Words& words, PhraseList list) {
  return find_in(words, patterns_of(list), pieces_of(list));
}

std::vector<PhraseHit> find_evidence(std::string_view text) {
  return find_in(Words(text), evidence_patterns, evidence_pieces);
}

bool is_far_function_word(std::string_view folded) {
  return std::find(std::begin(far_list), std::end(far_list), folded) != std::end(far_list);
}

}  // namespace plumb::text
