import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { ThreadPool } from 'hydrofiles/threads';
import { downloadName } from '../../datasets/download-name.ts';
import { AppError } from '../../errors.ts';
import { clientLeft, whenClosed } from '../../http/answers/client-left.ts';
import { attachment } from '../../uploads/address.ts';
import { contentType, type FileFormat, writerOf } from './file-formats.ts';
import type { FileTask, Question, StoredFeatures, WrittenFile } from './file-thread.ts';

/** Files that are written at once, and that may wait, of all tenants and of one. */
const CONCURRENCY = 2;
const [MAX_WAITING, MAX_WAITING_OF_TENANT] = [60, 10];
const TIME_LIMIT_MS = 60_000;
const RETRY_AFTER = 5;
/** Longest header with what a file lost. */
const MOST_LOST = 4000;

export interface FileAnswer extends Omit<FileTask, 'writer' | 'path' | 'scratch'> {
  readonly format: FileFormat;
  /** Files are written in turns between tenants. */
  readonly tenant: string;
  /** Answers the thread. */
  reply(question: Question): Promise<StoredFeatures | undefined>;
}

/** Writes answers of queries as files, in threads: a writer may take seconds. */
export class FileThreads {
  readonly #pool = new ThreadPool<FileTask, WrittenFile, Question, StoredFeatures | undefined>(
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
  async send(reply: FastifyReply, { format, tenant, reply: answer, ...task }: FileAnswer): Promise<never> {
    const folder = await mkdtemp(join(tmpdir(), 'answer-'));
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      const path = join(folder, 'file');
      const { name: writer, format: datasetFormat, extension } = writerOf(format);
      const { lost } = await this.#write(tenant, clientLeft(reply), { ...task, writer, path, scratch: folder }, answer);
      const file = await open(path);
      const { size } = await file.stat();
      whenClosed(reply, () => void remove());
      if (lost.length > 0) reply.header('lost', lostHeader(lost));
      return (await reply
        .type(contentType(format))
        .header('content-length', size)
        .header(
          'content-disposition',
          attachment(downloadName({ name: task.name, datasetFormat, fileExtension: extension })),
        )
        .send(file.createReadStream())) as never;
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #write(tenant: string, signal: AbortSignal, task: FileTask, reply: FileAnswer['reply']): Promise<WrittenFile> {
    return this.#pool.lend({ key: tenant, signal }, async (thread) => {
      const late = new AppError(
        'tooLarge',
        `The file could not be written within ${TIME_LIMIT_MS / 1000} s. Use POST /api/conversion/download-convert.`,
      );
      const limit = setTimeout(() => void thread.end(late), TIME_LIMIT_MS);
      try {
        return await thread.run(task, { signal, reply });
      } finally {
        clearTimeout(limit);
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.close(new AppError('unavailable', 'The server is closing.'));
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
