/** What the terminal can show, and what is written there. */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Arguments } from "./options.js";

export interface Style {
  color: boolean;
  ascii: boolean;
}

/** Style by --ascii, --color, NO_COLOR and the locale for what is written to `descriptor`. */
export function styleFor(said: Arguments, descriptor: number): Style {
  const when = said.text("--color") ?? "auto";
  const { env } = process;
  return {
    ascii: said.has("--ascii") || !localeIsUtf8(),
    color: when === "always" || (when === "auto" && isatty(descriptor) && !env["NO_COLOR"] && env["TERM"] !== "dumb"),
  };
}

/** By LC_ALL, LC_CTYPE and LANG, in that order, as POSIX has it. On Windows the console shows Unicode. */
function localeIsUtf8(): boolean {
  for (const name of ["LC_ALL", "LC_CTYPE", "LANG"]) {
    const value = process.env[name];
    if (value) {
      return value.toLowerCase().replaceAll("-", "").includes("utf8");
    }
  }
  return process.platform === "win32";
}

function painted(code: number, text: string, style: Style): string {
  return style.color ? `\x1b[${code}m${text}\x1b[0m` : text;
}
export const bold = (text: string, style: Style): string => painted(1, text, style);
export const dim = (text: string, style: Style): string => painted(2, text, style);
export const red = (text: string, style: Style): string => painted(31, text, style);
export const green = (text: string, style: Style): string => painted(32, text, style);
export const yellow = (text: string, style: Style): string => painted(33, text, style);
export const cyan = (text: string, style: Style): string => painted(36, text, style);

/** Columns of the terminal, from 40 to 200; 80 where nobody knows. */
export function columnsOf(stream: { columns?: number }): number {
  return Math.min(Math.max(stream.columns ?? 80, 40), 200);
}

/** Writes all of it, also to a pipe that is full for the moment. */
export function writeAll(descriptor: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        throw error;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

export function complain(text: string): void {
  writeAll(2, `plumb: ${text}\n`);
}
export function note(text: string): void {
  writeAll(2, `plumb: note: ${text}\n`);
}

/** Why the system refused, as a sentence with what to do. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return "no such file or directory";
    case "EACCES":
      return "permission denied; give yourself the right to read it (chmod, or another user)";
    case "EISDIR":
      return "is a directory, not a file";
    case "ENOTDIR":
      return "a part of the path is not a directory";
    case "ELOOP":
      return "a symbolic link that leads to itself; remove or correct it";
    case "ENAMETOOLONG":
      return "the name is too long for this system";
    case "ENOSPC":
      return "no space left on the device";
    default:
      return message;
  }
}
