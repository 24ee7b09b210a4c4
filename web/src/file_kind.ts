// What a file is that holds no text, by its first bytes, and what to do instead of opening it.
import { messages as t } from "./strings";

const kinds: readonly (readonly [bytes: string, says: (file: string) => string])[] = [
  ["PK\u0003\u0004", t.isOffice],
  ["\u00d0\u00cf\u0011\u00e0", t.isOffice],
  ["%PDF", t.isPdf],
  ["\u0089PNG", t.isPicture],
  ["\u00ff\u00d8\u00ff", t.isPicture],
  ["GIF8", t.isPicture],
];
const pictures = /\.(?:png|jpe?g|gif|webp|bmp|heic|avif|tiff?)$/i;

// "" for what may be a text.
export function refusalOf(name: string, bytes: ArrayBuffer): string {
  const head = String.fromCharCode(...new Uint8Array(bytes.slice(0, 8)));
  const [, says] = kinds.find(([begins]) => head.startsWith(begins)) ?? [];
  if (says) return says(name);
  return pictures.test(name) && bytes.byteLength > 0 ? t.isPicture(name) : "";
}
