#include <algorithm>
#include <string>

#include "core/budget/assembly.hpp"
#include "core/budget/operations.hpp"
#include "core/stable_sort.hpp"

namespace plumb::budget {

namespace {

// A chunk, a parent or an element, with its text where it has one.
struct Piece {
  Tokens tokens = 0;
  std::string_view text;
  bool is_text = false;
};

struct Chunk {
  std::uint64_t index = 0;
  Piece piece;
};

// An element as the request has it, beside what assemble() wants to know.
struct Given {
  std::string_view id;
  int severity = -1;
  std::vector<Piece> parent;  // summary and requirements
  std::vector<Chunk> chunks;
  Piece whole;
  std::vector<std::size_t> ends;  // of a file summary's lines, in bytes
};

Piece piece_of(const Amount& amount) { return {amount.tokens, amount.text, amount.is_text}; }

// `tokens` or `text`, one of them.
Piece read_piece(Fields& fields) {
  const Amount tokens = fields.amount("tokens");
  const Amount text = fields.amount("text");
  if (!fields.has("tokens") && !fields.has("text")) {
    fields.required("tokens", "how many it has, or its text");
  }
  Piece out = piece_of(tokens.given ? tokens : text);
  if (tokens.given && text.is_text) {
    out.text = text.text;  // a count that is known better than it can be estimated
    out.is_text = true;
  }
  return out;
}

std::vector<Chunk> read_chunks(Fields& fields) {
  std::vector<Chunk> out;
  const std::span<const json::Value> items = fields.list("chunks");
  const std::string at = fields.place("chunks");
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(at, i));
    one.required("chunk_index", "its place in the document");
    Chunk chunk;
    chunk.index = one.whole("chunk_index", tokens_max, 0);
    chunk.piece = read_piece(one);
    one.done();
    out.push_back(chunk);
  }
  stable_sort(out, [](const Chunk& a, const Chunk& b) { return a.index < b.index; });
  for (std::size_t i = 1; i < out.size(); ++i) {
    if (out[i].index == out[i - 1].index) {
      fields.request().find("duplicate", at, "two chunks have the chunk_index " + grouped(out[i].index));
      break;
    }
  }
  return out;
}

// `summary` and `requirements` (a text, a number, or a list of them), or both as one `parent`.
std::vector<Piece> read_parent(Fields& fields) {
  std::vector<Piece> out;
  for (const std::string_view key : {"parent", "summary", "requirements"}) {
    const json::Value* value = fields.take(key);
    if (value == nullptr) {
      continue;
    }
    if (!value->is(json::Kind::array)) {
      out.push_back(piece_of(read_amount(fields.request(), *value, fields.place(key))));
      continue;
    }
    for (std::size_t i = 0; i < value->array().size(); ++i) {
      out.push_back(piece_of(read_amount(fields.request(), value->array()[i], item_place(fields.place(key), i))));
    }
  }
  return out;
}

Source source_of(const Given& given) {
  Source out;
  out.severity = static_cast<Severity>(std::max(given.severity, 0));
  for (const Piece& one : given.parent) {
    out.parent += one.tokens;
  }
  for (const Chunk& one : given.chunks) {
    out.chunks.push_back(one.piece.tokens);
  }
  return out;
}

Given read_source(Fields& fields) {
  Given out;
  fields.required("id", "a name for it");
  out.id = fields.text("id").value_or("");
  fields.required("severity", "error, warning or info");
  out.severity = fields.choice("severity", severity_names);
  out.parent = read_parent(fields);
  out.chunks = read_chunks(fields);
  return out;
}

// A summary may end after any of its lines.
void find_cuts(const Request& request, Given& given, Element& element) {
  Tokens sum = 0;
  std::size_t from = 0;
  const std::string_view text = given.whole.text;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    sum += text::estimate_tokens(text.substr(from, end - from), request.encoding).safe;
    given.ends.push_back(end);
    element.cuts.push_back(sum);
    from = end;
  }
}

void write_shares(json::Writer& json, const Shares& shares) {
  json.member_uint("parents", shares.parents).member_uint("remaining", shares.remaining);
  json.key("shares").begin_object();
  for (std::size_t i = 0; i < 3; ++i) {
    json.key(severity_names[i]).begin_object().member_uint("share", shares.share[i]);
    json.member_uint("used", shares.used[i]).end_object();
  }
  json.end_object().member_uint("left", shares.left);
}

void write_chunks(json::Writer& json, const std::vector<Chunk>& chunks, std::uint32_t taken) {
  json.key("chunks_in").begin_array();
  for (std::uint32_t i = 0; i < taken; ++i) {
    json.uint(chunks[i].index);
  }
  json.end_array().key("chunks_out").begin_array();
  for (std::size_t i = taken; i < chunks.size(); ++i) {
    json.uint(chunks[i].index);
  }
  json.end_array();
}

