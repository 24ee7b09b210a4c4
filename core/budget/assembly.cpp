#include "core/budget/assembly.hpp"

namespace plumb::budget {

namespace {

// Gives a file summary as much of `room` as its cuts allow.
Placed trimmed(const Element& element, Tokens room) {
  Placed out;
  if (element.cuts.empty()) {
    out.tokens = room;
  }
  while (out.cuts_taken < element.cuts.size() && element.cuts[out.cuts_taken] <= room) {
    out.tokens = element.cuts[out.cuts_taken++];
  }
  out.cut = out.tokens == 0 ? Cut::dropped : Cut::trimmed;
  return out;
}

Tokens place_sources(std::span<const Element> elements, Tokens room, const SeverityShares& shares, Assembly& out) {
  std::vector<Source> sources;
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == ElementKind::sop) {
      sources.push_back(elements[i].source);
      index.push_back(i);
    }
  }
  out.shares = share_out(room, sources, shares);
  Tokens used = out.shares.parents;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    Placed& placed = out.placed[index[s]];
    placed.tokens = sources[s].parent;
    placed.chunks_taken = out.shares.chunks_taken[s];
    for (std::uint32_t c = 0; c < placed.chunks_taken; ++c) {
      placed.tokens += sources[s].chunks[c];
      used += sources[s].chunks[c];
    }
    placed.cut = placed.chunks_taken == sources[s].chunks.size() ? Cut::whole : Cut::trimmed;
  }
  return used;
}

}  // namespace

LayoutParts layout_parts(const Layout& layout) {
  LayoutParts out;
  const Tokens window = layout.window.value_or(0);
  out.margin = part_up(window, layout.margin);
  const Tokens taken = layout.system + layout.working_memory + layout.output + layout.task_output + out.margin;
  out.context = taken < window ? window - taken : 0;
  out.overrun = taken > window ? taken - window : 0;
  return out;
}

Assembly assemble(std::optional<Tokens> budget, std::span<const Element> elements, const SeverityShares& shares) {
  Assembly out;
  out.placed.resize(elements.size());
  Tokens decisions = 0;
  Tokens parents = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& element = elements[i];
    out.needed += element.tokens;
    out.placed[i].tokens = element.tokens;
    out.placed[i].chunks_taken = static_cast<std::uint32_t>(element.source.chunks.size());
    out.placed[i].cuts_taken = static_cast<std::uint32_t>(element.cuts.size());
    decisions += element.kind == ElementKind::decision ? element.tokens : 0;
    parents += element.kind == ElementKind::sop ? element.source.parent : 0;
  }
  if (!budget) {
    out.used = out.needed;
    return out;
  }
  out.budget = *budget;
  const Tokens kept = decisions + parents;
  if (kept > out.budget) {
    out.fit = AssemblyFit::too_large;
    out.overrun = kept - out.budget;
  }
  Tokens room = out.budget > decisions ? out.budget - decisions : 0;
  if (out.overrun > 0) {
    room = parents;  // what must be in is in, and nothing else
  }
  out.used = decisions + place_sources(elements, room, shares, out);
  room = out.budget > out.used ? out.budget - out.used : 0;
  bool cut = false;
  for (const ElementKind kind : {ElementKind::file_summary, ElementKind::convention}) {
    bool full = out.overrun > 0;  // nothing comes after what was cut
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].kind != kind) {
        continue;
      }
      if (full || elements[i].tokens > room) {
        out.placed[i] =
            kind == ElementKind::file_summary && !full ? trimmed(elements[i], room) : Placed{Cut::dropped, 0, 0, 0};
        full = true;
        cut = true;
      }
      room -= out.placed[i].tokens;
      out.used += out.placed[i].tokens;
    }
    if (full) {
      room = 0;  // the next kind is less important than what has just been cut
    }
  }
  for (const Placed& placed : out.placed) {
    cut = cut || placed.cut != Cut::whole;
  }
  if (out.fit != AssemblyFit::too_large) {
    out.fit = cut ? AssemblyFit::trimmed : AssemblyFit::fits;
  }
  return out;
}

}  // namespace plumb::budget
