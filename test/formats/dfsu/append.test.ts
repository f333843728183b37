import test, { type ExecutionContext } from 'ava';
import { stepCount, timeOf } from '../../../src/files/data/time-axis.ts';
import { CountedSource } from '../dfs/dfs-bytes.ts';
import { converted } from '../files.ts';
import { dfsu, flat, type MeshSketch, read, sigma, value } from './files.ts';

const at = (sketch: MeshSketch, time: string, interval = 3600): MeshSketch => ({
  ...sketch,
  over: { time: { start: ['2026-01-24', time], interval } },
});

const append = (t: ExecutionContext, present: MeshSketch, added: MeshSketch, over = {}) =>
  converted(t, dfsu(added), {
    reader: 'DfsuReader',
    writer: 'DfsuWriter',
    existing: { content: dfsu(present), format: 'dfsu' },
    ...over,
  });

test('appending at the same interval keeps the time axis of a DFSU equidistant', async (t) => {
  for (const sketch of [flat, sigma]) {
    const result = await append(t, sketch, at(sketch, '11:00:00'));
    t.deepEqual(result.receipt.appended, { present: 3, added: 3 });
    const mesh = await read(new CountedSource(result.bytes));
    t.like(mesh.time, { spacing: 'equidistant', count: 6, interval: 3600 });
    const places = sketch.elements.map((_, n) => n);
    for (let step = 0; step < 6; step++)
      t.deepEqual(
        [...(await mesh.values(1, step))],
        places.map((place) => value(1, step % 3, place)),
      );
    if (sketch === sigma) t.is((await mesh.heights!(4))[0], -19);
  }
});

test('a gap makes the time axis non-equidistant; a step not after the last one is refused', async (t) => {
  const mesh = await read(new CountedSource((await append(t, flat, at(flat, '20:00:00'))).bytes));
  t.is(mesh.time!.spacing, 'nonEquidistant');
  t.is(stepCount(mesh.time!), 6);
  t.is(timeOf(mesh.time!, 5), Date.UTC(2026, 0, 24, 22));
  await t.throwsAsync(append(t, flat, at(flat, '10:00:00')), { message: /not after 2026-01-24T10:00:00/ });
});

test('appending another mesh, other items or another coordinate system is refused', async (t) => {
  const later = at(flat, '11:00:00');
  const nodes = flat.nodes.map((node, n) => (n === 3 ? ([node[0] + 1, node[1], node[2]] as const) : node));
  await t.throwsAsync(append(t, flat, { ...later, nodes }), {
    message: /^Node 4 lies at \(400100, 6100100\) in the dataset, and at \(400101, 6100100\) in the input/,
  });
  await t.throwsAsync(append(t, flat, { ...later, elements: flat.elements.slice(0, 1) }), {
    message: /5 nodes and 2 elements, and the input 5 nodes and 1 elements/,
  });
  const turned = [flat.elements[0]!, [3, 4, 2]];
  await t.throwsAsync(append(t, flat, { ...later, elements: turned }), {
    message: /elements of the input differ from those/,
  });
  await t.throwsAsync(append(t, flat, { ...later, items: 3 }), { message: /no item 'Item 2'/ });
  await t.throwsAsync(append(t, flat, later, { readerParameters: { SRID: 25832 } }), {
    message: /EPSG:25832.*crsTransformation/,
  });
  await t.throwsAsync(
    converted(t, '{"type":"FeatureCollection","features":[]}', {
      reader: 'GeoJsonReader',
      writer: 'DfsuWriter',
      existing: { content: dfsu(flat), format: 'dfsu' },
    }),
    { message: /dataset holds a mesh, and the input features/ },
  );
});
