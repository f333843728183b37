import type { ByteSource } from '../../data/bytes.ts';
import type { Feature, Field } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context, Read } from '../define.ts';
import { shownWord, wholeLines } from '../io/line-words.ts';
import { comment, isEmpty, type Layout, numberAt, readLayout, textAt } from './layout.ts';
import type { readParameters } from './parameters.ts';
import { PointLine } from './point-line.ts';

const perChunk = 4096;

export const read: Read<typeof readParameters> = async (source, { ZColumnIndex }, context) => {
  const layout = await readLayout(source, ZColumnIndex);
  return {
    kind: 'features',
    fields: layout.fields,
    hasZ: true,
    hasM: false,
    geometryTypes: ['Point'],
    chunks: () => chunks(source, layout, context),
  };
};

async function* chunks(source: ByteSource, layout: Layout, context: Context): AsyncGenerator<readonly Feature[]> {
  const parser = new PointParser(layout);
  let { line } = layout;
  for await (const { bytes, end, base } of wholeLines(source, layout.start)) {
    context.signal.throwIfAborted();
    for (let at = 0; at < end; ) {
      const features: Feature[] = [];
      parser.coordinates = new Float64Array(3 * perChunk);
      for (; at < end && features.length < perChunk; line++) {
        const start = at;
        at = parser.words.read(bytes, at);
        if (parser.words.count === 0 || bytes[parser.words.starts[0]!] === comment) continue;
        try {
          features.push(parser.feature(bytes, base + start, line, features.length));
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
          context.reportBadRecord({ number: line, reason: error });
        }
      }
      if (features.length > 0) yield features;
    }
    // The number of points is known only at the end.
    context.progress((0.9 * (base + end)) / source.size, 'Reading');
  }
  if (parser.withoutZ > 0) context.remark(`${parser.withoutZ} points have no z.`);
}

const noValues: readonly unknown[] = [];

class PointParser {
  readonly words: PointLine;
  /** x, y, z of the points of a chunk; each feature has a part of it. */
  coordinates = new Float64Array(0);
  /** Number of points whose cell of z is empty. */
  withoutZ = 0;
  readonly #layout: Layout;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.words = new PointLine(layout.separation, layout.columns);
  }

  /** The point of the line whose words were read; `place` is its number among those of the chunk. */
  feature(bytes: Buffer, offset: number, line: number, place: number): Feature {
    const { columns, zColumn, fields, fieldColumns } = this.#layout;
    if (this.words.count !== columns)
      throw new FormatError(`Line ${line} has ${this.words.count} columns, the first has ${columns}.`, offset);
    const { coordinates } = this;
    const first = 3 * place;
    coordinates[first] = this.#coordinate(bytes, 0, offset, line);
    coordinates[first + 1] = this.#coordinate(bytes, 1, offset, line);
    const withoutZ = isEmpty(this.words, zColumn);
    coordinates[first + 2] = withoutZ ? Number.NaN : this.#number(bytes, zColumn, offset, line);
    if (withoutZ) this.withoutZ++;
    const values =
      fieldColumns.length === 0
        ? noValues
        : fieldColumns.map((column, n) => this.#value(bytes, fields[n]!, column, offset, line));
    return { geometry: { type: 'Point', coordinates: coordinates.subarray(first, first + 3) }, values };
  }

  #value(bytes: Buffer, { type }: Field, column: number, offset: number, line: number): unknown {
    if (isEmpty(this.words, column)) return null;
    if (type === 'string') return textAt(bytes, this.words, column);
    const value = this.#number(bytes, column, offset, line);
    return Number.isNaN(value) ? null : value;
  }

  #coordinate(bytes: Buffer, column: number, offset: number, line: number): number {
    const value = this.#number(bytes, column, offset, line);
    if (!Number.isFinite(value)) throw this.#wrong(bytes, column, offset, line, 'a coordinate');
    return value;
  }

  #number(bytes: Buffer, column: number, offset: number, line: number): number {
    const { starts, ends } = this.words;
    const value = numberAt(bytes, starts[column]!, ends[column]!);
    if (value === undefined) throw this.#wrong(bytes, column, offset, line, 'a number');
    return value;
  }

  #wrong(bytes: Buffer, column: number, offset: number, line: number, expected: string): FormatError {
    const shown = shownWord(bytes, this.words.starts[column]!, this.words.ends[column]!);
    return new FormatError(`Line ${line} has '${shown}' in column ${column + 1} in place of ${expected}.`, offset);
  }
}
