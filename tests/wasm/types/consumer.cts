// The same from CommonJS.
import { load, type Verdict } from "@plumbline/plumbline";
import plumbline = require("@plumbline/plumbline");

async function main(): Promise<Verdict> {
  const plumb = await load();
  const again = await plumbline.load(new Uint8Array(8));
  void again.version;
  return plumb.contract("quiz").check("{}");
}
void main;

// The element's module, where require() is all there is.
import { preview } from "@plumbline/plumbline/preview";
void preview().then(({ PlumbPreview }) => PlumbPreview.formAssociated);

// What is thrown, where require() is all there is.
import { PlumbError } from "@plumbline/plumbline";
function told(error: unknown): string {
  return error instanceof PlumbError ? `${error.code} ${error.where}` : String(error);
}
void told;
import { adapters } from "@plumbline/plumbline/adapters";
void adapters().then(({ judge }) => judge);
