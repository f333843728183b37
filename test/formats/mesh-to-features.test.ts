import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../src/files/data/feature-collection.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import { FileSource } from '../../src/files/formats/io/bytes.ts';
import { findReader } from '../../src/files/formats/registry.ts';
import { expected, flatMesh, layeredMesh } from './meshes.ts';
import { passed } from './transformed.ts';
import { written } from './written.ts';

async function shapefile(t: ExecutionContext, zip: Uint8Array, Layer?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-features-'));
  await writeFile(join(folder, 'zip'), zip);
  const source = await FileSource.open(join(folder, 'zip'));
  t.teardown(async () => {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  });
  const layer = (await findReader('ShapefileReader')!.read(source, Layer === undefined ? {} : { Layer }, {
    signal: new AbortController().signal,
    scratch: folder,
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord({ reason }) {
      throw reason;
    },
    onEnd: (close) => t.teardown(close),
  })) as FeatureCollection;
  const features: Feature[] = [];
  for await (const chunk of layer.chunks())
    for (const { geometry, values } of chunk)
      features.push({ geometry: { ...geometry!, coordinates: geometry!.coordinates.slice() }, values });
  return { layer, features };
}

const oneStep = [
  { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 3, to: 3 } },
];

test('a mesh over time becomes one shapefile per step, with a field per item in the order of elements', async (t) => {
  const { content, lost } = await written(t, flatMesh(), 'ShapefileWriter');
  for (const step of [0, 3, 6]) {
    const { layer, features } = await shapefile(t, content, `made_000${step}`);
    t.deepEqual(
      layer.fields.map(({ name }) => name),
      ['depth', 'velocity', 'salinity'],
    );
    t.is(layer.crs?.code, 32633);
    t.deepEqual(
      features.map(({ values }) => values.slice(0, 2)),
      [0, 1, 2, 3].map((cell) => [expected(0, step, [cell])[0], expected(1, step, [cell])[0]]),
    );
    // Values at nodes become the mean of the element.
    const means = [
      [0, 1, 5, 4],
      [1, 2, 6],
      [1, 6, 5],
      [2, 3, 7, 6],
    ].map((nodes) => {
      const values = expected(2, step, nodes);
      return values.reduce((sum, one) => sum + one, 0) / values.length;
    });
    for (const [cell, { values }] of features.entries()) t.true(Math.abs((values[2] as number) - means[cell]!) < 1e-6);
    const ring = [...features[1]!.geometry!.coordinates];
    t.deepEqual(ring.slice(0, 2), ring.slice(-2));
    t.is(ring.length, 8);
  }
  await t.throwsAsync(shapefile(t, content, 'made_0007'));
  t.deepEqual(lost, [
    'Features have no heights of nodes, boundary codes and numbers of nodes and elements; they were left out.',
    "A table of features does not store units: 'depth' is in m, 'velocity' is in m, 'salinity' is in m.",
    'Values at nodes became the mean of the nodes of each element.',
    'Each of 7 steps became a layer; layers have numbers, and the times were left out.',
  ]);
});

test('the layers of steps have numbers in a GeoPackage, as the shapefiles do', async (t) => {
  const { content, lost } = await written(t, flatMesh(), 'GeoPackageWriter');
  t.false(lost.some((sentence) => sentence.includes('was called')));
  for (const layer of ['made_0000', 'made_0006']) t.true(content.includes(layer));
});

test('one step becomes one shapefile; deleted values are null', async (t) => {
  const mesh = flatMesh();
  const deleted: Mesh = {
    ...mesh,
    async values(item, step) {
      const values = await mesh.values(item, step);
      values[2] = -1e-35;
      return values;
    },
  };
  await passed(t, deleted, oneStep, async (chosen) => {
    const { features } = await shapefile(t, (await written(t, chosen, 'ShapefileWriter')).content);
    t.deepEqual(
      features.map(({ values }) => values[0]),
      [...expected(0, 3, [0, 1]), null, ...expected(0, 3, [3])],
    );
    // Node 2 belongs to the second and the fourth element.
    t.deepEqual(
      features.map(({ values }) => values[2] === null),
      [false, true, false, true],
    );
  });
});

test('a layered mesh becomes footprints of its elements with the field layer', async (t) => {
  await passed(t, layeredMesh(), oneStep, async (mesh) => {
    const { layer, features } = await shapefile(t, (await written(t, mesh, 'ShapefileWriter')).content);
    t.is(layer.fields.at(-1)!.name, 'layer');
    t.deepEqual(
      features.map(({ values }) => [values[0], values[3]]),
      [0, 1, 2, 3].map((cell) => [expected(0, 3, [cell])[0], cell % 2]),
    );
    t.deepEqual(features[0]!.geometry!.coordinates, features[1]!.geometry!.coordinates);
  });
});

test('elements of a vertical profile become lines, of a vertical column points with a height', async (t) => {
  const profile: Mesh = {
    ...layeredMesh(),
    section: 'profile',
    nodes: Float64Array.of(0, 0, -2, 0, 0, 0, 10, 0, -4, 10, 0, 0),
    shapes: Uint8Array.of(CELL_SHAPES.quad),
    connectivity: Uint32Array.of(0, 2, 3, 1),
    offsets: Uint32Array.of(0, 4),
    layers: { maximum: 1, sigma: 1, columns: Uint32Array.of(0, 1) },
  };
  await passed(t, { ...profile, items: profile.items.slice(0, 2) }, oneStep, async (mesh) => {
    const { layer, features } = await shapefile(t, (await written(t, mesh, 'ShapefileWriter')).content);
    t.true(layer.hasZ);
    t.is(features[0]!.geometry!.type, 'LineString');
    t.deepEqual([...features[0]!.geometry!.coordinates], [0, 0, -2, 10, 0, -4]);
  });
});

test('GeoJSON has the first step of a mesh, and the receipt reports it', async (t) => {
  const { content, lost } = await written(t, flatMesh(), 'GeoJsonWriter');
  const { features } = JSON.parse(String(content));
  t.deepEqual(
    features.map(({ properties }: { properties: Record<string, number> }) => properties.depth),
    expected(0, 0, [0, 1, 2, 3]),
  );
  t.regex(lost.join(), /first of 7 steps was written, 2026-01-24T08:00:00/);
});

test('solids without a footprint are left out; a mesh with only such solids is refused', async (t) => {
  const mesh: Mesh = {
    ...flatMesh(),
    nodes: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
    shapes: Uint8Array.of(CELL_SHAPES.tetrahedron, CELL_SHAPES.triangle),
    connectivity: Uint32Array.of(0, 1, 2, 3, 0, 1, 2),
    offsets: Uint32Array.of(0, 4, 7),
  };
  const { content, lost } = await written(t, mesh, 'GeoJsonWriter');
  t.is(JSON.parse(String(content)).features.length, 1);
  t.regex(lost.join(), /1 elements are solids without a footprint/);
  const solid: Mesh = { ...mesh, shapes: Uint8Array.of(CELL_SHAPES.tetrahedron), offsets: Uint32Array.of(0, 4) };
  await t.throwsAsync(written(t, solid, 'GeoJsonWriter'), { message: /All elements are solids/ });
});
