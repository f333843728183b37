import type { Io } from '../io.ts';
import type { Conversions } from './conversions.ts';
import type { Places } from './places.ts';

/** Prints what happens, in numbered steps. */
export interface Outline {
  /** The next step, with the commands that do the same. */
  step(sentence: string, ...commands: string[]): void;
  result(line: string): void;
}

/** Shared context of the parts of the story. */
export interface Story extends Outline {
  work: Conversions;
  places: Places;
  projectId: string;
}

/** A person of the demonstration. */
export interface Login {
  id: string;
  password: string;
}

export function outline({ out }: Io): Outline {
  let number = 0;
  return {
    step(sentence, ...commands) {
      number++;
      out(`${String(number).padEnd(2)} ${sentence}`);
      for (const command of commands) out(`   $ ${command}`);
    },
    result: (line) => out(`   ${line}`),
  };
}
