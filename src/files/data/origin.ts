/**
 * Format-specific content of the input file for a writer of the same format. It preserves parts that the data model has
 * no members for, such as titles and custom blocks.
 */
export interface Origin {
  /** `format` of the reader; writers of other formats ignore the content. */
  readonly format: string;
  /** Content of a type that only the reader and the writer of the format know. */
  readonly content: unknown;
  /** A transformation has changed the data, so the content no longer describes the values. */
  readonly changed?: true;
  /** Cells for which the input stores no value may have one. */
  readonly filled?: true;
}
