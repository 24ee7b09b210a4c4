// What other pages take from here as one script: the element `plumb-preview`, and the package beneath it.
export * from "@plumbline/plumbline/preview";
export { load } from "@plumbline/plumbline";
