import type { Context } from '../../formats/define.ts';

/** Maximum number of different sentences; a hostile file could cause one for each of its records. */
const MOST = 100;

/** Sentences for a receipt about many files: a sentence that several files cause is told once, with their number. */
export class FileSentences {
  readonly #files = new Map<string, Set<string>>();
  #more = 0;

  add(sentence: string, file: string): void {
    const files = this.#files.get(sentence);
    if (files !== undefined) files.add(file);
    else if (this.#files.size < MOST) this.#files.set(sentence, new Set([file]));
    else this.#more++;
  }

  /** @param total number of files */
  tell(total: number, tell: Context['remark']): void {
    for (const [sentence, files] of this.#files) tell(`${whose(files, total)}: ${sentence}`);
    if (this.#more > 0) tell(`${this.#more} more sentences about single files were left out.`);
  }
}

function whose(files: ReadonlySet<string>, total: number): string {
  const [first = ''] = files;
  if (files.size === 1) return first;
  return files.size === total ? `All ${total} files` : `${first} and ${files.size - 1} more`;
}
