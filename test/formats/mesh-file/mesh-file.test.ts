import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { CELL_SHAPES } from '../../../src/files/data/mesh.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { converted } from '../files.ts';
import { mutate, outcome } from '../hostile.ts';
import { flatMesh, layeredMesh } from '../meshes.ts';
import { memory, read } from '../read.ts';
import { written } from '../written.ts';

const nodes = ['1 0 0 -1.5 1', '2 10 0 -2.5 1', '3 10 10 -3.5 2', '4 0 10 -4 3', '5 20 5 -6 1'];
const elements = ['2 4 25', '1 1 2 3 4', '2 2 5 3 0'];
const fileOf = (header: string, { nodeLines = nodes, elementLines = elements, end = '\n' } = {}): string =>
  [header, ...nodeLines, ...elementLines].join(end) + end;
const newer = '100079 1000 5 UTM-33';

test('nodes, boundary codes, triangles and quads are read, with both header forms', async (t) => {
  for (const header of [newer, '5 UTM-33']) {
    const { data } = await read(t, 'mesh', 'MeshFileReader', fileOf(header));
    t.deepEqual([...data.nodes], [0, 0, -1.5, 10, 0, -2.5, 10, 10, -3.5, 0, 10, -4, 20, 5, -6]);
    t.deepEqual([...data.nodeCodes!], [1, 1, 2, 3, 1]);
    t.deepEqual([...data.shapes], [CELL_SHAPES.quad, CELL_SHAPES.triangle]);
    t.deepEqual([...data.connectivity], [0, 1, 2, 3, 1, 4, 2]);
    t.deepEqual([...data.offsets], [0, 4, 7]);
    t.like(data.crs, { code: 32633, wkt: 'UTM-33' });
    t.is(data.nodeIds, undefined);
  }
});

test('coordinates may have Fortran exponents', async (t) => {
  const nodeLines = nodes.map((line) => line.replace('-2.5', '-0.25D+01').replace('20', '2.0d1'));
  const text = fileOf(newer, { nodeLines });
  t.like(await detect(memory(Buffer.from(text))), { format: 'mesh' });
  const { data } = await read(t, 'mesh', 'MeshFileReader', text);
  t.deepEqual([...data.nodes], [0, 0, -1.5, 10, 0, -2.5, 10, 10, -3.5, 0, 10, -4, 20, 5, -6]);
});

test('the bathymetry of an element is the mean of its nodes', async (t) => {
  const { data } = await read(t, 'mesh', 'MeshFileReader', fileOf(newer));
  t.deepEqual(data.items, [
    { name: 'Bathymetry', location: 'cell', type: 'Float32', unit: 'm', eum: { item: 100079, unit: 1000 } },
  ]);
  t.deepEqual([...(await data.values(0, 0))], [-2.875, -4]);
});

test('tabs, CRLF, blank lines, a byte order mark and a missing last line feed are accepted', async (t) => {
  const text = fileOf(newer, { end: '\r\n' }).replaceAll(' ', '\t').replace('\t', ' ');
  for (const one of [text, text.trimEnd(), `\ufeff${text}`, text.replace('2\t4\t25', '\r\n2\t4\t25')]) {
    const { data } = await read(t, 'mesh', 'MeshFileReader', one);
    t.is(data.shapes.length, 2);
    t.is(data.nodes.length, 15);
  }
});

test('elements refer to nodes by id, in any order of ids', async (t) => {
  const ids: Record<string, string> = { 1: '1', 2: '7', 3: '3', 4: '100', 5: '2' };
  const nodeLines = nodes.map((line) => line.replace(/^\d/, (id) => ids[id]!));
  const elementLines = ['2 4 25', '4 1 7 3 100', '9 7 2 3 0'];
  const { data } = await read(t, 'mesh', 'MeshFileReader', fileOf(newer, { nodeLines, elementLines }));
  t.deepEqual([...data.connectivity], [0, 1, 2, 3, 1, 4, 2]);
  t.deepEqual([...data.nodeIds!], [1, 7, 3, 100, 2]);
  t.deepEqual([...data.cellIds!], [4, 9]);
});

