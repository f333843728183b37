import test, { type ExecutionContext } from 'ava';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Item } from '../../src/files/data/item.ts';
import type { Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import { RequestError } from '../../src/files/errors.ts';
import { flatMesh } from './meshes.ts';
import { passed } from './transformed.ts';

const grid = (bands: readonly Partial<Item>[]): Grid => ({
  kind: 'grid',
  width: 2,
  height: 1,
  affine: [0, 1, 0, 1, 0, -1],
  bands: bands.map((band) => ({ type: 'Float32', ...band })),
  async *rows({ band }) {
    yield { firstRow: 0, rowCount: 1, samples: Float32Array.of(band, band + 1) };
  },
});
const level = { name: 'Level', unit: 'm', eum: { item: 100_000, unit: 1000 } };

type Given = Record<string, unknown>;
const step = (...itemRedefinitions: Given[]) => [{ type: 'itemTransformation', itemRedefinitions }];

async function redefined(t: ExecutionContext, bands: readonly Partial<Item>[], ...given: Given[]) {
  let made: readonly Item[] = [];
  const values: number[] = [];
  const { remarks } = await passed(t, grid(bands), step(...given), async (output) => {
    made = output.bands;
    for (const band of output.bands.keys())
      for await (const { samples } of output.rows({ band, step: 0, layer: 0 })) values.push(...samples);
  });
  return { items: made.map(({ type: _, ...item }) => item), values, remarks };
}

test('items get other names, quantities and units; absent members and values stay', async (t) => {
  const flow = { name: 'Flow', unit: 'm^3/s', eum: { item: 100_001, unit: 1800 } };
  const both = await redefined(
    t,
    [level, flow],
    { originalName: 'Level', newName: 'Flow' },
    { itemIndex: 1, newName: 'Level', newUnitId: 'eumUliterPerSec' },
  );
  t.deepEqual(both.items, [
    { ...level, name: 'Flow' },
    { name: 'Level', unit: 'l/s', eum: { item: 100_001, unit: 1819 } },
  ]);
  t.deepEqual(both.values, [0, 1, 1, 2]);
  t.deepEqual(both.remarks, ["The unit of 'Level' is l/s instead of m^3/s. Values were not converted."]);
});

test('a quantity takes the unit that the text of the item names, and an item without a quantity any unit', async (t) => {
  const { items, remarks } = await redefined(
    t,
    [{ name: 'a', unit: 'metres' }, { name: 'b' }, { name: 'c', unit: 'NTU of ours' }],
    { originalName: 'a', newItemId: 'eumIWaterDepth' },
    { originalName: 'b', newUnitId: 'eumUmeter' },
    { originalName: 'c', newItemId: 'eumIItemUndefined' },
  );
  t.deepEqual(items as unknown[], [
    { name: 'a', unit: 'm', eum: { item: 100_280, unit: 1000 } },
    { name: 'b', unit: 'm', eum: { item: 999, unit: 1000 } },
    { name: 'c', unit: 'NTU of ours', eum: { item: 999, unit: 0 } },
  ]);
  t.deepEqual(remarks, []);
});

test('a quantity that does not have the unit is refused with its units', async (t) => {
  const refused = (bands: readonly Partial<Item>[], given: Given) =>
    t.throwsAsync(redefined(t, bands, { originalName: 'Level', ...given }));
  t.regex(
    (await refused([level], { newItemId: 'eumIDischarge' })).message,
    /^The item 'Level' cannot be eumIDischarge\. eumUmeter is none of its units: eumUm3PerSec, .* and \d+ more\.$/,
  );
  t.regex(
    (await refused([{ name: 'Level' }], { newItemId: 100_000 })).message,
    /^The item 'Level' cannot be eumIWaterLevel\. It has no unit of EUM: eumUmeter, /,
  );
});

test('items that are not there, are named twice or share a name are refused', async (t) => {
  const refused = async (...given: Given[]) =>
    (await t.throwsAsync(redefined(t, [level, { name: 'Twin' }, { name: 'Twin' }], ...given))).message;
  t.is(
    await refused({ originalName: 'level', newName: 'x' }),
    "There is no item 'level'. The data have 0 'Level', 1 'Twin', 2 'Twin'.",
  );
  t.is(
    await refused({ itemIndex: 3, newName: 'x' }),
    "There is no item 3. The data have 0 'Level', 1 'Twin', 2 'Twin'.",
  );
  t.is(await refused({ originalName: 'Twin', newName: 'x' }), "2 items are named 'Twin'. Use itemIndex: 1, 2.");
  t.is(
    await refused({ originalName: 'Level', newName: 'x' }, { itemIndex: 0, newName: 'y' }),
    'The item 0 is redefined twice.',
  );
});

test('the form of a request is checked', (t) => {
  const errors = (given: Given) => {
    const error = t.throws(() => parseTransformations(step(given)), { instanceOf: RequestError });
    return Object.values(error.errors ?? {}).flat()[0];
  };
  const one = 'transformations[0].itemRedefinitions[0]';
  t.is(errors({ newName: 'x' }), `${one} must have one of originalName and itemIndex.`);
  t.is(
    errors({ originalName: 'a', itemIndex: 0, newName: 'x' }),
    `${one} must have one of originalName and itemIndex.`,
  );
  t.is(errors({ originalName: 'a', newName: null }), `${one} must have newName, newItemId or newUnitId.`);
  t.is(errors({ itemIndex: 0, newUnitId: 'smoot' }), `${one}.newUnitId is 'smoot', which is not a unit of EUM.`);
  t.is(errors({ itemIndex: 0, newItemId: 'eumIFoo' }), `${one}.newItemId is 'eumIFoo', which is not an item of EUM.`);
  t.regex(errors({ itemIndex: 0, newName: 'a\u202eb' })!, /newName .*/);
  t.regex(errors({ itemIndex: 0, newName: 'a'.repeat(256) })!, /at most 255 characters/);
});

test('meshes, series and arrays keep everything else', async (t) => {
  const mesh: Mesh = flatMesh();
  await passed(t, mesh, step({ itemIndex: 0, newName: 'other' }), async (output) => {
    t.is(output.items[0]!.name, 'other');
    t.is(output.items[0]!.location, mesh.items[0]!.location);
    t.is(output.items.length, mesh.items.length);
  });
  const time = { spacing: 'equidistant', unit: 'hour', start: 0, count: 1, offset: 0, interval: 1 } as const;
  const series: Series = {
    kind: 'series',
    time,
    items: [{ ...level, type: 'Float32', position: [1, 2, 3] }],
    async *chunks() {
      yield { firstStep: 0, offsets: Float64Array.of(0), values: [Float32Array.of(1)] };
    },
  };
  await passed(t, series, step({ itemIndex: 0, newName: 'other' }), async (output) => {
    t.deepEqual(output.items, [{ ...level, type: 'Float32', position: [1, 2, 3], name: 'other' }]);
  });
  const array: MultiArray = {
    kind: 'array',
    axes: [{ name: 'x', values: Float64Array.of(0, 1) }],
    items: [{ ...level, type: 'Float32', axes: [0], overTime: false }],
    read: async () => Float32Array.of(1, 2),
  };
  await passed(t, array, step({ itemIndex: 0, newUnitId: 'eumUfeet' }), async (output) => {
    t.deepEqual(output.items, [
      { ...level, unit: 'feet', eum: { item: 100_000, unit: 1003 }, type: 'Float32', axes: [0], overTime: false },
    ]);
    t.is(output.axes, array.axes);
  });
});
