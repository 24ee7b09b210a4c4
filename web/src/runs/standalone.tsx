// What is looked at without a journal: a story, or the result of a discovery, from a file.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { problem } from "./state";
import { page } from "../strings";

const loaders: Record<"story" | "discovery", () => Promise<ComponentType>> = {
  story: () => import("../story/story_view").then((view) => view.StoryView),
  discovery: () => import("../discovery/discovery_view").then((view) => view.DiscoveryView),
};
const loaded = signal<Partial<Record<keyof typeof loaders, ComponentType>>>({});

export function Standalone({ of }: { of: keyof typeof loaders }) {
  useEffect(() => {
    if (loaded.value[of]) return;
    loaders[of]().then(
      (View) => (loaded.value = { ...loaded.value, [of]: View }),
      () => (problem.value = page.viewNotLoaded),
    );
  }, [of]);
  const View = loaded.value[of];
  return View ? <View /> : <p class="hint empty-part">{problem.value}</p>;
}
