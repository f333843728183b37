import { readSync } from 'node:fs';
import type { ByteSource } from '../../data/bytes.ts';
import { copySelected } from '../../data/hyperslab.ts';
import type { ChunkPart } from '../../data/indices.ts';
import type { StoredValues } from '../../data/stored-values.ts';
import { answerTasks } from '../../threads/answer-tasks.ts';
import type { ZipEntry } from '../io/zip.ts';
import { type ChunkForm, decodedChunk } from './chunk-codec.ts';

/** A chunk, and which of its values go where. */
export interface ChunkPick {
  readonly key: string;
  readonly parts: readonly ChunkPart[];
  /** Absent: the thread has decoded it before. */
  readonly entry?: ZipEntry | undefined;
}

/** Bytes of a zip: an open file, or some ranges of it. */
export type ZipBytes =
  | { readonly descriptor: number; readonly size: number }
  | {
      readonly pieces: readonly { readonly offset: number; readonly bytes: Uint8Array<ArrayBuffer> }[];
      readonly size: number;
    };

/** Work of the thread. */
export interface PickJob {
  /** Keys of chunks that it keeps no longer. */
  readonly forgotten: readonly string[];
  readonly form: ChunkForm;
  readonly picks: readonly ChunkPick[];
  readonly from: ZipBytes;
  /** In shared memory. */
  readonly to: { readonly values: StoredValues; readonly shape: readonly number[] };
}

const chunks = new Map<string, StoredValues>();
/** Packed bytes of one chunk. */
let scratch = new Uint8Array(1 << 18);

/** @param keeps whether the reader keeps the memory that it gets */
function sourceOf(from: ZipBytes, keeps: boolean): ByteSource {
  const { size } = from;
  if ('descriptor' in from)
    return {
      size,
      async read(offset, length) {
        const wanted = Math.max(0, Math.min(length, size - offset));
        if (!keeps && scratch.length < wanted) scratch = new Uint8Array(2 * wanted);
        const bytes = keeps ? new Uint8Array(wanted) : scratch.subarray(0, wanted);
        for (let done = 0; done < wanted; ) {
          const read = readSync(from.descriptor, bytes, done, wanted - done, offset + done);
          if (read === 0) throw new Error(`The blob ends after ${offset + done} of ${size} bytes.`);
          done += read;
        }
        return bytes;
      },
    };
  return {
    size,
    async read(offset, length) {
      const piece = from.pieces.find((one) => offset >= one.offset && offset < one.offset + one.bytes.length);
      if (piece === undefined) throw new Error(`The bytes from ${offset} on were not sent.`);
      return piece.bytes.subarray(offset - piece.offset, offset - piece.offset + length);
    },
  };
}

/** Copies the picked values. Answers whether a chunk that the thread was expected to have is not there. */
answerTasks(async ({ forgotten, form, picks, from, to }: PickJob): Promise<boolean> => {
  for (const key of forgotten) chunks.delete(key);
  const source = sourceOf(from, !form.codecs.byteSteps.some(({ by }) => by !== 'checksum'));
  for (const { key, entry, parts } of picks) {
    let values = chunks.get(key);
    if (values === undefined) {
      if (entry === undefined) return true;
      values = await decodedChunk(source, entry, form, 'now');
      chunks.set(key, values);
    }
    copySelected({ values, shape: form.shape }, to, parts);
  }
  return false;
});
