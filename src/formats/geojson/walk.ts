import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { isGeometryType } from './geometry-parser.ts';
import { Cursor } from './json-scanner.ts';

/** What is done with the pieces of a file. All are called with the cursor at the value and leave it behind it; each may be begun anew. */
export interface Visitor {
  /** An object that should be a Feature or a geometry; `end` is false for one of a collection, true for one by itself. */
  feature(cursor: Cursor, alone: boolean): void;
  /** A member of a FeatureCollection. */
  member(cursor: Cursor, key: string): void;
}

const featuresAtOnce = 512;

/**
 * Goes through a GeoJSON text: a FeatureCollection, a Feature, a geometry, or a sequence of them (RFC 8142, or one after the other).
 * Yields after every few hundred features.
 */
export async function* walk(source: ByteSource, visitor: (cursor: Cursor) => Visitor): AsyncGenerator<void> {
  const cursor = new Cursor(source);
  const visit = visitor(cursor);
  await cursor.run(() => skipMark(cursor));
  let seen = 0;
  while (await cursor.run(() => nextRoot(cursor))) {
    if (!(await cursor.run(() => root(cursor, visit)))) {
      if (++seen % featuresAtOnce === 0) yield;
      continue;
    }
    let first = true;
    const feature = () => {
      if (!cursor.more(93, first)) return false;
      visit.feature(cursor, false);
      first = false;
      return true;
    };
    while (await cursor.runMany(feature, featuresAtOnce)) yield;
    const member = () => {
      if (!cursor.more(125, false)) return false;
      visit.member(cursor, cursor.key());
      return true;
    };
    while (await cursor.runMany(member, featuresAtOnce));
    seen++;
  }
  if (seen === 0) throw new FormatError('The file is empty; there is no GeoJSON in it.', 0);
  yield;
}

function skipMark(cursor: Cursor): void {
  cursor.peek();
  if (cursor.bytes[cursor.at] === 0xef && cursor.bytes[cursor.at + 1] === 0xbb && cursor.bytes[cursor.at + 2] === 0xbf)
    cursor.at += 3;
}

/** Goes over what separates the texts of a sequence: line ends and record separators. */
function nextRoot(cursor: Cursor): boolean {
  for (let c = cursor.peek(); ; c = cursor.peek()) {
    if (c === 0) {
      if (cursor.at < cursor.end) cursor.fail('The file is no GeoJSON: it has a zero byte.');
      return false;
    }
    if (c !== 0x1e) break;
    cursor.at++;
  }
  if (cursor.bytes[cursor.at] !== 123) cursor.fail("The file is no GeoJSON: it should begin with '{'.");
  return true;
}

/** True when the cursor has been led into the features of a collection; else the object is done with. */
function root(cursor: Cursor, visit: Visitor): boolean {
  const start = cursor.at;
  cursor.at++;
  let type: string | undefined;
  for (let first = true; cursor.more(125, first); first = false) {
    const key = cursor.key();
    const c = cursor.peek();
    if (key === 'type' && c === 34) {
      type = cursor.string();
      if (type === 'Feature' || isGeometryType(type)) break;
    } else if (key === 'features' && c === 91) {
      cursor.at++;
      return true;
    } else if (key === 'features') cursor.fail('The features of the collection are not an array.');
    else visit.member(cursor, key);
  }
  if (type === 'FeatureCollection')
    throw new FormatError('The FeatureCollection has no features.', cursor.base + start);
  if (type !== 'Feature' && (type === undefined || !isGeometryType(type)))
    throw new FormatError(
      type === undefined
        ? 'The object has no type; it is no GeoJSON.'
        : `'${type.slice(0, 40)}' is not a type of GeoJSON.`,
      cursor.base + start,
    );
  cursor.at = start;
  visit.feature(cursor, true);
  return false;
}
