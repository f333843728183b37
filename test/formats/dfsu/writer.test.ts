import test, { type ExecutionContext } from 'ava';
import { CELL_SHAPES, type Mesh } from '../../../src/files/data/mesh.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { NO_VALUE } from '../../../src/files/formats/io/dfs/tags.ts';
import { parseSrid, sameCrs } from '../../../src/files/geo/crs/crs.ts';
import { block, CountedSource, text, values } from '../dfs/dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from '../dfs/samples.ts';
import { collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { gridOf, valuesOf } from '../grids.ts';
import { flatMesh, layeredMesh, sigmaZMesh } from '../meshes.ts';
import { passed } from '../transformed.ts';
import { written } from '../written.ts';
import { column, dfsu, flat, type MeshSketch, profile, read, sigma, sigmaZ, value } from './files.ts';

const numbers = (all: ArrayLike<number>) => Array.from(all);
const changed = (mesh: Mesh): Mesh => ({ ...mesh, origin: { ...mesh.origin!, changed: true } });

async function back(t: ExecutionContext, mesh: Mesh, parameters: Record<string, unknown> = {}) {
  const { content, lost } = await written(t, mesh, 'DfsuWriter', parameters);
  const source = new CountedSource(content);
  return { mesh: await read(source), file: await DfsFile.open(source), content, lost };
}

const spectra = { frequencies: [0.1, 0.2], directions: [0, 90, 180], fm: [0, 2, 3] };
const files: Readonly<Record<string, MeshSketch>> = {
  flat,
  sigma,
  sigmaZ,
  profile,
  column,
  line: { ...column, ...spectra, layered: false, valuesPerItem: 18, over: { dataType: 2002 } },
  area: { ...flat, ...spectra, valuesPerItem: 12, over: { dataType: 2003 } },
  point: { ...flat, frequencies: [0.1], directions: [0, 180], fm: [0, 1, 2] },
};

for (const [name, sketch] of Object.entries(files)) {
  test(`${name}: an unchanged file is copied byte for byte, with unknown blocks`, async (t) => {
    const unknown = block(61_234, values('Int32', 5), text('hm'));
    const bytes = dfsu({ ...sketch, over: { ...sketch.over, unknownInHeader: unknown } });
    const { content, lost } = await back(t, await read(new CountedSource(bytes)));
    t.true(content.equals(bytes));
    t.deepEqual(lost, []);
  });

  test(`${name}: mesh, items, times and values are the same after rewriting`, async (t) => {
    const mesh = await read(new CountedSource(dfsu(sketch)));
    const { mesh: again, file } = await back(t, changed(mesh));
    const { items, time, origin: _, heights, values: __, ...geometry } = mesh;
    t.like(again, geometry);
    t.deepEqual(again.time, time);
    t.deepEqual(again.items, items);
    for (const step of [0, 1, 2]) {
      for (const item of [0, 1]) t.deepEqual(await again.values(item, step), await mesh.values(item, step));
      t.deepEqual(await again.heights?.(step), await heights?.(step));
    }
    const { header } = file;
    t.is(header.dataType, sketch.over?.dataType ?? 2001);
    t.deepEqual(numbers(await header.custom[0]!.values.load()).slice(0, 3), [
      sketch.nodes.length,
      sketch.elements.length,
      sketch.dimension ?? 2,
    ]);
    t.is(header.projection?.text, 'UTM-33');
    const last = header.items.at(-1)!;
    const size = again.items[0]!.components === undefined ? sketch.elements.length : 18;
    t.like(last.summary, { minimum: value(1, 0, 0), deleted: 0 });
    t.true(last.summary.maximum > value(1, 2, 0) && last.summary.maximum < value(1, 2, size));
    t.deepEqual(
      header.statics.map(({ item }) => item.summary),
      header.statics.map(() => ({ maximum: 0, minimum: 0, deleted: 0 })),
    );
  });
}

test('a mesh of another format gets the usual names, boundary codes and delete values', async (t) => {
  const { nodeCodes: _, ...plain } = flatMesh();
  const mesh: Mesh = {
    ...plain,
    items: plain.items.slice(0, 1),
    values: async () => Float32Array.of(1, -1e-35, 3, Number.NaN),
  };
  const { mesh: again, file } = await back(t, mesh);
  t.deepEqual(
    file.header.statics.map(({ item }) => item.name),
    ['Node id', 'X-coord', 'Y-coord', 'Z-coord', 'Code', 'Element id', 'Element type', 'No of nodes', 'Connectivity'],
  );
  t.is(file.header.deleteValues.Float32, Math.fround(1e-35));
  const none = Math.fround(1e-35);
  t.deepEqual(numbers(await again.values(0, 6)), [1, none, 3, none]);
  t.deepEqual(file.header.items[0]!.summary, { maximum: 3, minimum: 1, deleted: 14 });
  t.deepEqual(numbers(again.nodeCodes!), Array(8).fill(1));
  t.deepEqual(again.nodeIds, mesh.nodeIds);
  t.deepEqual(again.cellIds, mesh.cellIds);
  t.true(await sameCrs(again.crs!, mesh.crs!));
  const empty = await back(t, { ...mesh, time: { ...mesh.time!, count: 0 } as never });
  t.is(empty.file.header.items[0]!.summary.maximum, NO_VALUE);
});

test('node values become element means; a mesh without items gets the item Bathymetry', async (t) => {
  const { mesh, lost } = await back(t, flatMesh());
  t.regex(lost.join(), /mean of the nodes of each element/);
  const mean =
    (2 * 100_000 + 3000 + (2 * 100_000 + 3000 + 1) + (2 * 100_000 + 3000 + 5) + (2 * 100_000 + 3000 + 4)) / 4;
  t.is((await mesh.values(2, 3))[0], Math.fround(mean));
  const bare = await back(t, { ...flatMesh(), items: [] });
  t.like(bare.mesh.items[0], { name: 'Bathymetry', eum: { item: 100_079, unit: 1000 } });
  const heights = [
    [0, 1, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7, 6],
  ].map((nodes) => -nodes.reduce((sum, node) => sum + node, 0) / nodes.length);
  t.deepEqual(numbers(await bare.mesh.values(0, 0)), heights.map(Math.fround));
});

test('layers and heights of a mesh of another format are kept; solids without layers are grouped into columns', async (t) => {
  const items = layeredMesh().items.slice(0, 2);
  for (const made of [layeredMesh(), sigmaZMesh()]) {
    const { mesh } = await back(t, { ...made, items });
    t.deepEqual(mesh.layers, made.layers);
    t.deepEqual(
      numbers(await mesh.heights!(2)).slice(0, 2),
      numbers((await made.heights?.(2)) ?? [-30, -20]).slice(0, 2),
    );
  }
  const { layers: _, heights: __, ...stacked } = { ...sigmaZMesh(), items };
  const { mesh } = await back(t, stacked);
  t.deepEqual(mesh.layers, { maximum: 3, sigma: 0, columns: Uint32Array.of(0, 3, 5) });
});

test('cell shapes that a DFSU file cannot store are refused by name', async (t) => {
  const solid: Mesh = {
    ...flatMesh(),
    items: [],
    shapes: Uint8Array.of(CELL_SHAPES.tetrahedron),
    connectivity: Uint32Array.of(0, 1, 2, 4),
    offsets: Uint32Array.of(0, 4),
  };
  await t.throwsAsync(written(t, solid, 'DfsuWriter'), {
    message: /^Element 1 is a tetrahedron \(number of nodes: 4\)\. A DFSU file holds/,
  });
  const mixed = {
    ...flatMesh(),
    items: [],
    shapes: Uint8Array.of(9, 5, 5, 13),
    connectivity: Uint32Array.of(0, 1, 5, 4, 1, 2, 6, 1, 6, 5, 0, 1, 2, 4, 5, 6),
    offsets: Uint32Array.of(0, 4, 7, 10, 16),
  };
  await t.throwsAsync(written(t, mixed, 'DfsuWriter'), { message: /does not mix flat elements and solids/ });
});

test('one layer of a DFSU becomes a 2D DFSU; a filtered file keeps its delete values', async (t) => {
  const mesh = await read(new CountedSource(dfsu(sigma)));
  const verticalFilter = { type: 'VerticalIndexFilter', from: 1, to: 1 };
  await passed(t, mesh, [{ type: 'verticalFilterTransformation', verticalFilter }], async (top) => {
    const { mesh: again, file } = await back(t, top);
    t.is(file.header.items.length, 2);
    t.deepEqual(numbers(await file.header.custom[0]!.values.load()), [4, 2, 2, 0, 0]);
    t.deepEqual(numbers(await again.values(1, 2)), [value(1, 2, 1), value(1, 2, 3)]);
  });
});

test('Float64 is written as Float32, unless WriteAsFloat is false', async (t) => {
  const mesh: Mesh = {
    ...flatMesh(),
    items: [{ name: 'level', type: 'Float64', location: 'cell' }],
    values: async () => Float64Array.of(0.1, 0.25, Number.NaN, 1),
  };
  const single = await back(t, mesh);
  t.deepEqual(numbers(await single.mesh.values(0, 0)), [0.1, 0.25, 1e-35, 1].map(Math.fround));
  t.regex(single.lost.join(), /values of 'level' were rounded to single precision/);
  const double = await back(t, mesh, { WriteAsFloat: false });
  t.deepEqual(numbers(await double.mesh.values(0, 0)), [0.1, 0.25, -1e-255, 1]);
});

test('polygons are triangulated into a DFSU, and the receipt has the mesh quality', async (t) => {
  const ring = [
    [500_000, 6_100_000],
    [500_100, 6_100_000],
    [500_100, 6_100_100],
    [500_000, 6_100_100],
    [500_000, 6_100_000],
  ];
  const result = await converted(t, collection([feature(geometryOf('Polygon', [ring]), { depth: 2.5 })]), {
    reader: 'GeoJsonReader',
    writer: 'DfsuWriter',
    readerParameters: { SRID: 'EPSG:25833' },
    writerParameters: { MaximumElementArea: 200 },
  });
  const mesh = await read(new CountedSource(result.bytes));
  t.deepEqual(new Set(await mesh.values(0, 0)), new Set([2.5]));
  t.is(mesh.items[0]!.name, 'depth');
  t.is(mesh.crs?.code, 25833, 'a WKT is told by its content');
  t.is(result.receipt.mesh!.elements, mesh.shapes.length);
  t.true(result.receipt.mesh!.smallestAngle >= 26 && result.receipt.mesh!.largestElement <= 200);
});

test('a step of a DFSU is interpolated to a GeoTIFF, with nodata outside of the mesh', async (t) => {
  const result = await converted(t, dfsu(flat), {
    reader: 'DfsuReader',
    writer: 'GeoTiffWriter',
    writerParameters: { CellSize: 50 },
    transformations: [
      { type: 'ItemFilterTransformation', itemFilter: [{ names: ['Item 1'] }] },
      {
        type: 'TemporalFilterTransformation',
        temporalFilter: { type: 'TemporalIndexListFilter', indices: [2] },
      },
    ],
  });
  const grid = await gridOf(t, result.bytes, 'GeoTiffReader');
  t.deepEqual([grid.width, grid.height, [...grid.affine]], [4, 2, [400_000, 50, 0, 6_100_100, 0, -50]]);
  t.is(grid.bands[0]!.name, 'Item 1');
  const values = await valuesOf(grid);
  const nodata = grid.bands[0]!.nodata!;
  // the quad in the west; in the east the centres of cells lie outside the triangle or on its edge
  t.deepEqual([values[0], values[1], values[4], values[5]], Array(4).fill(value(1, 2, 0)));
  t.deepEqual([values[3], values[7]], [nodata, nodata]);
});

for (const { file } of expected.filter((one) => one.file.endsWith('.dfsu')))
  sampleTest(`${file} is copied byte for byte`, async (t) => {
    const bytes = await sampleBytes(file);
    t.true((await back(t, await read(new CountedSource(bytes)))).content.equals(bytes));
  });
test('line and area spectra keep frequencies and directions through VTU', async (t) => {
  for (const name of ['line', 'area']) {
    const sketch = files[name]!;
    const there = await converted(t, dfsu(sketch), { reader: 'DfsuReader', writer: 'VtuWriter' });
    const again = await converted(t, there.bytes, { reader: 'VtuReader', writer: 'DfsuWriter' });
    const [before, after] = [await read(new CountedSource(dfsu(sketch))), await read(new CountedSource(again.bytes))];
    t.deepEqual(after.items, before.items);
    t.deepEqual(await after.values(1, 2), await before.values(1, 2));
    const { header } = await DfsFile.open(new CountedSource(again.bytes));
    t.is(header.dataType, sketch.over!.dataType!);
  }
});

test('the receipt of spectra as features counts the elements, whose items have no place in a table', async (t) => {
  const { recordsRead, recordsWritten, receipt } = await converted(t, dfsu(files.area!), {
    reader: 'DfsuReader',
    writer: 'GeoJsonWriter',
  });
  t.deepEqual([recordsRead, recordsWritten], [2, 2]);
  t.regex(receipt.lost.join(), /such as spectra, cannot be stored in a table/);
});

test('x and y are written as Float64 in metres or degrees, z as Float32', async (t) => {
  for (const [srid, unit] of [
    [25832, 1000],
    [4326, 2401],
  ] as const) {
    const { file } = await back(t, { ...flatMesh(), crs: parseSrid(srid) });
    t.deepEqual(
      file.header.statics.slice(1, 4).map(({ item }) => [item.type, item.eumUnit]),
      [
        ['Float64', unit],
        ['Float64', unit],
        ['Float32', 1000],
      ],
    );
  }
});
