/** Forward scans of one blob that are told apart, such as those of several files in a zip. */
const MOST_SCANS = 8;

interface Scan {
  /** The last page that was read, and the last one that was asked for. */
  last: number;
  ahead: number;
  /** Pages that are read ahead. */
  window: number;
}

/**
 * Detects forward scans and says how far to read ahead of them. A read that continues an earlier one doubles the scan's window; the next
 * pages are asked for when half of it is used up, so that a scan takes few requests and does not wait for each of them.
 */
export class ReadAhead {
  readonly #most: number;
  /** Most recently used last. */
  readonly #scans: Scan[] = [];

  /** @param most pages of the largest window; 0: nothing is read ahead */
  constructor(most: number) {
    this.#most = most;
  }

  /** Notes a read of pages. Gives the last page to ask for now: `last` itself, or a later one. */
  next(first: number, last: number): number {
    const at = this.#scans.findLastIndex((scan) => first >= scan.last && first <= scan.ahead + 1);
    const [scan] = at < 0 ? [] : this.#scans.splice(at, 1);
    if (scan === undefined) {
      this.#scans.push({ last, ahead: last, window: 0 });
      if (this.#scans.length > MOST_SCANS) this.#scans.shift();
      return last;
    }
    this.#scans.push(scan);
    if (last === scan.last) return last;
    scan.window = Math.min(this.#most, Math.max(2 * scan.window, last - first + 1));
    scan.last = last;
    if ((scan.ahead - last) * 2 > scan.window) return last;
    scan.ahead = Math.max(scan.ahead, last + scan.window);
    return scan.ahead;
  }
}
