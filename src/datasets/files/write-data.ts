import { completeParameters, findWriter } from 'hydrofiles';
import { FileSink } from 'hydrofiles/bytes';
import type { Data } from 'hydrofiles/data';
import { ConversionError } from 'hydrofiles/errors';
import type { TaskContext } from 'hydrofiles/threads';
import { asAppError } from '../../errors.ts';

/** Where a thread writes a file. */
export interface FileTarget {
  /** Name of the writer of the format. */
  readonly writer: string;
  readonly path: string;
  /** Folder for temporary files, which is deleted after the answer. */
  readonly scratch: string;
}

export interface WrittenFile {
  /** Sentences about what the file does not have of the answer. */
  readonly lost: readonly string[];
}

type ThreadContext = TaskContext<unknown, unknown>;

/** What a module exports as `write` that writes files for `FileThreads`. */
export type WriteAnswer<Input> = (input: Input, target: FileTarget, context: ThreadContext) => Promise<WrittenFile>;

/** Writes data by the writer of the format. */
export async function writeData(
  data: Data,
  { writer: name, path, scratch }: FileTarget,
  context: Pick<ThreadContext, 'throwIfAborted'>,
  lost = new Set<string>(),
): Promise<WrittenFile> {
  await using open = new AsyncDisposableStack();
  const writer = findWriter(name)!;
  const sink = open.use(await FileSink.create(path, { checksum: false }));
  try {
    await writer.write(data, completeParameters(writer, {}), sink, {
      // the values come in pieces that check for the end of the request
      signal: new AbortController().signal,
      scratch,
      log() {},
      progress: () => context.throwIfAborted(),
      reportLoss: (sentence) => void lost.add(sentence),
      remark() {},
      reportBadRecord({ reason }) {
        throw reason;
      },
      onEnd: (close) => open.defer(close),
    });
    await sink.flush();
    return { lost: [...lost] };
  } catch (error) {
    throw error instanceof ConversionError ? asAppError(error) : error;
  }
}
