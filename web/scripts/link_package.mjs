// Makes the package `@plumbline/plumbline` resolvable for the compiler and for Vite: a link in node_modules to the built package.
// PLUMB_NPM names its folder; by default it is where `./dev build` leaves it.
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const built = resolve(web, process.env.PLUMB_NPM ?? "../build/npm");
if (!existsSync(resolve(built, "package.json"))) {
  console.error(`web: there is no package in ${built}. Build it first (./dev build), or set PLUMB_NPM to its folder.`);
  process.exit(1);
}
const link = resolve(web, "node_modules/@plumbline/plumbline");
mkdirSync(dirname(link), { recursive: true });
if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
symlinkSync(built, link, "dir");
