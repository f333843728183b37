/**
 * Format-specific content of the input file for a writer of the same format. It preserves parts that the data model has
 * no members for, such as titles and custom blocks.
 */
export interface Origin {
  /** `format` of the reader; writers of other formats ignore the content. */
  readonly format: string;
  /** Its type is known to the reader and the writer of the format. */
  readonly content: unknown;
  /** A transformation has changed the data, so the content no longer describes the values. */
  readonly changed?: true;
}
