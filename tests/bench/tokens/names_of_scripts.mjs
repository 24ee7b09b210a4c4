// node names_of_scripts.mjs LOCALE...: what Node's own tables say in these locales, for kinds.py: a line of JSON for each
// kind of name, {"locale", "kind", "text"}. Locales that Node has nothing of are left out.
const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const codes = {
  region: letters.flatMap((a) => letters.map((b) => (a + b).toUpperCase())),
  language: letters.flatMap((a) => letters.flatMap((b) => [a + b, ...letters.map((c) => a + b + c)])),
  currency: Intl.supportedValuesOf("currency"),
  script: ["Arab", "Armn", "Beng", "Cher", "Cyrl", "Deva", "Ethi", "Geor", "Grek", "Hans", "Hant", "Hebr", "Jpan", "Khmr", "Kore", "Laoo",
    "Latn", "Mlym", "Mong", "Mymr", "Orya", "Sinh", "Taml", "Telu", "Thaa", "Thai", "Tibt"],
};
for (const locale of process.argv.slice(2)) {
  const write = (kind, items) => {
    const text = [...new Set(items)].join("\n");
    if (text !== "") console.log(JSON.stringify({ locale, kind, text }));
  };
  if (Intl.DisplayNames.supportedLocalesOf(locale).length === 0) continue;
  for (const [kind, list] of Object.entries(codes)) {
    const names = new Intl.DisplayNames(locale, { type: kind, fallback: "none" });
    write(kind, list.map((code) => names.of(code)).filter(Boolean));
  }
  const units = Intl.supportedValuesOf("unit");
  write("unit", units.flatMap((unit) => [1, 2, 7].map((n) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(n))));
  write("date", letters.map((_, i) => new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long", timeZone: "UTC" }).format(new Date(1.7e12 + i * 2.9e9))));
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  write("ago", ["second", "minute", "hour", "day", "week", "month", "quarter", "year"].flatMap((unit) => [-5, -1, 0, 1, 3].map((n) => ago.format(n, unit))));
  const regions = new Intl.DisplayNames(locale, { type: "region", fallback: "none" });
  const list = new Intl.ListFormat(locale, { type: "conjunction" });
  const named = codes.region.map((code) => regions.of(code)).filter(Boolean);
  write("list", named.flatMap((_, i) => (i % 4 === 0 ? [list.format(named.slice(i, i + 4))] : [])));
}
