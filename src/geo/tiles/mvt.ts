import { ProtobufWriter } from './protobuf.ts';

/** Units of a side of a tile. */
export const EXTENT = 4096;
/** Units around a tile that are drawn too. */
export const BUFFER = 64;

export type TileGeometryType = 1 | 2 | 3;

/** A feature in units of a tile: x, y from the upper left corner. */
export interface TileFeature {
  readonly id: number;
  /** 1 points, 2 lines, 3 polygons. */
  readonly type: TileGeometryType;
  /** Points together, each line, each ring: exterior rings turn clockwise on the screen, their holes follow. */
  readonly paths: readonly Int32Array[];
  /** By the number of the key; null is left out. */
  readonly values: readonly unknown[];
}

/** A key of the attributes of a layer. */
export interface TileKey {
  readonly name: string;
  /** Numbers are doubles, also whole ones. */
  readonly real: boolean;
}

/** One layer of a Mapbox Vector Tile 2.1. */
export class LayerWriter {
  readonly #layer = new ProtobufWriter();
  /** For a feature and a value, used again and again. */
  readonly #feature = new ProtobufWriter();
  readonly #value = new ProtobufWriter();
  readonly #keys: readonly TileKey[];
  readonly #keyNumbers = new Map<number, number>();
  /** Numbers of the values that were written, of reals and of others. */
  readonly #values = [new Map<unknown, number>(), new Map<unknown, number>()] as const;
  readonly #valueBytes: Uint8Array[] = [];
  #valueSize = 0;
  #keySize = 0;

  constructor(name: string, keys: readonly TileKey[]) {
    this.#keys = keys;
    this.#layer.text(1, name);
  }

  /** Adds a feature, unless the tile would become larger than some bytes: then it is full. Whether it was added. */
  add({ id, type, paths, values }: TileFeature, most: number): boolean {
    const before = { length: this.#layer.length, values: this.#valueBytes.length };
    const tags: number[] = [];
    for (let key = 0; key < values.length; key++) {
      const value = values[key];
      if (value === null || value === undefined) continue;
      let number = this.#keyNumbers.get(key);
      if (number === undefined) {
        number = this.#keyNumbers.size;
        this.#keyNumbers.set(key, number);
        this.#keySize += 4 * this.#keys[key]!.name.length + 10;
      }
      tags.push(number, this.#valueNumber(value, this.#keys[key]!.real));
    }
    const feature = this.#feature;
    feature.length = 0;
    feature.tag(1, 0);
    feature.varint(id);
    if (tags.length > 0) feature.packed(2, tags);
    feature.tag(3, 0);
    feature.varint(type);
    feature.packed(4, commandsOf(type, paths));
    this.#layer.bytes(2, feature.taken());
    if (this.size <= most) return true;
    this.#layer.length = before.length;
    this.#valueBytes.length = before.values;
    return false;
  }

  #valueNumber(value: unknown, real: boolean): number {
    const values = this.#values[real ? 1 : 0];
    const key = typeof value === 'object' ? JSON.stringify(value) : value;
    let number = values.get(key);
    if (number === undefined) {
      number = this.#valueBytes.length;
      values.set(key, number);
      this.#value.length = 0;
      putValue(this.#value, key, real);
      const bytes = this.#value.taken().slice();
      this.#valueBytes.push(bytes);
      this.#valueSize += bytes.length + (bytes.length < 128 ? 2 : 6);
    }
    return number;
  }

  /** Bytes of the tile so far, or a few more. */
  get size(): number {
    return this.#layer.length + this.#valueSize + this.#keySize + 30;
  }

  /** The tile with this layer alone. */
  tile(): Uint8Array {
    for (const key of this.#keyNumbers.keys()) this.#layer.text(3, this.#keys[key]!.name);
    for (const bytes of this.#valueBytes) this.#layer.bytes(4, bytes);
    this.#layer.tag(5, 0);
    this.#layer.varint(EXTENT);
    this.#layer.tag(15, 0);
    this.#layer.varint(2);
    const tile = new ProtobufWriter();
    tile.bytes(3, this.#layer.taken());
    return tile.taken();
  }
}

/** Text, whole numbers, reals and booleans; all else as JSON text. */
function putValue(bytes: ProtobufWriter, value: unknown, real: boolean): void {
  if (typeof value === 'boolean') {
    bytes.tag(7, 0);
    bytes.varint(value ? 1 : 0);
  } else if (!real && (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)))) {
    const whole = BigInt(value);
    // sint packs negative numbers, zigzag
    bytes.tag(whole < 0n ? 6 : 4, 0);
    bytes.bigVarint(whole < 0n ? -2n * whole - 1n : whole);
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    bytes.tag(3, 1);
    bytes.double(Number(value));
  } else bytes.text(1, typeof value === 'string' ? value : JSON.stringify(value));
}

const [MOVE, LINE, CLOSE] = [1, 2, 7];
const command = (id: number, count: number) => count * 8 + id;
const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

function commandsOf(type: TileGeometryType, paths: readonly Int32Array[]): number[] {
  const commands: number[] = [];
  let [x, y] = [0, 0];
  const to = (path: Int32Array, n: number) => {
    commands.push(zigzag(path[2 * n]! - x), zigzag(path[2 * n + 1]! - y));
    x = path[2 * n]!;
    y = path[2 * n + 1]!;
  };
  for (const path of paths) {
    const count = path.length / 2;
    commands.push(command(MOVE, type === 1 ? count : 1));
    for (let n = 0; n < (type === 1 ? count : 1); n++) to(path, n);
    if (type === 1) continue;
    commands.push(command(LINE, count - 1));
    for (let n = 1; n < count; n++) to(path, n);
    if (type === 3) commands.push(command(CLOSE, 1));
  }
  return commands;
}
