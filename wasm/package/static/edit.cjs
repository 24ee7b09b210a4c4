"use strict";
// For require(). The package itself is an ES module, which the name finds for every environment.
exports.edit = () => import("@plumbline/plumbline/edit");
