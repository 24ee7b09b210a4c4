"use strict";
// For require(). The package itself is an ES module, which the name finds for every environment.
exports.load = async (source) => (await import("@plumbline/plumbline")).load(source);
// The class of the ES module is another one; what either has made is an instance of both.
exports.PlumbError = class PlumbError extends Error {
  constructor(code, message, place = {}, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PlumbError";
    this.code = code;
    this.where = place.where ?? "";
    this.line = place.line ?? 0;
    this.column = place.column ?? 0;
    Object.defineProperty(this, Symbol.for("plumbline.PlumbError"), { value: true });
  }
  static [Symbol.hasInstance](one) {
    return typeof one === "object" && one !== null && one[Symbol.for("plumbline.PlumbError")] === true;
  }
};
