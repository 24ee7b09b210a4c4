// The walk is play's: on arrival what the passage grants is held; of a way the first route whose words are held.
#include "core/story/reader_page.hpp"

namespace plumb::story {

const std::string_view reader_script = R"js(
(function () {
  "use strict";
  const at = (id) => document.getElementById(id);
  const book = JSON.parse(at("book").textContent);
  const page = JSON.parse(at("page").textContent);
  const root = document.documentElement;
  const key = "plumb-story:" + root.dataset.hash;
  const passages = new Map(book.passages.map((p) => [p.id, p]));
  const entities = new Map(book.entities.map((e) => [e.id, e]));
  const steps_max = 300;

  // The passages that the reader has visited: `steps`. The first of them has the number `first`; the reader is at the
  // step with the number `place`.
  let way = load();
  let leaving = false, saving = false;

  function arrive(id, held, count) {
    return { passage: id, held: Array.from(new Set(held.concat(passages.get(id).grants))).sort(), count: count };
  }
  function begin() { return arrive(book.start, [], 1); }
  function stored(name) { try { return localStorage.getItem(name); } catch (e) { return null; } }
  function store(name, text) { try { localStorage.setItem(name, text); return true; } catch (e) { return false; } }
  function load() {
    try {
      const kept = JSON.parse(stored(key));
      const known = (s) => passages.has(s.passage) && Array.isArray(s.held) && s.count > 0;
      if (kept.steps.length && kept.steps.every(known) && kept.steps[kept.place - kept.first]) { return kept; }
    } catch (e) { /* nothing that can be gone on with */ }
    return null;
  }
  function save() {
    saving = false;
    at("saved").textContent = store(key, JSON.stringify(way)) ? page.words.saved : page.words.not_saved;
  }
  function save_soon() {
    if (!saving) { saving = true; setTimeout(save, 0); }
  }
  function step() { return way.steps[way.place - way.first]; }

  // History: an entry is { place, base }; `base` is where this window began, so Back from there leaves the page.
  function remember(how, place, base) {
    try { history[how + "State"]({ place: place, base: base }, ""); } catch (e) { /* too many at once: not kept */ }
  }
  function base() { return history.state && "base" in history.state ? history.state.base : way.place; }
  function go(next) {
    if (!way) { way = { first: 0, place: -1, steps: [] }; }
    way.steps = way.steps.slice(0, way.place - way.first + 1).concat([next]).slice(-steps_max);
    way.place += 1;
    way.first = way.place + 1 - way.steps.length;
    remember("push", way.place, at("cover").hidden ? base() : way.place);
    save_soon();
    show(true);
  }
  function undo() {
    if (!way || leaving || way.place <= way.first) { return; }
    if (history.state && history.state.place === way.place && way.place > base()) {
      leaving = true;
      history.back();
      return;
    }
    way.place -= 1;
    remember("replace", way.place, way.place);
    save_soon();
    show(true);
  }
  window.addEventListener("popstate", (event) => {
    leaving = false;
    if (!event.state) { return; }
    if (event.state.place < 0 || !way) { cover(); return; }
    way.place = Math.min(Math.max(event.state.place, way.first), way.first + way.steps.length - 1);
    save_soon();
    show(true);
  });

  function holds(words) { return words.every((w) => step().held.includes(w)); }
  function element(name, className) {
    const e = document.createElement(name);
    if (className) { e.className = className; }
    return e;
  }
  // Text with *emphasis*, as text nodes.
  function say(into, text) {
    let from = 0;
    for (const m of text.matchAll(/(^|[^\p{L}\p{M}\p{N}_*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\p{L}\p{M}\p{N}_*])/gu)) {
      into.append(text.slice(from, m.index + m[1].length));
      into.appendChild(document.createElement("em")).textContent = m[2];
      from = m.index + m[0].length;
    }
    into.append(text.slice(from));
    return into;
  }
  // How an entity looks: of the overlays whose words are held the one with the most, of equals the later.
  function look(id) {
    let best = -1;
    const overlays = entities.get(id).overlays;
    overlays.forEach((o, i) => {
      if (holds(o.when) && (best < 0 || o.when.length >= overlays[best].when.length)) { best = i; }
    });
    return best < 0 ? "" : page.looks[id][best];
  }
  function prose(passage) {
    const text = element("div", passage.draft ? "text draft" : "text");
    passage.text.split("\n\n").forEach((paragraph, i) => {
      if (i) { text.append("\n\n"); }
      say(text.appendChild(element("p")), paragraph);
      (page.after[passage.id] || []).filter((one) => one[0] === i).forEach((one) => {
        const sentence = look(one[1]);
        if (sentence) { say(text.appendChild(element("p", "look")), sentence); }
      });
    });
    return text;
  }
  function choice(route) {
    const item = element("li"), button = say(element("button"), route.label);
    button.type = "button";
    button.dataset.to = route.to;
    button.addEventListener("click", () => go(arrive(route.to, step().held, step().count + 1)));
    item.append(button);
    return item;
  }
  function show(moved) {
    const here = step(), passage = passages.get(here.passage), main = at("passage"), list = element("ol", "choices");
    const heading = element("h2");
    heading.textContent = page.words.passage.replace("%", here.count);
    heading.tabIndex = -1;
    main.replaceChildren(heading);
    main.dataset.passage = passage.id;
    main.dataset.held = here.held.join(" ");
    if (passage.draft) { main.appendChild(element("p", "note quiet")).textContent = page.words.draft; }
    main.append(prose(passage));
    passage.ways.forEach((routes) => {
      const route = routes.find((r) => holds(r.requires));
      if (route) { list.append(choice(route)); }
    });
    if (list.children.length) { main.append(list); }
    if (passage.ending) { main.appendChild(element("p", "ending")).textContent = page.words.end; }
    at("undo").disabled = way.place <= way.first;
    at("cover").hidden = true;
    ["bar", "passage", "foot"].forEach((id) => { at(id).hidden = false; });
    if (moved) { window.scrollTo(0, 0); heading.focus({ preventScroll: true }); }
  }
  function cover() {
    at("cover").hidden = false;
    ["bar", "passage", "foot"].forEach((id) => { at(id).hidden = true; });
    at("resume").hidden = !way;
    at("fresh").textContent = way ? page.words.again : page.words.begin;
    document.title = book.title;
  }

  function ask() { if (at("ask").showModal) { at("ask").showModal(); } else { again(); } }
  function again() {
    if (at("ask").open) { at("ask").close(); }
    go(begin());
  }
  at("fresh").addEventListener("click", () => { if (way) { ask(); } else { again(); } });
  at("resume").addEventListener("click", () => { remember("push", way.place, way.place); show(true); });
  at("restart").addEventListener("click", ask);
  at("again").addEventListener("click", again);
  at("stay").addEventListener("click", () => at("ask").close());
  at("undo").addEventListener("click", undo);
  window.addEventListener("pagehide", () => { if (saving) { save(); } });

  // Looks: kept for all stories of this browser.
  const sizes = ["-2", "-1", "0", "1", "2", "3"];
  function size(by) {
    const now = Math.max(0, sizes.indexOf(root.dataset.size || "0")) + by;
    if (now < 0 || now >= sizes.length) { return; }
    root.dataset.size = sizes[now];
    store("plumb-story-size", sizes[now]);
  }
  function colours(which) {
    root.dataset.colours = which;
    store("plumb-story-colours", which);
    document.querySelectorAll("[data-set]").forEach((b) => b.setAttribute("aria-pressed", b.dataset.set === which));
  }
  at("smaller").addEventListener("click", () => size(-1));
  at("larger").addEventListener("click", () => size(1));
  document.querySelectorAll("[data-set]").forEach((b) => b.addEventListener("click", () => colours(b.dataset.set)));
  root.dataset.size = sizes.includes(stored("plumb-story-size")) ? stored("plumb-story-size") : "0";
  colours(["light", "dark"].includes(stored("plumb-story-colours")) ? stored("plumb-story-colours") : "auto");
  document.addEventListener("click", (event) => {
    if (!at("settings").contains(event.target)) { at("settings").open = false; }
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { at("settings").open = false; }
    if (event.ctrlKey || event.metaKey || event.altKey || at("ask").open || at("passage").hidden) { return; }
    const all = Array.from(document.querySelectorAll(".choices button")), now = all.indexOf(document.activeElement);
    const seen = all.length && all[0].getBoundingClientRect().bottom <= window.innerHeight;
    const to = event.key === "ArrowDown" ? now + 1 : event.key === "ArrowUp" ? now - 1 : -1;
    if (/^[1-9]$/.test(event.key) && all[event.key - 1]) {
      all[event.key - 1].click();
    } else if (to >= 0 && to < all.length && (now >= 0 || seen)) {
      all[to].focus();
    } else if (event.key === "z" || event.key === "Z") {
      undo();
    } else {
      return;
    }
    event.preventDefault();
  });

  if (way && history.state && history.state.place >= 0) {
    way.place = Math.min(Math.max(history.state.place, way.first), way.first + way.steps.length - 1);
    show(false);
  } else {
    remember("replace", -1, -1);
    cover();
  }
})();
)js";

}  // namespace plumb::story