std::string_view fit_name(AssemblyFit fit) {
  constexpr std::string_view names[] = {"fits", "trimmed", "too_large", "unknown"};
  return names[static_cast<std::size_t>(fit)];
}

std::string why_cut(const Element& element, const Given& given, const Placed& placed) {
  if (element.kind == ElementKind::sop) {
    return grouped(placed.chunks_taken) + " of " + grouped(given.chunks.size()) + " chunks fit the share of severity " +
           std::string(severity_name(element.source.severity)) + " and what others left";
  }
  if (element.kind == ElementKind::convention) {
    return "conventions are dropped first";
  }
  return placed.cut == Cut::dropped ? "file summaries are cut when all conventions are dropped; nothing is left for it"
                                    : "file summaries are trimmed when all conventions are dropped; it ends where the "
                                      "budget does";
}

void append_block(std::string& out, std::string_view text) {
  if (text.empty()) {
    return;
  }
  out += out.empty() ? "" : out.back() == '\n' ? "\n" : "\n\n";
  out += text;
}

// The context as one text, where every element that is in has one. Kinds are in the order of their importance.
bool context_text(const std::vector<Element>& elements, const std::vector<Given>& given, const Assembly& assembly,
                  std::string& out) {
  for (std::size_t kind = 0; kind < 4; ++kind) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Placed& placed = assembly.placed[i];
      if (static_cast<std::size_t>(elements[i].kind) != kind || placed.cut == Cut::dropped) {
        continue;
      }
      if (elements[i].kind != ElementKind::sop) {
        if (!given[i].whole.is_text || (placed.cut == Cut::trimmed && placed.cuts_taken == 0)) {
          return false;
        }
        append_block(out, placed.cut == Cut::whole
                              ? given[i].whole.text
                              : given[i].whole.text.substr(0, given[i].ends[placed.cuts_taken - 1]));
        continue;
      }
      std::vector<Piece> pieces = given[i].parent;
      for (std::uint32_t c = 0; c < placed.chunks_taken; ++c) {
        pieces.push_back(given[i].chunks[c].piece);
      }
      for (const Piece& piece : pieces) {
        if (!piece.is_text) {
          return false;
        }
        append_block(out, piece.text);
      }
    }
  }
  return true;
}

Layout read_layout(Fields& fields) {
  Layout out;
  out.window = read_profile(fields).context_window;
  const auto or_default = [&fields](std::string_view key, Tokens otherwise) {
    const Amount amount = fields.amount(key);
    return amount.given ? amount.tokens : otherwise;
  };
  out.system = or_default("system", out.system);
  out.working_memory = fields.whole("working_memory", tokens_max, out.working_memory);
  out.output = or_default("output", out.output);
  out.task_output = fields.amount("task_output").tokens;
  out.margin = fields.share("margin_percent").value_or(out.margin);
  return out;
}

void read_elements(Fields& fields, std::vector<Element>& elements, std::vector<Given>& given) {
  const std::span<const json::Value> items = fields.list("elements");
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("elements"), i));
    one.required("kind", "sop, decision, file_summary or convention");
    const int kind = one.choice("kind", element_kind_names);
    Element element;
    element.kind = static_cast<ElementKind>(std::max(kind, 0));
    Given what;
    if (kind == 0) {
      what = read_source(one);
      element.source = source_of(what);
      element.tokens = element.source.parent;
      for (const Tokens tokens : element.source.chunks) {
        element.tokens += tokens;
      }
    } else {
      one.required("id", "a name for it");
      what.id = one.text("id").value_or("");
      what.whole = read_piece(one);
      element.tokens = what.whole.tokens;
      if (element.kind == ElementKind::file_summary && what.whole.is_text) {
        find_cuts(fields.request(), what, element);
      }
    }
    one.done();
    elements.push_back(std::move(element));
    given.push_back(std::move(what));
  }
}

std::string assembly_reason(const Assembly& assembly, std::size_t cut) {
  switch (assembly.fit) {
    case AssemblyFit::fits:
      return "everything is in: " + grouped(assembly.used) + " of " + grouped(assembly.budget) + " tokens for context";
    case AssemblyFit::trimmed:
      return grouped(assembly.needed) + " tokens are wanted and " + grouped(assembly.budget) +
             " are there for context: " + grouped(cut) + (cut == 1 ? " element is cut" : " elements are cut");
    case AssemblyFit::too_large:
      return "what must be in (the parents of SOPs and the decisions) exceeds the " + grouped(assembly.budget) +
             " tokens for context by " + grouped(assembly.overrun) +
             ": take a larger window, or fewer SOPs and decisions";
    case AssemblyFit::unknown:
      break;
  }
  return "the window is not known, so nothing was cut";
}

}  // namespace

