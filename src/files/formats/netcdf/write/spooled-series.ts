import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Series } from '../../../data/series.ts';
import {
  bytesOfValues,
  bytesPerValue,
  newValues,
  type StoredType,
  type StoredValues,
} from '../../../data/stored-values.ts';
import { writeFully } from '../../../data/write-fully.ts';
import { ConversionError } from '../../../errors.ts';
import type { Context } from '../../define.ts';

/** Values that are read at a time. */
const blockValues = 1 << 16;

/** The values of series in a temporary file, item after item, because they come step by step. */
export class SpooledSeries {
  readonly #file: FileHandle;
  readonly #starts: readonly number[];
  readonly #types: readonly StoredType[];
  readonly #steps: number;

  private constructor(file: FileHandle, types: readonly StoredType[], steps: number) {
    this.#file = file;
    this.#types = types;
    this.#steps = steps;
    let at = 0;
    this.#starts = types.map((type) => {
      const start = at;
      at += steps * bytesPerValue(type);
      return start;
    });
  }

  /** @throws ConversionError if the series have another number of steps than their time axis */
  static async of(
    series: Series,
    types: readonly StoredType[],
    steps: number,
    { scratch, signal, onEnd }: Pick<Context, 'scratch' | 'signal' | 'onEnd'>,
  ): Promise<SpooledSeries> {
    const path = join(scratch, `series-${randomUUID()}`);
    const file = await open(path, 'w+');
    onEnd(async () => {
      await file.close();
      await rm(path, { force: true });
    });
    const spooled = new SpooledSeries(file, types, steps);
    let come = 0;
    for await (const { firstStep, values } of series.chunks()) {
      signal.throwIfAborted();
      for (const [n, type] of types.entries()) {
        const own = newValues(type, values[n]!.length);
        own.set(values[n]! as never);
        await writeFully(file, spooled.#starts[n]! + firstStep * bytesPerValue(type), bytesOfValues(own));
      }
      come = firstStep + (values[0]?.length ?? 0);
    }
    if (come !== steps) throw new ConversionError(`The series end after ${come} of ${steps} steps.`);
    return spooled;
  }

  /** All values of an item, in order. */
  async *values(item: number): AsyncGenerator<StoredValues> {
    const type = this.#types[item]!;
    for (let first = 0; first < this.#steps; first += blockValues) {
      const block = newValues(type, Math.min(blockValues, this.#steps - first));
      const bytes = bytesOfValues(block);
      const position = this.#starts[item]! + first * bytesPerValue(type);
      for (let done = 0; done < bytes.length; ) {
        const { bytesRead } = await this.#file.read(bytes, done, bytes.length - done, position + done);
        if (bytesRead === 0) throw new Error('The temporary file of the series ended early.');
        done += bytesRead;
      }
      yield block;
    }
  }
}
