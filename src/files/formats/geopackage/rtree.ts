import type { DatabaseSync } from 'node:sqlite';
import type { Boxes } from '../../geo/vector/spatial-order.ts';
import { quoted } from './sql.ts';

export interface Indexed {
  readonly table: string;
  readonly key: string;
  readonly geometry: string;
}

/** Bytes of a cell of a node: key or child (8), west, east, south, north (4 each), all big-endian. */
const cellBytes = 24;
/** As SQLite chooses them for pages of 4,096 bytes. */
const cellsPerNode = 51;
const nodeBytes = 4 + cellBytes * cellsPerNode;
/** Leaves are not full, so that a row that is added does not split one at once. */
const filled = 46;

/** Creates the R-tree of a table, packed along a Hilbert curve, with the triggers of the extension `rtree_index`. */
export function createIndex(database: DatabaseSync, indexed: Indexed, boxes: Boxes, keys: readonly number[]): void {
  const { table, geometry } = indexed;
  const name = `rtree_${table}_${geometry}`;
  database.exec(`create virtual table ${quoted(name)} using rtree(id, minx, maxx, miny, maxy)`);
  if (keys.length > 0) fill(database, name, boxes, keys);
  createTriggers(database, indexed, name);
  database
    .prepare('insert into gpkg_extensions values (?, ?, ?, ?, ?)')
    .run(table, geometry, 'gpkg_rtree_index', 'http://www.geopackage.org/spec120/#extension_rtree', 'write-only');
}

/** Nodes of one level: for each entry its number and box. */
interface Level {
  readonly numbers: readonly number[];
  /** West, east, south, north in single precision, rounded outwards. */
  readonly sides: Float32Array;
}

/** Writes the tables of the R-tree: nodes (the root has the number 1), and the node of each row and node. */
function fill(database: DatabaseSync, name: string, boxes: Boxes, keys: readonly number[]): void {
  const addNode = database.prepare(`insert or replace into ${quoted(`${name}_node`)} values (?, ?)`);
  const addRow = database.prepare(`insert into ${quoted(`${name}_rowid`)} values (?, ?)`);
  const addParent = database.prepare(`insert into ${quoted(`${name}_parent`)} values (?, ?)`);
  const order = boxes.order();
  const sides = new Float32Array(4 * order.length);
  const box = new Float64Array(4);
  for (let n = 0; n < order.length; n++) {
    boxes.copy(order[n]!, box, 0);
    sides[4 * n] = roundDown(box[0]!);
    sides[4 * n + 1] = roundUp(box[2]!);
    sides[4 * n + 2] = roundDown(box[1]!);
    sides[4 * n + 3] = roundUp(box[3]!);
  }
  let level: Level = { numbers: Array.from(order, (n) => keys[n]!), sides };
  let nextNode = 2;
  for (let depth = 0; ; depth++) {
    const count = level.numbers.length;
    const isRoot = count <= cellsPerNode;
    const nodes = isRoot ? 1 : Math.ceil(count / filled);
    const above = { numbers: [] as number[], sides: new Float32Array(4 * nodes) };
    for (let n = 0, first = 0; n < nodes; n++) {
      const end = isRoot ? count : Math.floor(((n + 1) * count) / nodes);
      const number = isRoot ? 1 : nextNode++;
      addNode.run(number, nodeOf(level, first, end, isRoot ? depth : 0));
      const link = depth === 0 ? addRow : addParent;
      for (let k = first; k < end; k++) link.run(level.numbers[k]!, number);
      above.numbers.push(number);
      widen(above.sides, n, level.sides, first, end);
      first = end;
    }
    if (isRoot) return;
    level = above;
  }
}

function nodeOf({ numbers, sides }: Level, first: number, end: number, depth: number): Buffer {
  const node = Buffer.alloc(nodeBytes);
  node.writeUInt16BE(depth, 0);
  node.writeUInt16BE(end - first, 2);
  let at = 4;
  for (let n = first; n < end; n++) {
    at = node.writeBigInt64BE(BigInt(numbers[n]!), at);
    for (let side = 0; side < 4; side++) at = node.writeFloatBE(sides[4 * n + side]!, at);
  }
  return node;
}

function widen(to: Float32Array, n: number, from: Float32Array, first: number, end: number): void {
  to.set([Infinity, -Infinity, Infinity, -Infinity], 4 * n);
  for (let k = first; k < end; k++)
    for (let side = 0; side < 4; side++) {
      const value = from[4 * k + side]!;
      const place = 4 * n + side;
      if (side % 2 === 0 ? value < to[place]! : value > to[place]!) to[place] = value;
    }
}

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);

/** The largest single-precision number that is not above the value. */
function roundDown(value: number): number {
  float[0] = value;
  if (float[0]! > value) step(-1);
  return float[0]!;
}

/** The smallest single-precision number that is not below the value. */
function roundUp(value: number): number {
  float[0] = value;
  if (float[0]! < value) step(1);
  return float[0]!;
}

/** The next single-precision number in a direction. */
function step(direction: 1 | -1): void {
  if (float[0] === 0) {
    bits[0] = direction > 0 ? 1 : -0x7fffffff;
    return;
  }
  bits[0]! += float[0]! > 0 === direction > 0 ? 1 : -1;
}

/** The triggers that keep the index, from OGC 12-128r17, annex F.3. */
function createTriggers(database: DatabaseSync, { table, key, geometry }: Indexed, name: string): void {
  const [t, i, c, r] = [quoted(table), quoted(key), quoted(geometry), quoted(name)];
  const sides = `st_minx(new.${c}), st_maxx(new.${c}), st_miny(new.${c}), st_maxy(new.${c})`;
  const isPlaced = `(new.${c} notnull and not st_isempty(new.${c}))`;
  const isUnplaced = `(new.${c} isnull or st_isempty(new.${c}))`;
  const trigger = (suffix: string) => quoted(`${name}_${suffix}`);
  database.exec(`
    create trigger ${trigger('insert')} after insert on ${t} when ${isPlaced}
      begin insert or replace into ${r} values (new.${i}, ${sides}); end;
    create trigger ${trigger('update1')} after update of ${c} on ${t} when old.${i} = new.${i} and ${isPlaced}
      begin insert or replace into ${r} values (new.${i}, ${sides}); end;
    create trigger ${trigger('update2')} after update of ${c} on ${t} when old.${i} = new.${i} and ${isUnplaced}
      begin delete from ${r} where id = old.${i}; end;
    create trigger ${trigger('update3')} after update on ${t} when old.${i} != new.${i} and ${isPlaced}
      begin delete from ${r} where id = old.${i}; insert or replace into ${r} values (new.${i}, ${sides}); end;
    create trigger ${trigger('update4')} after update on ${t} when old.${i} != new.${i} and ${isUnplaced}
      begin delete from ${r} where id in (old.${i}, new.${i}); end;
    create trigger ${trigger('delete')} after delete on ${t} when old.${c} not null
      begin delete from ${r} where id = old.${i}; end`);
}
