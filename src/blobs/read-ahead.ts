/** Maximum number of concurrent sequential scans of one blob, such as those of several files in a zip. */
const MAX_SCANS = 8;

interface Scan {
  /** Number of the last page that was read. */
  last: number;
  /** Number of the last page that was requested. */
  ahead: number;
  /** Number of pages to read ahead. */
  window: number;
}

/**
 * Detects sequential scans and computes their read-ahead. A read that continues a scan doubles its window. The next
 * pages are requested when half of the window is used, so that a scan makes few requests and does not wait for each of
 * them.
 */
export class ReadAhead {
  readonly #maxWindow: number;
  /** Most recently used last. */
  readonly #scans: Scan[] = [];

  /** @param maxWindow maximum number of pages to read ahead; 0: none */
  constructor(maxWindow: number) {
    this.#maxWindow = maxWindow;
  }

  /** Records a read of pages. Returns the number of the last page to request now: `last` or a later one. */
  next(first: number, last: number): number {
    const at = this.#scans.findLastIndex((scan) => first >= scan.last && first <= scan.ahead + 1);
    const [scan] = at < 0 ? [] : this.#scans.splice(at, 1);
    if (scan === undefined) {
      this.#scans.push({ last, ahead: last, window: 0 });
      if (this.#scans.length > MAX_SCANS) this.#scans.shift();
      return last;
    }
    this.#scans.push(scan);
    if (last === scan.last) return last;
    scan.window = Math.min(this.#maxWindow, Math.max(2 * scan.window, last - first + 1));
    scan.last = last;
    if ((scan.ahead - last) * 2 > scan.window) return last;
    scan.ahead = Math.max(scan.ahead, last + scan.window);
    return scan.ahead;
  }
}
