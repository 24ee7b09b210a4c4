// What other pages take from here as one script: the element `plumb-edit`, and the package beneath it.
export * from "@plumbline/plumbline/edit";
export { load } from "@plumbline/plumbline";
