const [lineFeed, carriageReturn, blank, quote] = [10, 13, 32, 34];

/** Finds the cells of a line, each of which ends at a separator, without making strings. A cell may be empty. */
export class LineCells {
  /** Number of cells in the line, 0 if it is blank; only the first `capacity` cells have their positions stored. */
  count = 0;
  /** Number of cells up to the last one that is not empty. */
  filled = 0;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly #separates = new Uint8Array(256);

  constructor(separators: string, capacity: number) {
    for (const separator of separators) this.#separates[separator.charCodeAt(0)] = 1;
    this.#separates[lineFeed] = 2;
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
  }

  /**
   * Reads the line that begins at `from` and returns the beginning of the next one. Cells are given without the blanks
   * around them. A cell in double quotes may contain separators, and quotes as `""`; its position is that of the text
   * between the quotes. The line must have a line feed.
   */
  read(bytes: Uint8Array, from: number): number {
    const separates = this.#separates;
    const { starts, ends } = this;
    const capacity = starts.length;
    let count = 0;
    let filled = 0;
    let at = from;
    for (;;) {
      while (bytes[at] === blank) at++;
      const quoted = bytes[at] === quote;
      const start = quoted ? at + 1 : at;
      let end = start;
      if (quoted) {
        for (at = start; bytes[at] !== lineFeed; at++) {
          if (bytes[at] !== quote) continue;
          if (bytes[at + 1] !== quote) break;
          at++;
        }
        end = at;
      }
      while (separates[bytes[at]!] === 0) at++;
      if (!quoted) {
        end = at;
        while (end > start && (bytes[end - 1] === blank || bytes[end - 1] === carriageReturn)) end--;
      }
      if (count < capacity) {
        starts[count] = start;
        ends[count] = end;
      }
      count++;
      if (end > start) filled = count;
      if (bytes[at] === lineFeed) break;
      at++;
    }
    this.count = count === 1 && filled === 0 ? 0 : count;
    this.filled = filled;
    return at + 1;
  }
}
