// How a run is called where people choose one: when it began, and how it is. Its id tells nobody anything; it stands
// behind where there is no time.
const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

export function runName(id: string, createdAt: string | undefined, state: string): string {
  const at = new Date(createdAt ?? "");
  return `${Number.isNaN(at.getTime()) ? id : moment.format(at)} · ${state}`;
}