test('LONG/LAT is WGS 84, UTM-nn a UTM zone of WGS 84; other projection texts are kept', async (t) => {
  const crsOf = async (projection: string) =>
    (await read(t, 'mesh', 'MeshFileReader', fileOf(`100079 1000 5 ${projection}`))).data.crs;
  t.like(await crsOf('LONG/LAT'), { code: 4326 });
  t.like(await crsOf('UTM-1'), { code: 32601 });
  t.is(await crsOf('NON-UTM'), undefined);
  t.deepEqual(await crsOf('PROJCS["a b",GEOGCS["c"]]'), { wkt: 'PROJCS["a b",GEOGCS["c"]]' });
  const { data } = await read(t, 'mesh', 'MeshFileReader', fileOf(newer), { SRID: 25832 });
  t.is(data.crs, undefined);
});

for (const [fault, text, message] of [
  ['no header', 'hello\n1 2 3\n', /'hello' is not the header of a mesh file/],
  ['more nodes than the file can have', fileOf('100079 1000 5000 UTM-33'), /declares 5000 nodes/],
  ['fewer nodes than declared', fileOf('100079 1000 6 UTM-33'), /Line 7 has 3 words; a coordinate is missing/],
  ['a word among the coordinates', fileOf(newer).replace('-3.5', 'x'), /Line 4 has 'x' in place of a coordinate/],
  ['a coordinate beyond all numbers', fileOf(newer).replace('-3.5', '1e999'), /'1e999' in place of a coordinate/],
  ['a node that is not there', fileOf(newer).replace('2 5 3 0', '2 6 3 0'), /'6' in place of the id of a node/],
  ['a node twice', fileOf(newer).replace('3 10 10', '2 10 10'), /Line 4 has '2' in place of a node id/],
  [
    'an element of two nodes',
    fileOf(newer).replace('2 2 5 3 0', '2 2 5'),
    /Line 9 has 2 nodes|has 2 nodes, not 3 or 4/,
  ],
  ['more elements than the file can have', fileOf(newer).replace('2 4 25', '900 4 25'), /declares 900 elements/],
  ['fewer elements than declared', fileOf(newer).replace('2 4 25', '3 4 25'), /ends before element 3 of 3/],
  ['more elements than declared', fileOf(newer).replace('2 4 25', '1 4 25'), /Line 9 follows the last of 1 elements/],
  ['elements of five nodes', fileOf(newer).replace('2 4 25', '2 5 25'), /'5' in place of the most nodes/],
  ['no elements', fileOf(newer, { elementLines: [] }), /ends before .*the number of elements/],
] as const)
  test(`a mesh file is refused with the offset: ${fault}`, async (t) => {
    const error = await t.throwsAsync(read(t, 'mesh', 'MeshFileReader', text), { instanceOf: FormatError });
    t.regex(error!.message, message);
    t.regex(error!.message, /at byte \d+/);
  });

test('rewriting a mesh file keeps its content, in the newer form', async (t) => {
  for (const header of [newer, '5 UTM-33', '100079 1000 5 LONG/LAT', '100079 1014 5 NON-UTM']) {
    const text = fileOf(header);
    const { text: again } = await converted(t, text, { reader: 'MeshFileReader', writer: 'MeshFileWriter' });
    t.is(again, header === '5 UTM-33' ? fileOf(newer) : text);
  }
});

test('nodes and elements are renumbered from 1: MIKE uses ids as positions', async (t) => {
  const ids: Record<string, string> = { 1: '1', 2: '7', 3: '3', 4: '100', 5: '2' };
  const odd = fileOf(newer, {
    nodeLines: nodes.map((line) => line.replace(/^\d/, (id) => ids[id]!)),
    elementLines: ['2 4 25', '4 1 7 3 100', '9 7 2 3 0'],
  });
  const { text, receipt } = await converted(t, odd, { reader: 'MeshFileReader', writer: 'MeshFileWriter' });
  t.is(text, fileOf(newer, { elementLines: ['2 4 25', '1 1 2 3 4', '2 2 5 3 0'] }));
  t.deepEqual(receipt.lost, [
    'Ids of nodes were left out: a mesh file has numbers from 1.',
    'Ids of elements were left out: a mesh file has numbers from 1.',
  ]);
  const dfsu = await converted(t, odd, { reader: 'MeshFileReader', writer: 'DfsuWriter' });
  const back = await converted(t, dfsu.bytes, { reader: 'DfsuReader', writer: 'MeshFileWriter' });
  t.deepEqual(back.text.split('\n').slice(-4), ['2 4 25', '1 1 2 3 4', '2 2 5 3 0', '']);
});

