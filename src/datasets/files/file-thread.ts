import { answerTasks, type TaskContext } from 'hydrofiles/threads';
import type { FileTarget, WriteAnswer, WrittenFile } from './write-data.ts';

/** A file to write. */
export interface FileTask extends FileTarget {
  /** URL of the module that writes it. */
  readonly module: string;
  readonly input: unknown;
}

answerTasks(
  async ({ module, input, ...target }: FileTask, context: TaskContext<unknown, unknown>): Promise<WrittenFile> => {
    const { write } = (await import(module)) as { write: WriteAnswer<unknown> };
    return write(input, target, context);
  },
);
