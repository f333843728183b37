import type { ByteSource } from '../../data/bytes.ts';
import { FormatError } from '../../errors.ts';
import { isGeometryType } from './geometry-parser.ts';
import { JsonScanner } from './json-scanner.ts';

/**
 * Callbacks of `walk`. Each is called with the scanner at the start of a value and must move it behind the value. A
 * call may be aborted for more input and repeated from the start of the value.
 */
export interface Visitor {
  /** Called at an object that should be a Feature or a geometry; `alone` is true outside of a FeatureCollection. */
  feature(scanner: JsonScanner, alone: boolean): void;
  /** Called at the value of another member of a FeatureCollection. */
  member(scanner: JsonScanner, key: string): void;
}

const featuresPerChunk = 512;

/**
 * Walks through a GeoJSON text: a FeatureCollection, a Feature, a geometry, or a sequence of them (RFC 8142, or one per
 * line). Yields after every 512 features.
 */
export async function* walk(source: ByteSource, visitor: (scanner: JsonScanner) => Visitor): AsyncGenerator<void> {
  const scanner = new JsonScanner(source);
  const visit = visitor(scanner);
  await scanner.run(() => skipByteOrderMark(scanner));
  let seen = 0;
  while (await scanner.run(() => nextRoot(scanner))) {
    if (!(await scanner.run(() => root(scanner, visit)))) {
      if (++seen % featuresPerChunk === 0) yield;
      continue;
    }
    let first = true;
    const feature = () => {
      if (!scanner.more(93, first)) return false;
      visit.feature(scanner, false);
      first = false;
      return true;
    };
    while (await scanner.runMany(feature, featuresPerChunk)) yield;
    const member = () => {
      if (!scanner.more(125, false)) return false;
      visit.member(scanner, scanner.key());
      return true;
    };
    while (await scanner.runMany(member, featuresPerChunk));
    seen++;
  }
  if (seen === 0) throw new FormatError('The file contains no GeoJSON.', 0);
  yield;
}

function skipByteOrderMark(scanner: JsonScanner): void {
  scanner.peek();
  if (
    scanner.bytes[scanner.at] === 0xef &&
    scanner.bytes[scanner.at + 1] === 0xbb &&
    scanner.bytes[scanner.at + 2] === 0xbf
  )
    scanner.at += 3;
}

/**
 * Skips separators between the texts of a sequence: white space, RFC 8142's record separator, and Ctrl-Z at the end.
 * False at the end of the file.
 */
function nextRoot(scanner: JsonScanner): boolean {
  for (let c = scanner.peek(); ; c = scanner.peek()) {
    if (c === 0) {
      if (scanner.at < scanner.end) scanner.fail('The file is not GeoJSON: it contains a zero byte.');
      return false;
    }
    if (c !== 0x1e && c !== 0x1a) break;
    scanner.at++;
  }
  if (scanner.bytes[scanner.at] !== 123) scanner.fail("The file is not GeoJSON: it does not begin with '{'.");
  return true;
}

/**
 * Reads the start of a root object. Returns true at the features of a FeatureCollection; otherwise the whole object was
 * visited.
 */
function root(scanner: JsonScanner, visit: Visitor): boolean {
  const start = scanner.at;
  scanner.at++;
  let type: string | undefined;
  for (let first = true; scanner.more(125, first); first = false) {
    const key = scanner.key();
    const c = scanner.peek();
    if (key === 'type' && c === 34) {
      type = scanner.string();
      if (type === 'Feature' || isGeometryType(type)) break;
    } else if (key === 'features' && c === 91) {
      scanner.at++;
      return true;
    } else if (key === 'features') scanner.fail("The member 'features' of the FeatureCollection is not an array.");
    else visit.member(scanner, key);
  }
  if (type === 'FeatureCollection')
    throw new FormatError("The FeatureCollection has no member 'features'.", scanner.base + start);
  if (type !== 'Feature' && (type === undefined || !isGeometryType(type)))
    throw new FormatError(
      type === undefined
        ? "The object is not GeoJSON: it has no member 'type'."
        : `'${type.slice(0, 40)}' is not a GeoJSON type.`,
      scanner.base + start,
    );
  scanner.at = start;
  visit.feature(scanner, true);
  return false;
}
