/**
 * The document that data were read from, for a writer of the same format: what the model cannot hold (titles, custom blocks, stale
 * statistics) survives that way.
 */
export interface Origin {
  /** `format` of the reader; other writers ignore the content. */
  readonly format: string;
  /** What the reader of that format kept, in a shape of its own. */
  readonly content: unknown;
  /** A transformation has changed the data, so that the content no longer describes the values. */
  readonly changed?: true;
}
