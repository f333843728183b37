import type { ByteSink } from '../../../data/bytes.ts';
import { product } from '../../../data/hyperslab.ts';
import {
  bytesOfValues,
  bytesPerValue,
  newValues,
  type StoredType,
  type StoredValues,
} from '../../../data/stored-values.ts';
import { stepsOf } from '../../../data/time-axis.ts';
import type { Context } from '../../define.ts';
import type { ArraySpec, Attributes } from '../../io/store/array-spec.ts';
import { clockArrays, type ItemArray, type StoreContent, type WholeArray } from '../../io/store/content.ts';
import { TIME } from '../../io/store/time.ts';
import { attributeValue } from '../attribute-value.ts';
import { swapped } from './byte-order.ts';
import { classicTypes, padded } from './header.ts';

const tags = { dimension: 10, variable: 11, attribute: 12 };
/** Offsets and sizes from which on a version cannot hold them. */
const limits = { offset: 2 ** 31 - 1, size: 2 ** 32 - 4 };
/** Bytes of records that are written at a time. */
const blockBytes = 1 << 20;

/** A variable, and how its values come. */
interface Part {
  readonly spec: ArraySpec;
  readonly inRecords: boolean;
  /** All values, or those of a step of a variable in records. */
  values(step: number): AsyncIterable<StoredValues> | Iterable<StoredValues>;
}

/**
 * Writes the classic format: variables without time one after the other, then a record for each step. CDF-1, with
 * 64-bit offsets (CDF-2) where they must be; CDF-5 for types and sizes that both do not have.
 */
export async function writeClassic(content: StoreContent, sink: ByteSink, { signal }: Context): Promise<void> {
  const parts = partsOf(content);
  const steps = content.time === undefined ? 0 : stepsOf({ time: content.time });
  const header = new Header(parts, content.attributes, steps);
  await sink.append(header.bytes());
  for (const part of parts) if (!part.inRecords) await append(part, 0, sink, signal);
  const single = parts.filter(({ inRecords }) => inRecords).length === 1;
  let block: Uint8Array[] = [];
  let held = 0;
  for (let step = 0; step < steps; step++)
    for (const part of parts) {
      if (!part.inRecords) continue;
      signal.throwIfAborted();
      let size = 0;
      for await (const values of part.values(step)) {
        const bytes = bigEndian(values);
        size += bytes.length;
        block.push(bytes);
      }
      if (!single) block.push(new Uint8Array(padded(size) - size));
      held += size;
      if (held < blockBytes) continue;
      await sink.append(Buffer.concat(block));
      block = [];
      held = 0;
    }
  if (block.length > 0) await sink.append(Buffer.concat(block));
}

async function append(part: Part, step: number, sink: ByteSink, signal: AbortSignal): Promise<void> {
  let size = 0;
  for await (const values of part.values(step)) {
    signal.throwIfAborted();
    const bytes = bigEndian(values);
    size += bytes.length;
    await sink.append(bytes);
  }
  if (padded(size) > size) await sink.append(new Uint8Array(padded(size) - size));
}

const bigEndian = (values: StoredValues): Uint8Array => bytesOfValues(swapped(values.slice() as StoredValues));

function partsOf(content: StoreContent): Part[] {
  const { scalars, wholes, items } = content;
  const clock = clockArrays(content);
  return [
    ...scalars.map((spec): Part => ({ spec, inRecords: false, values: () => [newValues(spec.type, 1)] })),
    ...[...clock, ...wholes.map(signed)].map(({ spec, values }): Part => {
      const inRecords = spec.dimensions[0] === TIME;
      const row = product(spec.shape.slice(1));
      return {
        spec,
        inRecords,
        values: (step) => [inRecords ? (values.subarray(step * row, (step + 1) * row) as StoredValues) : values],
      };
    }),
    ...items.map(
      ({ spec, timed, values }: ItemArray): Part => ({ spec, inRecords: timed && spec.dimensions[0] === TIME, values }),
    ),
  ];
}

/** Numbers that describe cells as signed integers, which all versions have. */
function signed({ spec, values }: WholeArray): WholeArray {
  if (spec.characters) return { spec, values };
  const type = spec.type === 'UInt8' ? 'Int16' : spec.type === 'UInt32' || spec.type === 'UInt16' ? 'Int32' : spec.type;
  if (type === spec.type || values.some((value: number | bigint) => value > 0x7fffffff)) return { spec, values };
  const wider = newValues(type, values.length);
  wider.set(values as never);
  return { spec: { ...spec, type }, values: wider };
}

