// A contract, an artifact and a context in the part of an address behind `#`, which a browser never sends to a server.
//
// `#p=` and base64url of: one byte, the version of the form (1), then JSON packed with zlib, whose checksum tells a link
// that was cut off or changed on its way. The JSON has `c`, a built-in contract's name, or `o`, the text of an own one;
// `a`, the artifact; `x`, the context. Members that are not known are passed over.
import type { ContractSource } from "./messages";
import { page as t } from "./strings";

export interface Shared {
  contract: ContractSource;
  artifact: string;
  context: string | null;
}

export const sharePrefix = "#p=";
const formVersion = 1;
// Longer links are made by nobody and opened by nobody.
export const linkUnitsMax = 100_000;
// From here on some programs cut a link.
export const linkUnitsSafe = 8_000;
const unpackedBytesMax = 8 * 1024 * 1024;

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  }
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (unit) => unit.charCodeAt(0));
  } catch {
    return null;
  }
}

// All that a stream gives, null when it is more than may be.
async function collect(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > bytesMax) {
      await reader.cancel().catch(() => undefined);
      return null;
    }
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function linkOf(shared: Shared, address: string): Promise<{ link: string } | { tooLarge: number }> {
  const { contract, artifact, context } = shared;
  const told = {
    ...(contract.kind === "built_in" ? { c: contract.name } : { o: contract.text }),
    a: artifact,
    ...(context !== null && { x: context }),
  };
  const stream = new Blob([JSON.stringify(told)]).stream().pipeThrough(new CompressionStream("deflate"));
  const packed = await collect(stream, linkUnitsMax * 4);
  const size = packed ? Math.ceil(((packed.length + 1) * 4) / 3) : Infinity;
  if (!packed || size > linkUnitsMax) return { tooLarge: size };
  const bytes = new Uint8Array(packed.length + 1);
  bytes[0] = formVersion;
  bytes.set(packed, 1);
  return { link: `${address.replace(/#.*$/, "")}${sharePrefix}${toBase64Url(bytes)}` };
}

const broken = t.brokenLink;

export async function openLink(hash: string): Promise<{ shared: Shared } | { problem: string }> {
  const code = hash.slice(sharePrefix.length);
  if (code.length > linkUnitsMax) {
    return { problem: t.linkTooLarge(code.length, linkUnitsMax) };
  }
  const bytes = fromBase64Url(code);
  if (!bytes || bytes.length < 2) return { problem: broken };
  if (bytes[0] !== formVersion) {
    return {
      problem: t.linkOfNewer(bytes[0] ?? 0),
    };
  }
  let text: string;
  try {
    const stream = new Blob([bytes.subarray(1)]).stream().pipeThrough(new DecompressionStream("deflate"));
    const all = await collect(stream, unpackedBytesMax);
    if (!all) return { problem: t.linkUnpacksTooLarge };
    text = new TextDecoder("utf-8", { fatal: true }).decode(all);
  } catch {
    return { problem: broken };
  }
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return { problem: broken };
  }
  const { c, o, a, x } = (told ?? {}) as Record<string, unknown>;
  if (typeof a !== "string" || (typeof c !== "string" && typeof o !== "string")) return { problem: broken };
  return {
    shared: {
      contract: typeof o === "string" ? { kind: "own", text: o } : { kind: "built_in", name: String(c) },
      artifact: a,
      context: typeof x === "string" ? x : null,
    },
  };
}
