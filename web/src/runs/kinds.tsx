// What each kind of run has as its first tab.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";

import { ArtifactVersions } from "./artifact_versions";
import { BoundaryItems } from "./boundary_items";
import { shownTypes } from "./made";
import { problem } from "./state";
import { WorkflowTasks } from "./workflow_tasks";
import { page, runs as t } from "../strings";

export interface Kind {
  title: string;
  // It needs the whole width, so the log is a tab of its own.
  wide?: boolean;
  Body: ComponentType;
}

function loadedWith(load: () => Promise<ComponentType>): ComponentType {
  const loaded = signal<{ Body: ComponentType } | null>(null);
  return function Loaded() {
    useEffect(() => {
      if (loaded.value) return;
      load().then(
        (Body) => (loaded.value = { Body }),
        () => (problem.value = page.viewNotLoaded),
      );
    }, []);
    const Body = loaded.value?.Body;
    return Body ? <Body /> : null;
  };
}

const kinds: Readonly<Record<string, Kind>> = {
  boundary: { title: t.boundary, Body: BoundaryItems },
  workflow: { title: t.workflow, Body: WorkflowTasks },
  research: {
    title: t.research,
    wide: true,
    Body: loadedWith(() => import("../research/research_view").then((view) => view.ResearchView)),
  },
  discovery: {
    title: t.discovery,
    wide: true,
    Body: loadedWith(() => import("../discovery/discovery_view").then((view) => view.DiscoveryReview)),
  },
  story: {
    title: t.story,
    wide: true,
    Body: loadedWith(() => import("../story/story_view").then((view) => view.StoryOfRun)),
  },
};

// None of a pipeline that this page does not know.
export function kindOf(pipeline: string, type: string): Kind | null {
  if (pipeline === "artifact") return { title: shownTypes[type]?.title ?? t.artifact, Body: ArtifactVersions };
  return kinds[pipeline] ?? null;
}
