import { grown } from '../../data/number-list.ts';
import { ProtobufWriter } from '../../formats/io/protobuf.ts';
import type { PathList } from './tile-geometry.ts';
import type { TileKey, ValueTable } from './tile-values.ts';
import { EXTENT, type TileGeometryType } from './units.ts';

/** A feature in units of a tile: x, y from the upper left corner. */
export interface TileFeature {
  readonly id: number;
  readonly type: TileGeometryType;
  /** Points together, each line, each ring: exterior rings turn clockwise on the screen, their holes follow. */
  readonly paths: PathList;
  /** Pairs of the numbers of a key and of a value of the table. */
  readonly tags: readonly number[];
}

/** One layer of a Mapbox Vector Tile 2.1. */
export class LayerWriter {
  readonly #layer = new ProtobufWriter();
  /** Buffers that are used for each feature, and for its packed values. */
  readonly #feature = new ProtobufWriter();
  readonly #packed = new ProtobufWriter();
  readonly #tile = new ProtobufWriter();
  readonly #keys: readonly TileKey[];
  readonly #table: ValueTable;
  #features = 0;
  /** Number in the tile of each key and value of the table, from 1; 0 if it is not in the tile. */
  readonly #keyNumbers: Uint32Array;
  #valueNumbers = new Uint32Array(1 << 8);
  /** Keys and values of the tile. */
  readonly #ownKeys: number[] = [];
  readonly #ownValues: number[] = [];
  #valueSize = 0;
  #keySize = 0;

  constructor(keys: readonly TileKey[], table: ValueTable) {
    this.#keys = keys;
    this.#table = table;
    this.#keyNumbers = new Uint32Array(keys.length);
  }

  /** Begins a tile. */
  begin(name: string): void {
    for (const key of this.#ownKeys) this.#keyNumbers[key] = 0;
    for (const value of this.#ownValues) this.#valueNumbers[value] = 0;
    this.#ownKeys.length = 0;
    this.#ownValues.length = 0;
    this.#valueSize = 0;
    this.#keySize = 0;
    this.#features = 0;
    this.#layer.length = 0;
    this.#layer.text(1, name);
  }

  /** Features in the tile. */
  get features(): number {
    return this.#features;
  }

  /** Adds a feature, unless the tile would become larger than some bytes: then it is full. Whether it was added. */
  add({ id, type, paths, tags }: TileFeature, most: number): boolean {
    const before = { length: this.#layer.length, keys: this.#ownKeys.length, values: this.#ownValues.length };
    const feature = this.#feature;
    feature.length = 0;
    feature.tag(1, 0);
    feature.varint(id);
    if (tags.length > 0) {
      this.#packed.length = 0;
      for (let n = 0; n < tags.length; n += 2) {
        this.#packed.varint(this.#keyNumber(tags[n]!));
        this.#packed.varint(this.#valueNumber(tags[n + 1]!));
      }
      feature.nested(2, this.#packed);
    }
    feature.tag(3, 0);
    feature.varint(type);
    this.#packed.length = 0;
    putCommands(this.#packed, type, paths);
    feature.nested(4, this.#packed);
    this.#layer.nested(2, feature);
    if (this.size <= most) {
      this.#features++;
      return true;
    }
    this.#layer.length = before.length;
    for (const key of this.#ownKeys.splice(before.keys)) this.#keyNumbers[key] = 0;
    for (const value of this.#ownValues.splice(before.values)) this.#valueNumbers[value] = 0;
    return false;
  }

  #keyNumber(key: number): number {
    const known = this.#keyNumbers[key]!;
    if (known > 0) return known - 1;
    this.#keyNumbers[key] = this.#ownKeys.push(key);
    this.#keySize += 4 * this.#keys[key]!.name.length + 10;
    return this.#ownKeys.length - 1;
  }

  #valueNumber(value: number): number {
    if (value >= this.#valueNumbers.length) this.#valueNumbers = grown(this.#valueNumbers, this.#table.count);
    const known = this.#valueNumbers[value]!;
    if (known > 0) return known - 1;
    this.#valueNumbers[value] = this.#ownValues.push(value);
    const size = this.#table.sizeOf(value);
    this.#valueSize += size + (size < 128 ? 2 : 6);
    return this.#ownValues.length - 1;
  }

  /** Bytes of the tile so far, or a few more. */
  get size(): number {
    return this.#layer.length + this.#valueSize + this.#keySize + 30;
  }

  /** The tile with this layer alone, valid until the next one. */
  tile(): Uint8Array {
    for (const key of this.#ownKeys) this.#layer.text(3, this.#keys[key]!.name);
    for (const value of this.#ownValues) this.#table.put(this.#layer, 4, value);
    this.#layer.tag(5, 0);
    this.#layer.varint(EXTENT);
    this.#layer.tag(15, 0);
    this.#layer.varint(2);
    this.#tile.length = 0;
    this.#tile.nested(3, this.#layer);
    return this.#tile.taken();
  }
}

const [MOVE, LINE, CLOSE] = [1, 2, 7];
const command = (id: number, count: number) => count * 8 + id;

function putCommands(to: ProtobufWriter, type: TileGeometryType, { points, ends, count }: PathList): void {
  let [x, y, at] = [0, 0, 0];
  for (let path = 0; path < count; path++) {
    const end = 2 * ends[path]!;
    const moved = type === 1 ? end : at + 2;
    to.varint(command(MOVE, (moved - at) / 2));
    at = to.differences(points, at, moved, x, y);
    if (at < end) {
      to.varint(command(LINE, (end - at) / 2));
      at = to.differences(points, at, end, points[at - 2]!, points[at - 1]!);
    }
    x = points[at - 2]!;
    y = points[at - 1]!;
    if (type === 3) to.varint(command(CLOSE, 1));
  }
}
