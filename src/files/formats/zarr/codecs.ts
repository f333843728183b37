import { product } from '../../data/hyperslab.ts';
import type { StoredType } from '../../data/stored-values.ts';
import { FormatError } from '../../errors.ts';
import { shown } from '../io/zip.ts';
import { type ByteType, typeOfDtype, widthOf } from './data-type.ts';

/** Codecs that make bytes shorter. */
export const packers = ['zstd', 'gzip', 'zlib', 'blosc', 'lz4'] as const;
export type Packer = (typeof packers)[number];

/** A codec from values to values, as it is undone. */
export type ArrayStep =
  /** Sums of differences. */
  | { readonly by: 'delta'; readonly to: StoredType }
  | { readonly by: 'scale'; readonly to: StoredType; readonly scale: number; readonly offset: number }
  | { readonly by: 'cast'; readonly to: StoredType }
  /** `shape` is that of the array; dimension n of the stored values is its dimension `order[n]`. */
  | { readonly by: 'transpose'; readonly shape: readonly number[]; readonly order: readonly number[] };

/** A codec from bytes to bytes, as it is undone. */
export type ByteStep =
  | { readonly by: 'unpack'; readonly packer: Packer }
  | { readonly by: 'shuffle'; readonly width: number }
  | { readonly by: 'checksum'; readonly check: 'crc32c' | 'crc32' | 'adler32'; readonly at: 'start' | 'end' };

/** How the values of a chunk become bytes; steps in the order of writing. Plain data: threads get it as a message. */
export interface Codecs {
  readonly arraySteps: readonly ArrayStep[];
  /** Type of the values after `arraySteps`. */
  readonly stored: ByteType;
  readonly byteSteps: readonly ByteStep[];
}

/** A codec as metadata name it. */
export interface NamedCodec {
  readonly name: string;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** Collects the codecs of an array in the order of writing. */
export class CodecList {
  readonly #label: string;
  readonly #shape: readonly number[];
  readonly #arraySteps: ArrayStep[] = [];
  readonly #byteSteps: ByteStep[] = [];
  #type: ByteType;

  /** @param shape that of a chunk */
  constructor(label: string, type: ByteType, shape: readonly number[]) {
    this.#label = label;
    this.#type = type;
    this.#shape = shape;
  }

  get codecs(): Codecs {
    return { arraySteps: this.#arraySteps, stored: this.#type, byteSteps: this.#byteSteps };
  }

  /** The byte order of the values. */
  order(bigEndian: boolean): void {
    this.#type = { ...this.#type, bigEndian };
  }

  /** @throws FormatError for a codec that is not supported */
  add(codec: NamedCodec): void {
    const name = codec.name.replace(/^numcodecs\./, '');
    const { configuration } = codec;
    const step = byteStep(name, configuration, this.#type);
    if (step !== undefined) this.#byteSteps.push(step);
    else if (this.#byteSteps.length > 0 || !this.#addArrayStep(name, configuration))
      throw this.#unsupported(codec.name);
  }

  /** Only steps from values to values, before the bytes. */
  addToValues(codec: NamedCodec): void {
    if (!this.#addArrayStep(codec.name.replace(/^numcodecs\./, ''), codec.configuration))
      throw this.#unsupported(codec.name);
  }

  #addArrayStep(name: string, configuration: NamedCodec['configuration']): boolean {
    if (name === 'transpose') {
      const order = orderOf(configuration.order, this.#shape.length);
      if (order === undefined || this.#arraySteps.some(({ by }) => by === 'transpose')) return false;
      this.#arraySteps.push({ by: 'transpose', shape: this.#shape, order });
      return true;
    }
    const { dtype, astype, encode_dtype, decode_dtype, scale, offset = 0 } = configuration;
    // Bits that were rounded stay so.
    if (name === 'bitround') return true;
    const to = this.#dtype(decode_dtype ?? dtype, this.#type);
    const stored = this.#dtype(encode_dtype ?? astype, to);
    if (to.type === 'Float16') return false;
    const isCast = name === 'astype' || name === 'quantize';
    if (stored.type === 'Float16' && !isCast) return false;
    if (name === 'delta') this.#arraySteps.push({ by: 'delta', to: to.type });
    else if (isCast) this.#arraySteps.push({ by: 'cast', to: to.type });
    else if (name === 'fixedscaleoffset' && isNumber(scale) && scale !== 0 && isNumber(offset))
      this.#arraySteps.push({ by: 'scale', to: to.type, scale, offset });
    else return false;
    this.#type = stored;
    return true;
  }

  #dtype(given: unknown, otherwise: ByteType): ByteType {
    if (given === undefined || given === null) return otherwise;
    const type = typeOfDtype(given);
    if (type !== undefined) return type;
    throw new FormatError(`${this.#label} has a filter of the type ${JSON.stringify(given).slice(0, 80)}.`);
  }

  #unsupported(name: string): FormatError {
    return new FormatError(
      `${this.#label} has the codec '${shown(name)}', which is not supported. Supported are ${supported}.`,
    );
  }
}

const supported =
  'blosc, gzip, lz4, zlib, zstd, crc32c, transpose, shuffle, delta, fixedscaleoffset, astype, quantize and sharding';

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function byteStep(name: string, { elementsize, location }: NamedCodec['configuration'], type: ByteType) {
  const packer = packers.find((one) => one === name);
  if (packer !== undefined) return { by: 'unpack', packer } as const;
  if (name === 'shuffle') {
    const width = elementsize === undefined ? widthOf(type) : Number(elementsize);
    return Number.isInteger(width) && width > 0 && width < 256 ? ({ by: 'shuffle', width } as const) : undefined;
  }
  if (name !== 'crc32c' && name !== 'crc32' && name !== 'adler32') return undefined;
  const at = location === 'start' || location === 'end' ? location : name === 'crc32c' ? 'end' : 'start';
  return { by: 'checksum', check: name, at } as const;
}

/** A permutation of the dimensions; words are those of early drafts of Zarr 3. */
function orderOf(given: unknown, dimensions: number): number[] | undefined {
  const rising = Array.from({ length: dimensions }, (_, d) => d);
  if (given === 'C') return rising;
  if (given === 'F') return rising.toReversed();
  if (!Array.isArray(given) || given.length !== dimensions) return undefined;
  return new Set(given).size === dimensions && given.every((one) => rising.includes(one)) ? given : undefined;
}

/** Bytes of the values of a chunk before the first codec from bytes to bytes. */
export const storedLength = ({ stored }: Codecs, shape: readonly number[]): number => product(shape) * widthOf(stored);
