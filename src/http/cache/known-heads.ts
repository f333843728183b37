import type { KnownQuestion } from './known-answers.ts';

/** Of all heads and what they mean. */
const MOST_BYTES = 32 << 20;
/** Texts of about the size of a head that are kept for one: itself, URL, and keys of answer and rights. */
const TEXTS = 4;
const OVERHEAD = 500;

/** Heads of requests, byte for byte, and what they mean when they come from the same address again. */
export class KnownHeads {
  readonly #questions = new Map<string, Map<string, KnownQuestion>>();
  #size = 0;

  /** @param head in Latin-1 */
  find(address: string, head: string): KnownQuestion | undefined {
    return this.#questions.get(address)?.get(head);
  }

  keep(address: string, head: string, question: KnownQuestion): void {
    const size = OVERHEAD + TEXTS * head.length;
    if (this.find(address, head) === undefined) this.#size += size;
    // they are soon learned again
    if (this.#size > MOST_BYTES) {
      this.#questions.clear();
      this.#size = size;
    }
    const ofAddress = this.#questions.get(address) ?? new Map<string, KnownQuestion>();
    this.#questions.set(address, ofAddress.set(head, question));
  }
}
