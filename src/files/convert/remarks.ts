/** Maximum number of different sentences; a hostile file could cause one for each of its records. */
const MOST = 100;

/**
 * The sentences of a receipt about repairs, guesses and defaults, each with its number of occurrences.
 */
export class Remarks {
  readonly #counts = new Map<string, number>();
  #more = 0;

  /** Whether the sentence is new, and is listed. */
  add(sentence: string): boolean {
    const count = this.#counts.get(sentence);
    if (count === undefined && this.#counts.size >= MOST) {
      this.#more++;
      return false;
    }
    this.#counts.set(sentence, (count ?? 0) + 1);
    return count === undefined;
  }

  list(): string[] {
    const listed = [...this.#counts].map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence.replace(/\.$/, '')} (${count} times).`,
    );
    return this.#more === 0 ? listed : [...listed, `${this.#more} more remarks were left out.`];
  }
}
