import type { Io } from './io.ts';

/**
 * Asks for a missing argument until the answer suits. An empty answer does not; nor does one for which `parse` throws.
 */
export function askFor(io: Io, question: string, instead: string): Promise<string>;
export function askFor<T>(io: Io, question: string, instead: string, parse: (text: string) => T): Promise<T>;
export async function askFor(io: Io, question: string, instead: string, parse: (text: string) => unknown = String) {
  for (;;) {
    const text = (await io.ask(question, instead)).trim();
    try {
      if (text !== '') return parse(text);
      io.note('Type an answer, or press Ctrl-C to stop.');
    } catch (error) {
      io.note((error as Error).message);
    }
  }
}
