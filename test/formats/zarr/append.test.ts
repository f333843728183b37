import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { storeOf } from '../../world/stores.ts';
import { converted } from '../files.ts';
import { layeredMesh } from '../meshes.ts';
import { dataOf } from './whole.ts';

const append = (t: ExecutionContext, present: Buffer, added: Buffer) =>
  converted(t, added, { reader: 'MDReader', writer: 'MDWriter', existing: { content: present, format: 'md' } });

const HOUR = 3_600_000;
const LARGE = 2n ** 53n;

/** Steps from the one of this number on, an hour each: floats, and integers that a double cannot hold. */
const grid = (first: number, count: number, more: Partial<Grid> = {}): Grid => ({
  kind: 'grid',
  width: 5,
  height: 4,
  affine: [0, 10, 0, 40, 0, -10],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count, offset: first, interval: 1 },
  layers: { count: 2, first: 0, spacing: 1 },
  bands: [
    { name: 'Level', type: 'Float32', nodata: -1e-35 },
    { name: 'Count', type: 'Float64', integer64: 'Int64', nodata: -1 },
  ],
  async *rows({ band, step, layer }) {
    const of = (n: number) => 1000 * (first + step) + 100 * layer + n + 1;
    const exact = BigInt64Array.from({ length: 20 }, (_, n) => (n === 3 ? -1n : LARGE + BigInt(of(n))));
    if (band === 0) yield { firstRow: 0, rowCount: 4, samples: Float32Array.from({ length: 20 }, (_, n) => of(n)) };
    else yield { firstRow: 0, rowCount: 4, samples: Float64Array.from(exact, Number), exact };
  },
  ...more,
});

test('a store to which steps were appended is the store of all steps, also in a chunk that was not full', async (t) => {
  for (const [present, added] of [
    [3, 2],
    [11, 9],
  ] as const) {
    const grown = await append(t, await storeOf(grid(0, present)), await storeOf(grid(present, added)));
    t.deepEqual(grown.receipt.appended, { present, added });
    t.deepEqual(grown.bytes, await storeOf(grid(0, present + added)));
    t.is(
      grown.temporalInformation?.endTime,
      `${new Date((present + added - 1) * HOUR).toISOString().slice(0, -1)}0000`,
    );
  }
});

/** Two parts of a mesh over time, whose nodes move, cut at a step. */
function parts(mesh: Mesh, cut: number, count: number): Mesh[] {
  const time = mesh.time as Extract<Mesh['time'], { spacing: 'equidistant' }>;
  const part = (first: number, steps: number): Mesh => ({
    ...mesh,
    time: { ...time, count: steps, offset: time.offset + first * time.interval },
    values: (item, step) => mesh.values(item, first + step),
    heights: (step) => mesh.heights!(first + step),
  });
  return [part(0, cut), part(cut, count - cut), part(0, count)];
}

test('steps are appended to a layered mesh whose nodes move', async (t) => {
  const [before, after, whole] = await Promise.all(parts(layeredMesh(), 4, 7).map(storeOf));
  const grown = await append(t, before!, after!);
  t.deepEqual(grown.receipt.appended, { present: 4, added: 3 });
  const mesh = (await dataOf(t, 'MDReader', grown.bytes)) as Mesh;
  const expected = (await dataOf(t, 'MDReader', whole!)) as Mesh;
  t.deepEqual(mesh.time, expected.time);
  for (let step = 0; step < 7; step++) {
    for (const item of mesh.items.keys()) t.deepEqual(await mesh.values(item, step), await expected.values(item, step));
    t.deepEqual(await mesh.heights!(step), await expected.heights!(step));
  }
});

test('steps that are not later, other cells, and numbers that 64-bit integers cannot hold are refused', async (t) => {
  const present = await storeOf(grid(0, 3));
  const refused = async (added: Grid, sentence: RegExp) =>
    t.throwsAsync(append(t, present, await storeOf(added)), { message: sentence });
  await refused(grid(2, 2), /which is not after 1970-01-01T02:00:00/);
  await refused(grid(3, 2, { affine: [5, 10, 0, 40, 0, -10] }), /lie at other coordinates/);
  const floats = grid(3, 2).bands.map(({ name }) => ({ name: name!, type: 'Float32' as const, nodata: -1 }));
  const samples = new Float32Array(20).fill(0.5);
  const rows: Grid['rows'] = async function* () {
    yield { firstRow: 0, rowCount: 4, samples };
  };
  await refused(grid(3, 2, { bands: floats, rows }), /'Count' holds Int64 in the dataset.*it has Float32/);
});
