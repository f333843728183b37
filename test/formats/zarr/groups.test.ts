import test from 'ava';
import { ConversionError } from '../../../src/files/errors.ts';
import { detect } from '../../../src/files/formats/detect.ts';
import { memory, read } from '../read.ts';
import { group, storeOf, variable } from './zarr-files.ts';

const root = { 'zarr.json': group({}) };
const array = (name: string, values: readonly number[]) =>
  variable(name, { shape: [values.length], values, dimension_names: ['x'] });
const inFolder = (folder: string, files: Record<string, string | Uint8Array>) =>
  Object.fromEntries(Object.entries(files).map(([name, one]) => [`${folder}/${name}`, one]));

test('the only group with arrays is read, with the coordinates of the groups above it', async (t) => {
  const bytes = storeOf(
    inFolder('model.zarr', {
      ...root,
      ...inFolder('a', { 'zarr.json': group({}), ...inFolder('b', { ...root, ...array('v', [1, 2, 3]) }) }),
    }),
  );
  const { data, remarks } = await read(t, 'array', 'MDReader', bytes);
  t.deepEqual(remarks, ["The group '/a/b' was read: no other one has arrays."]);
  t.deepEqual([...(await data.read(0, 0, [0], [3]))], [1, 2, 3]);
  const nested = storeOf({
    ...root,
    ...array('x', [10, 20, 40]),
    ...inFolder('a', { ...root, ...array('v', [1, 2, 3]) }),
  });
  const chosen = await read(t, 'array', 'MDReader', nested, { Group: '/a/' });
  t.deepEqual([...chosen.data.axes[0]!.values], [10, 20, 40]);
  t.deepEqual(chosen.remarks, []);
});

test('of several groups one must be chosen; others beside and below it are told', async (t) => {
  const files = {
    ...root,
    ...inFolder('a', { ...root, ...array('v', [1, 2]), ...inFolder('deep', { ...root, ...array('w', [5]) }) }),
    ...inFolder('b', { ...root, ...array('v', [3, 4]) }),
  };
  await t.throwsAsync(read(t, 'array', 'MDReader', storeOf(files)), {
    instanceOf: ConversionError,
    code: 'SeveralLayers',
    message: 'The store has 3 groups with arrays. Choose one with Group: /a, /a/deep, /b.',
  });
  await t.throwsAsync(read(t, 'array', 'MDReader', storeOf(files), { Group: 'c' }), {
    instanceOf: ConversionError,
    message: "The store has no group 'c'. Its groups: /, /a, /a/deep, /b.",
  });
  const { data, lost } = await read(t, 'array', 'MDReader', storeOf(files), { Group: 'a' });
  t.deepEqual([...(await data.read(0, 0, [0], [2]))], [1, 2]);
  t.deepEqual(lost, ["The group 'deep' in the group was left out."]);
});

test('stores beside each other in a zip are groups', async (t) => {
  const two = {
    ...inFolder('a.zarr', { ...root, ...array('v', [1]) }),
    ...inFolder('b.zarr', { ...root, ...array('v', [2]) }),
  };
  await t.throwsAsync(read(t, 'array', 'MDReader', storeOf(two)), { message: /with Group: \/a\.zarr, \/b\.zarr\.$/ });
  const { data } = await read(t, 'array', 'MDReader', storeOf(two), { Group: 'b.zarr' });
  t.deepEqual([...(await data.read(0, 0, [0], [1]))], [2]);
});

const zarray = {
  zarr_format: 2,
  shape: [2],
  chunks: [2],
  dtype: '<f8',
  compressor: null,
  fill_value: null,
  order: 'C',
  filters: null,
};

test('what only consolidated metadata name is read', async (t) => {
  const second = storeOf({
    '.zmetadata': JSON.stringify({
      zarr_consolidated_format: 1,
      metadata: { '.zgroup': { zarr_format: 2 }, 'v/.zarray': zarray, 'v/.zattrs': { units: 'm' } },
    }),
    'v/0': new Uint8Array(Float64Array.of(7, 8).buffer),
  });
  t.is((await detect(memory(second)))?.format, 'md');
  t.like((await read(t, 'array', 'MDReader', second)).data.items, [{ name: 'v', unit: 'm' }]);
  const { 'v/zarr.json': node, ...chunks } = array('v', [7, 8]);
  const metadata = { v: JSON.parse(String(node)) as unknown };
  const third = storeOf({
    'zarr.json': JSON.stringify({
      zarr_format: 3,
      node_type: 'group',
      attributes: {},
      consolidated_metadata: { kind: 'inline', must_understand: false, metadata },
    }),
    ...chunks,
  });
  const { data } = await read(t, 'array', 'MDReader', third);
  t.deepEqual([...(await data.read(0, 0, [0], [2]))], [7, 8]);
});

test('dimensions of the C library of NetCDF are those of the arrays', async (t) => {
  const values = new Uint8Array(Float64Array.of(7, 9).buffer);
  const bytes = storeOf({
    '.zgroup': '{"zarr_format": 2}',
    'v/.zarray': JSON.stringify({ ...zarray, _NCZARR_ARRAY: { dimrefs: ['/x'], storage: 'chunked' } }),
    'v/0': values,
    'x/.zarray': JSON.stringify(zarray),
    'x/.zattrs': JSON.stringify({ _nczarr_array: { dimrefs: ['/x'] } }),
    'x/0': values,
  });
  const { data } = await read(t, 'array', 'MDReader', bytes);
  t.deepEqual(
    data.axes.map(({ name, values: all }) => [name, ...all]),
    [['x', 7, 9]],
  );
});