test('a mesh of only triangles is written with three nodes per element', async (t) => {
  const text = fileOf(newer, { elementLines: ['2 3 21', '1 1 2 3', '2 2 5 3'] });
  const { text: again } = await converted(t, text, { reader: 'MeshFileReader', writer: 'MeshFileWriter' });
  t.is(again, text);
});

test('boundary nodes of a mesh without codes get code 1', async (t) => {
  const { nodeCodes: _, nodeIds: __, ...mesh } = flatMesh();
  // A square of four triangles around node 4.
  const { content } = await written(
    t,
    {
      ...mesh,
      nodes: Float64Array.of(0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 1, 1, 0),
      shapes: new Uint8Array(4).fill(CELL_SHAPES.triangle),
      connectivity: Uint32Array.of(0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4),
      offsets: Uint32Array.of(0, 3, 6, 9, 12),
      items: [],
    },
    'MeshFileWriter',
  );
  const codes = content
    .toString()
    .split('\n')
    .slice(1, 6)
    .map((line) => line.split(' ')[4]);
  t.deepEqual(codes, ['1', '1', '1', '1', '0']);
});

test('the receipt reports values and steps that a mesh file cannot store', async (t) => {
  const { content, lost } = await written(t, flatMesh(), 'MeshFileWriter');
  t.is(content.toString().split('\n')[1], '1 500000 6000000 0 1');
  t.deepEqual(lost, [
    "A mesh file holds no values but the z of its nodes; 'depth', 'velocity', 'salinity' were left out.",
    'A mesh file holds no time; 7 steps were left out.',
    'Ids of nodes were left out: a mesh file has numbers from 1.',
    'Ids of elements were left out: a mesh file has numbers from 1.',
  ]);
});

test('a projected mesh is written with Esri WKT, a reprojected one with that of the target', async (t) => {
  const { content } = await written(t, flatMesh(), 'MeshFileWriter');
  t.regex(content.toString().split('\n')[0]!, /^100079 1000 8 PROJCS\["WGS_1984_UTM_Zone_33N"/);
  const { text } = await converted(t, fileOf('100079 1000 5 UTM-33').replaceAll(' 10 ', ' 500010 '), {
    reader: 'MeshFileReader',
    writer: 'MeshFileWriter',
    transformations: [{ type: 'CrsTransformation', outputSrid: 25833 }],
  });
  t.regex(text.split('\n')[0]!, /^100079 1000 5 PROJCS\["ETRS_1989_UTM_Zone_33N"/);
});

test('layered meshes are refused; the error suggests a vertical filter', async (t) => {
  const error = await t.throwsAsync(written(t, layeredMesh(), 'MeshFileWriter'), { instanceOf: ConversionError });
  t.regex(error!.message, /Cell 1 is a wedge.*verticalFilterTransformation/);
});

test('seeded mutations of mesh files are read or end with an expected error', async (t) => {
  const sound = [fileOf(newer), fileOf('5 UTM-33', { end: '\r\n' })].map((text) => Buffer.from(text));
  await mutate(t, 'MeshFileReader', sound, 10_000);
  // A triangle may end without the 0 of its fourth node.
  for (let length = 0; length < sound[0]!.length - 3; length++)
    t.is(await outcome('MeshFileReader', sound[0]!.subarray(0, length), ''), 'refused', String(length));
});

const samples = '/work/shared/data/dfs';
for (const [name, count] of [
  ['Oresund.mesh', { nodes: 2057, elements: 3636, codes: [0, 1, 2, 3] }],
  ['odense_rough.mesh', { nodes: 399, elements: 654, codes: [0, 1, 2] }],
] as const)
  test(`a file of another program is read and survives writing (/work/shared/data): ${name}`, async (t) => {
    if (!existsSync(`${samples}/${name}`)) return void t.log(`SKIPPED: there is no ${samples}/${name} on this machine`);
    const bytes = await readFile(`${samples}/${name}`);
    const { data } = await read(t, 'mesh', 'MeshFileReader', bytes);
    t.is(data.nodes.length / 3, count.nodes);
    t.is(data.shapes.length, count.elements);
    t.deepEqual([...new Set(data.nodeCodes!)].toSorted(), [...count.codes]);
    const { bytes: again } = await converted(t, bytes, { reader: 'MeshFileReader', writer: 'MeshFileWriter' });
    const { data: back } = await read(t, 'mesh', 'MeshFileReader', again);
    for (const key of ['nodes', 'nodeCodes', 'shapes', 'connectivity', 'offsets'] as const)
      t.deepEqual(back[key], data[key]);
  });
