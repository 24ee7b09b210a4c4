#include "core/workflow/sop.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/budget/risk.hpp"
#include "core/contract/check.hpp"
#include "core/extract/blocks.hpp"
#include "core/extract/chunks.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/positions.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/fold.hpp"
#include "core/text/suggest.hpp"
#include "core/workflow/contracts.hpp"

namespace plumb::workflow {

namespace {

using contract::FindingClass;
using contract::Severity;

constexpr std::size_t text_bytes_max = std::size_t{1} << 20U;
constexpr std::size_t summary_characters_max = 600;
constexpr std::size_t requirements_max = 100;
constexpr std::size_t lines_told_max = 50;  // of one check

constexpr std::string_view members[] = {"category", "applies_to",   "severity", "scope",
                                        "domain",   "requirements", "checks"};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !ascii::is_word(text[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || !ascii::is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// By the words of RFC 2119 in capitals, else by the same in small letters.
budget::Severity inferred(std::string_view text) {
  const std::string lower = text::fold(text, {.lowercase = true});
  struct Row {
    budget::Severity severity;
    std::string_view words[3];
  };
  constexpr Row rows[] = {{budget::Severity::error, {"MUST", "SHALL", "REQUIRED"}},
                          {budget::Severity::warning, {"SHOULD", "RECOMMENDED", "SHOULD"}},
                          {budget::Severity::info, {"MAY", "OPTIONAL", "MAY"}}};
  for (const Row& row : rows) {
    for (const std::string_view word : row.words) {
      if (has_word(text, word)) {
        return row.severity;
      }
    }
  }
  for (const Row& row : rows) {
    if (row.severity != budget::Severity::info && has_word(lower, text::fold(row.words[0], {.lowercase = true}))) {
      return row.severity;
    }
  }
  return budget::Severity::warning;
}

std::vector<std::string> text_or_list(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  if (value != nullptr && value->is(json::Kind::string)) {
    return {std::string(value->str())};
  }
  return json::texts_of(object, name);
}

class SopReader {
 public:
  SopReader(const SopFile& file, text::Encoding encoding) : file_(file), encoding_(encoding) {}

  SopReading run() {
    if (file_.text.size() > text_bytes_max) {
      add("limit", Severity::error, 1,
          "it has " + std::to_string(file_.text.size()) + " bytes; an SOP has at most 1 MB: cut it in several");
      return std::move(out_);
    }
    sop_.path = file_.path;
    sop_.slug = slug_of_file();
    sop_.id = "source.doc.sops." + sop_.slug;
    sop_.hash = json::sha256_hex(file_.front_matter + "\n" + file_.text);
    front_matter();
    body();
    if (std::none_of(out_.findings.begin(), out_.findings.end(),
                     [](const FileFinding& one) { return one.finding.severity == Severity::error; })) {
      out_.sop = std::move(sop_);
    }
    return std::move(out_);
  }

 private:
  void add(std::string_view rule, Severity severity, std::uint32_t line, std::string message) {
    out_.findings.push_back(
        in_file(file_.path, line, make_finding(rule, severity, FindingClass::inner, "", sop_.id, std::move(message))));
  }

  std::string slug_of_file() const {
    std::string_view name = base_name(file_.path);
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0) {
      name = name.substr(0, dot);
    }
    return slug_of(name);
  }

  std::uint32_t line_of(std::string_view member) const {
    json::Arena arena;
    const Result<json::Value> lines = json::parse(file_.lines, arena);
    return lines ? static_cast<std::uint32_t>(json::number_of(lines.value(), member, 1)) : 1;
  }

  void front_matter() {
    if (file_.front_matter.empty()) {
      return;
    }
    const contract::Verdict verdict = contract::check_text(workflow_contract("sop"), file_.front_matter);
    for (const contract::Finding& one : verdict.findings) {
      std::string_view member = std::string_view(one.at).substr(one.at.empty() ? 0 : 1);
      member = member.substr(0, member.find('/'));
      contract::Finding copy = one;
      copy.item = sop_.id;
      out_.findings.push_back(in_file(file_.path, line_of(member), std::move(copy)));
    }
    json::Arena arena;
    const Result<json::Value> read = json::parse(file_.front_matter, arena);
    if (!verdict.valid || !read) {
      return;
    }
    const json::Value& root = read.value();
    for (const json::Member& member : root.object()) {
      if (std::find(std::begin(members), std::end(members), member.key) == std::end(members)) {
        const auto near = text::nearest(member.key, members);
        add("unknown-member", Severity::warning, line_of(member.key),
            "'" + json::excerpt(member.key, 60) + "' says nothing here" +
                (near ? "; did you mean '" + std::string(members[*near]) + "'?" : ""));
      }
    }
    if (root.find("category") != nullptr) {
      sop_.category = json::text_of(root, "category");
    }
    sop_.applies_to = text_or_list(root, "applies_to");
    sop_.domain = text_or_list(root, "domain");
    sop_.requirements = json::texts_of(root, "requirements");
    const std::string_view scope = json::text_of(root, "scope");
    sop_.scope = scope == "plan" ? SopScope::plan : scope == "code" ? SopScope::code : SopScope::all;
    for (std::size_t i = 0; i < std::size(budget::severity_names); ++i) {
      if (json::text_of(root, "severity") == budget::severity_names[i]) {
        sop_.severity = static_cast<budget::Severity>(i);
        severity_said_ = true;
      }
    }
    for (const json::Value& check : json::list_of(root, "checks")) {
      const bool forbidden = check.find("forbidden") != nullptr;
      const std::string_view source = json::text_of(check, forbidden ? "forbidden" : "required");
      Result<text::Pattern> pattern = text::Pattern::compile(source);
      if (!pattern) {
        add("pattern", Severity::error, line_of("checks"),
            "the pattern '" + json::excerpt(source, 60) + "' cannot be used: " + pattern.error().message);
        continue;
      }
      sop_.checks.push_back({forbidden, std::string(source), std::move(pattern).value(), text_or_list(check, "files"),
                             std::string(json::text_of(check, "message"))});
    }
  }

  void body() {
    const std::string_view text = file_.text;
    std::string prose;
    unsigned within = 0;  // the level of a heading "Requirements", while below it
    const bool wanted = sop_.requirements.empty();
    for (const extract::Block& block : extract::blocks(text)) {
      const std::string plain = extract::plain_text(extract::piece(text, block.content)).text;
      switch (block.kind) {
        case extract::BlockKind::heading:
          if (sop_.title.empty()) {
            sop_.title = plain;
          }
          within = within != 0 && block.level > within ? within : 0;
          if (text::fold(plain, {.trim = true, .lowercase = true}) == "requirements") {
            within = block.level;
          }
          break;
        case extract::BlockKind::paragraph:
          if (sop_.summary.empty()) {
            sop_.summary = json::excerpt(plain, summary_characters_max);
          }
          break;
        case extract::BlockKind::item:
          if (within != 0 && wanted && sop_.requirements.size() < requirements_max) {
            sop_.requirements.push_back(plain);
          }
          break;
        default:
          break;
      }
      if (block.kind != extract::BlockKind::other) {
        prose += plain + "\n";
      }
    }
    if (sop_.title.empty()) {
      sop_.title = sop_.slug;
    }
    if (!severity_said_) {
      std::string all = prose;
      for (const std::string& one : sop_.requirements) {
        all += one + "\n";
      }
      sop_.severity = inferred(all);
      sop_.severity_inferred = true;
    }
    extract::ChunkBounds bounds;
    bounds.usual = 1'000;
    bounds.paragraph_max = 1'400;
    bounds.code_max = text_bytes_max;  // code is never cut
    bounds.min = 200;
    bounds.max = 1'500;
    bounds.size = [this](std::string_view piece) {
      return static_cast<std::size_t>(text::estimate_tokens(piece, encoding_).likely);
    };
    const Result<std::vector<extract::Chunk>> chunks = extract::chunks(text, bounds);
    if (!chunks) {
      add("text", Severity::error, file_.line, chunks.error().message);
      return;
    }
    for (const extract::Chunk& one : chunks.value()) {
      SopChunk chunk;
      for (const std::string& heading : one.headings) {
        chunk.section += (chunk.section.empty() ? "" : " > ") + heading;
      }
      chunk.text = one.text;
      chunk.tokens = text::estimate_tokens(one.text, encoding_).safe;
      sop_.chunks.push_back(std::move(chunk));
    }
    sop_.parent_tokens = text::estimate_tokens(sop_.parent_text(), encoding_).safe;
  }

  const SopFile& file_;
  text::Encoding encoding_;
  Sop sop_;
  bool severity_said_ = false;
  SopReading out_;
};

bool check_applies(const Sop& sop, const SopCheck& check, std::string_view path) {
  if (check.files.empty()) {
    return applies(sop, path);
  }
  return std::any_of(check.files.begin(), check.files.end(), [&](const std::string& glob) {
    return budget::path_fits(glob, path) || budget::path_fits(glob, base_name(path));
  });
}

contract::Severity weight(budget::Severity severity) {
  return severity == budget::Severity::error     ? Severity::error
         : severity == budget::Severity::warning ? Severity::warning
                                                 : Severity::info;
}

class EntityWriter {
 public:
  explicit EntityWriter(std::string& out) : json_(out) { json_.begin_array(); }
  ~EntityWriter() { json_.end_array(); }

  void begin(std::string_view id) { json_.begin_object().member("id", id).key("triples").begin_array(); }
  void triple(std::string_view predicate, std::string_view object) {
    json_.begin_object().member("predicate", predicate).member("object", object).end_object();
  }
  void triple(std::string_view predicate, std::uint64_t object) {
    json_.begin_object().member("predicate", predicate).member_uint("object", object).end_object();
  }
  void end() { json_.end_array().end_object(); }

 private:
  json::Writer json_;
};

}  // namespace

std::string Sop::parent_text() const {
  std::string out = "### " + title + " (" + id + ", " + std::string(budget::severity_name(severity)) + ")\n";
  if (!summary.empty()) {
    out += summary + "\n";
  }
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    out += std::to_string(i + 1) + ". " + requirements[i] + "\n";
  }
  return out;
}

std::span<const json::Field> SopFile::fields() {
  static constexpr json::Field table[] = {json::field<&SopFile::path>("path"), json::field<&SopFile::text>("text"),
                                          json::field<&SopFile::front_matter>("front_matter"),
                                          json::field<&SopFile::line>("line"), json::field<&SopFile::lines>("lines")};
  return table;
}

SopReading read_sop(const SopFile& file, text::Encoding encoding) { return SopReader(file, encoding).run(); }

SopLibrary read_sops(std::span<const SopFile> files, text::Encoding encoding) {
  SopLibrary out;
  for (const SopFile& file : files) {
    if (out.sops.size() == sops_max) {
      out.findings.push_back(in_file(file.path, 0,
                                     make_finding("limit", Severity::error, FindingClass::count, "", "",
                                                  "there are more than " + std::to_string(sops_max) +
                                                      " SOPs; this one and all behind it are not read")));
      break;
    }
    SopReading read = read_sop(file, encoding);
    for (FileFinding& one : read.findings) {
      out.findings.push_back(std::move(one));
    }
    if (read.sop) {
      out.sops.push_back(std::move(*read.sop));
    }
  }
  stable_sort(out.sops, [](const Sop& a, const Sop& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < out.sops.size();) {
    if (out.sops[i].id != out.sops[i - 1].id) {
      ++i;
      continue;
    }
    out.findings.push_back(
        in_file(out.sops[i].path, 0,
                make_finding("distinct", Severity::error, FindingClass::inner, "", out.sops[i].id,
                             "it has the name of " + out.sops[i - 1].path + ": both would be " + out.sops[i].id)));
    out.sops.erase(out.sops.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return out;
}

bool applies(const Sop& sop, std::string_view path) {
  const bool declared = path.find_first_of("*?") != std::string_view::npos || (!path.empty() && path.back() == '/');
  return sop.applies_to.empty() ||
         std::any_of(sop.applies_to.begin(), sop.applies_to.end(), [&](const std::string& glob) {
           if (declared) {  // what a task says that it will touch
             return may_overlap(glob.find('/') == std::string::npos ? "**/" + glob : glob, path);
           }
           return budget::path_fits(glob, path) || budget::path_fits(glob, base_name(path));
         });
}

std::vector<const Sop*> sops_for(std::span<const Sop> sops, std::span<const std::string> paths, SopScope scope) {
  std::vector<const Sop*> out;
  for (const Sop& sop : sops) {
    const bool held = sop.scope == SopScope::all || scope == SopScope::all || sop.scope == scope;
    const bool any = scope == SopScope::plan && sop.applies_to.empty();
    if (held &&
        (any || std::any_of(paths.begin(), paths.end(), [&](const std::string& one) { return applies(sop, one); }))) {
      out.push_back(&sop);
    }
  }
  stable_sort(out, [](const Sop* a, const Sop* b) {
    return a->severity != b->severity ? a->severity < b->severity : a->id < b->id;
  });
  return out;
}

std::vector<FileFinding> sops_without_files(std::span<const Sop> sops, std::span<const std::string> repository_paths) {
  std::vector<FileFinding> out;
  for (const Sop& sop : sops) {
    if (std::none_of(repository_paths.begin(), repository_paths.end(),
                     [&](const std::string& one) { return applies(sop, one); })) {
      out.push_back(in_file(sop.path, 0,
                            make_finding("applies-to", Severity::warning, FindingClass::reference, "", sop.id,
                                         "its applies_to (" + some_of(sop.applies_to) +
                                             ") fits no file of the repository: nothing is held against it")));
    }
  }
  return out;
}

std::vector<FileFinding> check_patterns(const Sop& sop, const Changes& changes) {
  std::vector<FileFinding> out;
  for (const SopCheck& check : sop.checks) {
    text::Matcher matcher(check.pattern);
    std::size_t told = 0;
    const auto add = [&](const Change& change, std::uint32_t line, std::string message) {
      if (++told == lines_told_max + 1) {
        message = "more lines break it; only the first " + std::to_string(lines_told_max) + " are told";
      } else if (told > lines_told_max) {
        return;
      }
      out.push_back(
          in_file(change.path, line,
                  make_finding("sop-check", weight(sop.severity), FindingClass::meaning, "", sop.id,
                               sop.id + ": " + (check.message.empty() ? "" : check.message + ": ") + message)));
    };
    for (const Change& change : changes.files) {
      if (change.kind == ChangeKind::removed || change.binary || !check_applies(sop, check, change.path)) {
        continue;
      }
      if (change.listed) {
        out.push_back(in_file(change.path, 0,
                              make_finding("limit", Severity::warning, FindingClass::inner, "", sop.id,
                                           "the patch was cut before it: its lines are not checked")));
        continue;
      }
      std::uint32_t first = 0;
      bool any = false;
      for (const Hunk& hunk : change.hunks) {
        for (const DiffLine& line : hunk.lines) {
          if (line.sign != '+') {
            continue;
          }
          first = first == 0 ? line.line : first;
          const bool found = matcher.search(line.text);
          any = any || found;
          if (found && check.forbidden) {
            add(change, line.line,
                "an added line has what is forbidden, '" + json::excerpt(check.source, 60) +
                    "': " + json::excerpt(text::trim(line.text), 100));
          }
        }
      }
      if (!check.forbidden && first != 0 && !any) {
        add(change, first, "no added line has what is required, '" + json::excerpt(check.source, 60) + "'");
      }
    }
  }
  return out;
}

std::string sop_entities(std::span<const Sop> sops, std::string_view prefix) {
  std::string out;
  {
    EntityWriter entities(out);
    // What ends with the folder of all SOPs asks for parents; a parent's own id for it and its chunks.
    const auto fits = [prefix](std::string_view id) { return id.starts_with(prefix); };
    for (const Sop& sop : sops) {
      const bool whole = prefix.empty() || prefix == sop.id || prefix.substr(0, sop.id.size() + 1) == sop.id + ".";
      if (fits(sop.id)) {
        entities.begin(sop.id);
        entities.triple("source.doc.category", sop.category);
        if (sop.applies_to.empty()) {
          entities.triple("source.doc.applies_to", "**");
        }
        for (const std::string& glob : sop.applies_to) {
          entities.triple("source.doc.applies_to", glob);
        }
        entities.triple("source.doc.severity", budget::severity_name(sop.severity));
        entities.triple("source.doc.summary", sop.summary);
        for (const std::string& one : sop.requirements) {
          entities.triple("source.doc.requirements", one);
        }
        entities.triple("source.doc.chunk_count", sop.chunks.size());
        entities.triple("source.doc.file_path", sop.path);
        entities.triple("source.doc.file_hash", sop.hash);
        entities.end();
      }
      for (std::size_t i = 0; i < sop.chunks.size() && whole; ++i) {
        const std::string id = sop.id + ".chunk." + std::to_string(i + 1);
        if (!fits(id)) {
          continue;
        }
        entities.begin(id);
        entities.triple("code.structure.belongs", sop.id);
        entities.triple("source.doc.chunk_index", i + 1);
        entities.triple("source.doc.section", sop.chunks[i].section);
        entities.triple("source.doc.content", sop.chunks[i].text);
        entities.end();
      }
    }
  }
  return out;
}

}  // namespace plumb::workflow
