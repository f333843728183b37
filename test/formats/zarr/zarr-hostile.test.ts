import test from 'ava';
import type { Data } from '../../../src/files/data/data.ts';
import { axes, dfsBytes } from '../dfs/dfs-bytes.ts';
import { converted } from '../files.ts';
import { mutate, outcome, someOf } from '../hostile.ts';
import { layeredMesh } from '../meshes.ts';
import { written } from '../written.ts';
import { group, storeOf, variable } from './zarr-files.ts';

const small = dfsBytes({
  projection: ['UTM-33', 15, 55, 0],
  items: [
    {
      name: 'a',
      axis: axes.plane(3, 2),
      steps: [
        [1, 2, 3, 4, 5, 6],
        [2, 3, 4, 5, 6, 7],
      ],
    },
  ],
});
const array: Data = {
  kind: 'array',
  axes: [{ name: 'x', values: Float64Array.of(1, 2, 4), edges: Float64Array.of(0, 1.5, 3, 5) }],
  items: [{ name: 'a', type: 'Float32', axes: [0], overTime: false }],
  read: async () => Float32Array.of(1, 2, 3),
};

test('seeded mutations of a store are read or end with an expected error', async (t) => {
  const { bytes } = await converted(t, small, { reader: 'Dfs2Reader', writer: 'MDWriter' });
  await mutate(t, 'MDReader', [bytes], 1500);
  await mutate(t, 'MDReader', [(await written(t, layeredMesh(), 'MDWriter')).content], 1000);
  await mutate(t, 'MDReader', [(await written(t, array, 'MDWriter')).content], 1000);
});

/** Metadata are under a checksum, so they are changed before the zip is made. */
test('seeded mutations of metadata and chunks are read or end with an expected error', async (t) => {
  const files: Record<string, string | Uint8Array> = {
    'zarr.json': group({}),
    ...variable('y', { shape: [2], dimension_names: ['y'], values: [55, 54] }),
    ...variable('x', { shape: [3], dimension_names: ['x'], values: [10, 11, 12] }),
    ...variable('t', {
      shape: [1],
      dimension_names: ['t'],
      values: [10],
      attributes: { units: 'days since 2000-01-01' },
    }),
    ...variable('v', { shape: [1, 2, 3], dimension_names: ['t', 'y', 'x'], values: [1, 2, 3, 4, 5, 6] }),
  };
  const seen = { read: 0, refused: 0 };
  let state = 20_261_125;
  const next = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
  const names = Object.keys(files);
  for (let n = someOf(1500); n > 0; n--) {
    const name = names[next(names.length)]!;
    const bytes = Buffer.from(files[name]!);
    for (let change = next(3); change >= 0; change--)
      bytes[next(bytes.length)] = '0123456789-"[]{},eE.'.charCodeAt(next(20));
    seen[await outcome('MDReader', storeOf({ ...files, [name]: bytes }), '')]++;
  }
  t.log(seen);
  t.true(seen.read > 0 && seen.refused > 0);
});

test('huge declared shapes allocate no memory', async (t) => {
  const chunk = { chunk_grid: { name: 'regular', configuration: { chunk_shape: [1000] } } };
  const root = { 'zarr.json': group({}) };
  const x = variable('x', { shape: [3], dimension_names: ['x'], values: [1, 2, 3] });
  for (const files of [
    {
      ...root,
      ...variable('x', { shape: [1], dimension_names: ['x'], values: [1], more: { shape: [4e12], ...chunk } }),
      ...variable('v', { shape: [1], dimension_names: ['x'], values: [1], more: { shape: [4e12], ...chunk } }),
    },
    {
      ...root,
      ...x,
      ...variable('v', { shape: [1], dimension_names: ['n'], values: [1], more: { shape: [1e12], ...chunk } }),
    },
    {
      'zarr.json': group({ platform: { version: 1, kind: 'mesh', items: [] } }),
      ...variable('node_x', { shape: [1], values: [1], more: { shape: [1e10], ...chunk } }),
    },
  ])
    t.is(await outcome('MDReader', storeOf(files), ''), 'refused');
});