SeverityShares read_severity_shares(Fields& fields) {
  SeverityShares out = severity_shares_default;
  const json::Value* value = fields.take("severity_shares");
  if (value == nullptr) {
    return out;
  }
  Fields given(fields.request(), *value, fields.place("severity_shares"));
  Share sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = given.share(severity_names[i]).value_or(0);
    sum += out[i];
  }
  given.done();
  if (sum > share_whole) {
    fields.request().find("contradiction", given.at(), "the shares are more than 100 % together");
  }
  return out;
}

void answer_shares(Fields& fields, json::Writer& json) {
  fields.required("total", "the tokens to share out");
  const Tokens total = fields.whole("total", tokens_max, 0);
  fields.required("sources", "the documents, as a list of {id, severity, parent, chunks}");
  const SeverityShares severity_shares = read_severity_shares(fields);
  const std::span<const json::Value> items = fields.list("sources");
  std::vector<Given> given;
  std::vector<Source> sources;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Fields one(fields.request(), items[i], item_place(fields.place("sources"), i));
    given.push_back(read_source(one));
    sources.push_back(source_of(given.back()));
    one.done();
  }
  fields.done();
  if (!fields.request().valid()) {
    return;
  }
  const Shares shares = share_out(total, sources, severity_shares);
  json.member("fit", shares.too_large ? "too_large" : "fits");
  json.member("reason", shares.too_large
                            ? "the parents alone exceed the budget by " + grouped(shares.overrun) + " tokens"
                            : grouped(shares.remaining) + " tokens are left for chunks when every parent is in");
  json.member_uint("total", total).member_uint("overrun", shares.overrun);
  write_shares(json, shares);
  json.key("sources").begin_array();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    json.begin_object().member("id", given[i].id).member("severity", severity_name(sources[i].severity));
    json.member_uint("parent", sources[i].parent);
    write_chunks(json, given[i].chunks, shares.chunks_taken[i]);
    json.end_object();
  }
  json.end_array();
}

void answer_assemble(Fields& fields, json::Writer& json) {
  const Layout layout = read_layout(fields);
  std::optional<Tokens> budget = fields.whole("budget");
  const SeverityShares severity_shares = read_severity_shares(fields);
  fields.required("elements", "what is to go in, as a list of {id, kind, tokens or text, ...}");
  std::vector<Element> elements;
  std::vector<Given> given;
  read_elements(fields, elements, given);
  fields.done();
  if (!fields.request().valid()) {
    return;
  }
  const LayoutParts parts = layout_parts(layout);
  if (!budget && layout.window) {
    budget = parts.context;
  }
  const Assembly assembly = assemble(budget, elements, severity_shares);
  std::size_t cut = 0;
  for (const Placed& placed : assembly.placed) {
    cut += placed.cut == Cut::whole ? 0 : 1;
  }
  // What is reserved may be too much by itself, whatever there is for context.
  const Tokens reserved_overrun = layout.window ? parts.overrun : 0;
  if (reserved_overrun > 0) {
    json.member("fit", fit_name(AssemblyFit::too_large));
    json.member("reason",
                "what is reserved (system, task output, working memory, output and margin) exceeds the window by " +
                    grouped(reserved_overrun) + " tokens");
  } else {
    json.member("fit", fit_name(assembly.fit)).member("reason", assembly_reason(assembly, cut));
  }
  write_optional(json, "window", layout.window);
  json.key("parts").begin_array();
  const auto part = [&json](std::string_view name, Tokens tokens) {
    json.begin_object().member("name", name).member_uint("tokens", tokens).end_object();
  };
  part("system", layout.system);
  part("task_output", layout.task_output);
  part("context", assembly.used);
  part("working_memory", layout.working_memory);
  part("output", layout.output);
  if (layout.window) {
    part("margin", parts.margin);
  }
  json.end_array();
  write_optional(json, "budget", budget);
  json.member_uint("needed", assembly.needed).member_uint("used", assembly.used);
  json.member_uint("overrun", assembly.overrun + reserved_overrun);
  if (budget) {
    json.key("sops").begin_object();
    write_shares(json, assembly.shares);
    json.end_object();
  }
  json.key("elements").begin_array();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Placed& placed = assembly.placed[i];
    json.begin_object().member("id", given[i].id).member("kind", element_kind_name(elements[i].kind));
    json.member("cut", cut_name(placed.cut)).member_uint("tokens", placed.tokens);
    json.member_uint("tokens_whole", elements[i].tokens);
    if (elements[i].kind == ElementKind::sop) {
      json.member("severity", severity_name(elements[i].source.severity));
      json.member_uint("parent", elements[i].source.parent);
      write_chunks(json, given[i].chunks, placed.chunks_taken);
    }
    if (placed.cut != Cut::whole) {
      json.member("reason", why_cut(elements[i], given[i], placed));
    }
    json.end_object();
  }
  json.end_array();
  if (std::string context; context_text(elements, given, assembly, context)) {
    json.member("context", context);
  }
}

}  // namespace plumb::budget
