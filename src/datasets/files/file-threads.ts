import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { type TaskThread, ThreadPool } from 'hydrofiles/threads';
import { AppError } from '../../errors.ts';
import { clientLeft, whenClosed } from '../../http/answers/client-left.ts';
import { attachment } from '../../uploads/address.ts';
import { downloadName } from '../download-name.ts';
import { contentType, type FileFormat, writerOf } from './file-formats.ts';
import type { FileTask } from './file-thread.ts';
import type { WrittenFile } from './write-data.ts';

/** Files that are written at once, and that may wait, of all tenants and of one. */
const CONCURRENCY = 2;
const [MAX_WAITING, MAX_WAITING_OF_TENANT] = [60, 10];
const TIME_LIMIT_MS = 60_000;
const RETRY_AFTER = 5;
/** Longest header with what a file lost. */
const MOST_LOST = 4000;

/** What those do who ask for more than a file of an answer holds. */
export const INSTEAD = 'use POST /api/conversion/download-convert';

/** What the module gets to write a file. */
export interface PreparedFile<Input> {
  readonly input: Input;
  /** Buffers of the input that are moved to the thread. */
  readonly transfer?: readonly ArrayBuffer[];
}

export interface FileAnswer<Input, Question> {
  readonly format: FileFormat;
  /** Files are written in turns between tenants. */
  readonly tenant: string;
  /** Name of the dataset. */
  readonly name: string;
  /** Exports `write`, a `WriteAnswer` of the input. */
  readonly module: URL;
  /** Called when it is the turn of this file, so that those that wait hold no values. */
  prepare(scratch: string, signal: AbortSignal): Promise<PreparedFile<Input>>;
  /** Answers the thread. */
  reply?(question: Question): Promise<unknown>;
}

/** `Content-Disposition` of a file of a dataset. */
export const dispositionOf = (name: string, format: FileFormat): string => {
  const { format: datasetFormat, extension } = writerOf(format);
  return attachment(downloadName({ name, datasetFormat, fileExtension: extension }));
};

/** Writes answers of queries as files, in threads: a writer may take seconds. */
export class FileThreads {
  readonly #pool = new ThreadPool<FileTask, WrittenFile, never, unknown>(
    new URL('./file-thread.ts', import.meta.url),
    {
      concurrency: CONCURRENCY,
      hasSpare: true,
      maxWaiting: MAX_WAITING,
      maxWaitingOfKey: MAX_WAITING_OF_TENANT,
      refusal: () =>
        new AppError('unavailable', `Too many files are waiting to be written. Try again in ${RETRY_AFTER} s.`, {
          retryAfter: RETRY_AFTER,
        }),
    },
    { errors: [AppError], resourceLimits: { maxOldGenerationSizeMb: 1024 } },
  );

  /** Sends a file, which is written whole before its first byte is sent: a refusal is an answer of its own. */
  async send<Input, Question = never>(reply: FastifyReply, answer: FileAnswer<Input, Question>): Promise<never> {
    const folder = await mkdtemp(join(tmpdir(), 'answer-'));
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const path = join(folder, 'file');
      const signal = clientLeft(reply);
      const { lost } = await this.#pool.lend({ key: answer.tenant, signal }, async (thread) => {
        const { input, transfer = [] } = await answer.prepare(folder, signal);
        signal.throwIfAborted();
        const { name: writer } = writerOf(answer.format);
        const task: FileTask = { writer, path, scratch: folder, module: answer.module.href, input };
        return inTime(thread, () => thread.run(task, { signal, transfer, reply: answer.reply as never }));
      });
      const file = await open(path);
      const { size } = await file.stat();
      whenClosed(reply, () => void remove());
      if (lost.length > 0) reply.header('lost', lostHeader(lost));
      return (await reply
        .type(contentType(answer.format))
        .header('content-length', size)
        .header('content-disposition', dispositionOf(answer.name, answer.format))
        .send(file.createReadStream())) as never;
    } catch (error) {
      await remove();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close(new AppError('unavailable', 'The server is closing.'));
  }
}

/** Ends a thread whose file takes too long. */
async function inTime(
  thread: Pick<TaskThread<never, never>, 'end'>,
  run: () => Promise<WrittenFile>,
): Promise<WrittenFile> {
  const late = new AppError(
    'tooLarge',
    `The file could not be written within ${TIME_LIMIT_MS / 1000} s. Ask for less, or ${INSTEAD}.`,
  );
  const limit = setTimeout(() => void thread.end(late), TIME_LIMIT_MS);
  try {
    return await run();
  } finally {
    clearTimeout(limit);
  }
}

/** A list of sentences as JSON in ASCII. */
function lostHeader(lost: readonly string[]): string {
  const text = (all: readonly string[]) =>
    JSON.stringify(all).replace(
      /[^\x20-\x7e]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  const some = lost.filter((_, n) => text(lost.slice(0, n + 1)).length <= MOST_LOST);
  return text(some);
}
