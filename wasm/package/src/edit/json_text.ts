/** JSON text as a tree of places, and the changes to it that leave all else as it is written. The text must be sound. */

export interface Place {
  readonly pointer: string;
  readonly parent: Place | undefined;
  /** Of the value. */
  readonly from: number;
  to: number;
  /** Of a member: where its key begins; else `from`. */
  readonly begin: number;
  readonly key: string | number;
  readonly kind: "object" | "array" | "scalar";
  readonly children: Place[];
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const escaped = (key: string | number): string => String(key).replace(/~/g, "~0").replace(/\//g, "~1");

/** All places by their JSON Pointers; of a key that occurs twice the last. */
export class JsonText {
  readonly places = new Map<string, Place>();
  readonly all: Place[] = [];

  constructor(readonly text: string) {
    let open: Place | undefined;
    let key: { text: string; at: number } | undefined;
    let awaitsKey = false;
    for (const { 0: token, index } of text.matchAll(tokens)) {
      if (token === "}" || token === "]") {
        open!.to = index + 1;
        open = open!.parent;
        awaitsKey = false;
      } else if (token === ",") {
        awaitsKey = open?.kind === "object";
      } else if (token === ":") {
        awaitsKey = false;
      } else if (awaitsKey) {
        key = { text: JSON.parse(token) as string, at: index };
      } else {
        const own: string | number = open?.kind === "object" ? key!.text : (open?.children.length ?? "");
        const place: Place = {
          pointer: open === undefined ? "" : `${open.pointer}/${escaped(own)}`,
          parent: open,
          from: index,
          to: index + token.length,
          begin: open?.kind === "object" ? key!.at : index,
          key: own,
          kind: token === "{" ? "object" : token === "[" ? "array" : "scalar",
          children: [],
        };
        open?.children.push(place);
        this.places.set(place.pointer, place);
        this.all.push(place);
        if (place.kind !== "scalar") {
          open = place;
          awaitsKey = place.kind === "object";
        }
      }
    }
  }

  value(place: Place): unknown {
    return JSON.parse(this.text.slice(place.from, place.to));
  }

  replace({ from, to }: { from: number; to: number }, by: string): string {
    return this.text.slice(0, from) + by + this.text.slice(to);
  }

  /** Without a member or item, and its comma. */
  remove(place: Place): string {
    const siblings = place.parent?.children ?? [];
    const at = siblings.indexOf(place);
    const next = siblings[at + 1];
    const before = siblings[at - 1];
    return next !== undefined
      ? this.replace({ from: place.begin, to: next.begin }, "")
      : this.replace({ from: before?.to ?? place.begin, to: place.to }, "");
  }

  /** With another member or item at the end, on a line of its own where the others are; and where its value is then. */
  append(list: Place, value: string, key?: string): { text: string; from: number; to: number } {
    const member = key === undefined ? "" : `${JSON.stringify(key)}: `;
    const last = list.children.at(-1);
    const space = last === undefined ? "" : (/\s*$/.exec(this.text.slice(0, last.begin))![0] || (last.begin > list.from + 1 ? " " : ""));
    const at = last?.to ?? list.from + 1;
    const before = `${last === undefined ? "" : ","}${space}${member}`;
    const from = at + before.length;
    return { text: this.replace({ from: at, to: at }, before + value), from, to: from + value.length };
  }
}