const typeNumber = (type: StoredType): number => classicTypes.indexOf(type);

const typeOf = ({ type, characters }: ArraySpec): number =>
  characters ? classicTypes.indexOf('Char') : typeNumber(type);

class Header {
  readonly #parts: readonly Part[];
  readonly #attributes: Attributes;
  readonly #steps: number;
  readonly #dimensions = new Map<string, number>();
  #version: 1 | 2 | 5 = 1;

  constructor(parts: readonly Part[], attributes: Attributes, steps: number) {
    this.#parts = parts;
    this.#attributes = attributes;
    this.#steps = steps;
    for (const { spec } of parts)
      for (const [d, name] of spec.dimensions.entries()) this.#dimensions.set(name, name === TIME ? 0 : spec.shape[d]!);
    const types = parts.map(({ spec }) => typeOf(spec));
    const sizes = parts.map((part) => this.#sizeOf(part));
    const total = parts.reduce((sum, part, n) => sum + sizes[n]! * (part.inRecords ? steps : 1), 0);
    if (types.some((type) => type > 6) || sizes.some((size) => size > limits.size)) this.#version = 5;
    else if (total > limits.offset - (1 << 24)) this.#version = 2;
  }

  bytes(): Buffer {
    let at = this.#bytes(this.#parts.map(() => 0)).length;
    const begins = this.#parts.map(() => 0);
    for (const inRecords of [false, true])
      for (const [n, part] of this.#parts.entries()) {
        if (part.inRecords !== inRecords) continue;
        begins[n] = at;
        at += padded(this.#sizeOf(part));
      }
    return this.#bytes(begins);
  }

  #sizeOf({ spec, inRecords }: Part): number {
    return product(inRecords ? spec.shape.slice(1) : spec.shape) * bytesPerValue(spec.type);
  }

  #bytes(begins: readonly number[]): Buffer {
    const names = [...this.#dimensions.keys()];
    return Buffer.concat([
      Buffer.from(`CDF${String.fromCharCode(this.#version)}`, 'latin1'),
      this.#count(this.#steps),
      this.#list(
        tags.dimension,
        [...this.#dimensions].map(([name, length]) => [this.#name(name), this.#count(length)]),
      ),
      this.#attributeList(this.#attributes),
      this.#list(
        tags.variable,
        this.#parts.map((part, n) => [
          this.#name(part.spec.name),
          this.#count(part.spec.dimensions.length),
          ...part.spec.dimensions.map((dimension) => this.#count(names.indexOf(dimension))),
          this.#attributeList(part.spec.attributes, part.spec.type),
          u32(typeOf(part.spec)),
          this.#count(Math.min(padded(this.#sizeOf(part)), this.#version === 5 ? Number.MAX_SAFE_INTEGER : 0xffffffff)),
          this.#version === 1 ? u32(begins[n]!) : u64(begins[n]!),
        ]),
      ),
    ]);
  }

  #count(value: number): Buffer {
    return this.#version === 5 ? u64(value) : u32(value);
  }

  #name(text: string): Buffer {
    const bytes = Buffer.from(text);
    return Buffer.concat([this.#count(bytes.length), withPadding(bytes)]);
  }

  #list(tag: number, parts: readonly Buffer[][]): Buffer {
    if (parts.length === 0) return Buffer.concat([u32(0), this.#count(0)]);
    return Buffer.concat([u32(tag), this.#count(parts.length), ...parts.flat()]);
  }

  #attributeList(attributes: Attributes, type?: StoredType): Buffer {
    return this.#list(
      tags.attribute,
      Object.entries(attributes).flatMap(([name, given]) => {
        const value = attributeValue(name, given, type);
        if (value === undefined) return [];
        const text = typeof value === 'string';
        const bytes = Buffer.from(text ? value : bigEndian(value.values));
        const number = text ? classicTypes.indexOf('Char') : typeNumber(value.type);
        return [
          [this.#name(name), u32(number), this.#count(text ? bytes.length : value.values.length), withPadding(bytes)],
        ];
      }),
    );
  }
}

const withPadding = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
