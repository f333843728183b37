/** A file or dataset beside the input that an option names. */
export type SideOption = { path: string } | { datasetId: string };

/** Parser of an option that takes a file or the id of a dataset. */
export const sideInput = (text: string): SideOption =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? { datasetId: text } : { path: text };
