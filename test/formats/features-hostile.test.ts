import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ByteSource } from '../../src/files/data/bytes.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { collection, feature, geometryOf } from './features.ts';
import { someOf } from './hostile.ts';
import { dbfOf, layerFiles, shpOf, type ZipFile, zipOf } from './shapefiles.ts';

const MUTATIONS = someOf(10_000);

const memory = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.slice(offset, offset + length),
});

/** Seeded, so that each run has the same numbers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** Reads all features. Ignores expected errors (FormatError, ConversionError); throws any other. */
async function survives(reader: string, bytes: Uint8Array, scratch: string): Promise<'read' | 'refused'> {
  const closing: (() => Promise<void>)[] = [];
  const nothing = () => {};
  const context = {
    signal: new AbortController().signal,
    scratch,
    log: nothing,
    reportLoss: nothing,
    remark: nothing,
    progress: nothing,
    reportBadRecord: nothing,
    onEnd: (close: () => Promise<void>) => void closing.push(close),
  };
  try {
    const data = await findReader(reader)!.read(memory(bytes), {}, context);
    if (data.kind !== 'features') throw new Error(`${reader} made ${data.kind}.`);
    const stride = 2 + (data.hasZ ? 1 : 0) + (data.hasM ? 1 : 0);
    for await (const chunk of data.chunks())
      for (const { geometry, values } of chunk) {
        if (values.length !== data.fields.length)
          throw new Error('A feature has another number of values than fields.');
        if (geometry !== undefined && geometry.coordinates.length % stride !== 0) throw new Error('Half a vertex.');
      }
    return 'read';
  } catch (error) {
    if (error instanceof FormatError || error instanceof ConversionError) return 'refused';
    throw error;
  } finally {
    for (const close of closing) await close();
  }
}

const ring = [
  [0, 0, 1],
  [0, 1, 2],
  [1, 1, 3],
  [0, 0, 1],
];
const { shp, shx } = shpOf(15, [[ring, ring], [ring], null]);
const columns = [
  { name: 'a', type: 'C', width: 8 },
  { name: 'n', type: 'N', width: 8, decimals: 2 },
  { name: 'd', type: 'D', width: 8 },
  { name: 'i', type: 'I', width: 4 },
];
const dbf = dbfOf(columns, [['x', '1.5', '20240101', 'abcd'], ['ü', '', '', ''], null]);
const files: ZipFile[] = [
  { name: 'a.shp', bytes: shp, stored: true },
  { name: 'a.shx', bytes: shx, stored: true },
  { name: 'a.dbf', bytes: dbf, stored: true },
  { name: 'a.cpg', bytes: Buffer.from('UTF-8'), stored: true },
];
const json = Buffer.from(
  collection(
    [
      feature(
        geometryOf('Polygon', [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ]),
        { a: 'x\n', b: 1.5, c: { d: [1] } },
        { id: 7 },
      ),
      feature({ type: 'GeometryCollection', geometries: [geometryOf('Point', [1, 2, 3])] }, { a: null, b: -1e5 }),
    ],
    { name: 'n', crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } } },
  ),
);

test('every prefix of a file is read or ends with an expected error', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  for (let length = 0; length < json.length; length++)
    t.is(await survives('GeoJsonReader', json.subarray(0, length), scratch), 'refused', String(length));
  const zip = zipOf(files);
  for (let length = 0; length < zip.length; length += 7)
    t.is(await survives('ShapefileReader', zip.subarray(0, length), scratch), 'refused', String(length));
  for (const file of files.slice(0, 3))
    for (let length = 0; length < file.bytes.length; length += 5) {
      const cut = files.map((one) => (one === file ? { ...one, bytes: file.bytes.subarray(0, length) } : one));
      await survives('ShapefileReader', zipOf(cut), scratch);
    }
});

test('seeded mutations of a GeoJSON file are read or end with an expected error', async (t) => {
  const random = seeded(4711);
  const alphabet = Buffer.from('{}[]",:0123456789.eE+-\\ntrufalse \x1e\n\0\xff', 'latin1');
  let read = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const bytes = Buffer.from(json);
    for (let k = 0; k < 1 + random() * 3; k++)
      bytes[Math.floor(random() * bytes.length)] = alphabet[Math.floor(random() * alphabet.length)]!;
    if ((await survives('GeoJsonReader', bytes, '')) === 'read') read++;
  }
  t.true(read > MUTATIONS / 100 && read < 0.99 * MUTATIONS, String(read));
});

test('seeded mutations of a zipped shapefile are read or end with an expected error', async (t) => {
  const scratch = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(scratch, { recursive: true, force: true }));
  const random = seeded(42);
  const odd = [0, 1, 0x7f, 0x80, 0xff];
  let read = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const victim = Math.floor(random() * 4);
    const damage = (bytes: Uint8Array) => {
      const copy = Buffer.from(bytes);
      for (let k = 0; k < 1 + random() * 3; k++)
        copy[Math.floor(random() * copy.length)] =
          random() < 0.5 ? odd[Math.floor(random() * 5)]! : Math.floor(random() * 256);
      return copy;
    };
    const zip =
      victim === 3
        ? damage(zipOf(files))
        : zipOf(files.map((one, i) => (i === victim ? { ...one, bytes: damage(one.bytes) } : one)));
    if ((await survives('ShapefileReader', zip, scratch)) === 'read') read++;
  }
  t.true(read > MUTATIONS / 10 && read < 0.99 * MUTATIONS, String(read));
});

test('no name in a zip makes the reader write outside of the scratch folder', async (t) => {
  const outside = await mkdtemp(join(tmpdir(), 'hostile-'));
  t.teardown(() => rm(outside, { recursive: true, force: true }));
  const scratch = join(outside, 'scratch');
  await mkdir(scratch);
  await writeFile(join(outside, 'mine'), 'x');
  for (const name of ['../mine', '../../x', 'a/../../mine', '/tmp/hostile-x'])
    t.is(await survives('ShapefileReader', zipOf(layerFiles(name)), scratch), 'refused', name);
  await survives('ShapefileReader', zipOf(files), scratch);
  t.deepEqual((await readdir(outside)).toSorted(), ['mine', 'scratch']);
});

test('a thousand nested arrays, a million brackets and huge counts take neither memory nor time', async (t) => {
  for (const text of [
    `{"type":"Point","coordinates":${'['.repeat(1_000_000)}`,
    `{"type":"Feature","properties":{"a":${'{"b":'.repeat(100_000)}1`,
    `${'{"type":"GeometryCollection","geometries":['.repeat(1000)}${']}'.repeat(1000)}`,
    `{"type":"Feature","geometry":null,"properties":{${Array.from({ length: 5000 }, (_, n) => `"k${n}":1`).join(',')}}}`,
  ])
    t.is(await survives('GeoJsonReader', Buffer.from(text), ''), 'refused', text.slice(0, 60));
});
