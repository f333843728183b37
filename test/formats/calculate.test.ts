import test, { type ExecutionContext } from 'ava';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import type { Data } from '../../src/files/data/data.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { Item } from '../../src/files/data/item.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import type { Series } from '../../src/files/data/series.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { RequestError } from '../../src/files/errors.ts';
import { passed } from './transformed.ts';

const none = -9999;
const hourly: TimeAxis = { spacing: 'equidistant', unit: 'hour', start: 0, count: 2, offset: 0, interval: 1 };

type Bands = Readonly<Record<string, readonly number[]>>;

/** A grid of one row; -9999 is no data. Rows of two bands must not be pulled at the same time. */
function gridOf(bands: Bands, more: Partial<Item> = {}): Grid {
  const names = Object.keys(bands);
  let open = false;
  return {
    kind: 'grid',
    width: bands[names[0]!]!.length,
    height: 1,
    affine: [0, 1, 0, 1, 0, -1],
    bands: names.map((name) => ({ name, unit: 'm', type: 'Float32', nodata: none, ...more })),
    async *rows({ band, step, layer }) {
      if (open) throw new Error('Rows of two bands are pulled at the same time.');
      open = true;
      try {
        const values = bands[names[band]!]!.map((value) => (value === none ? value : value + 10 * step + 100 * layer));
        yield { firstRow: 0, rowCount: 1, samples: Float32Array.from(values) };
      } finally {
        open = false;
      }
    },
  };
}

type Given = { name: string; expression: string; unit?: string; item?: string };

const step = (calculate: readonly Given[], more: object = {}) => [
  { type: 'calculateTransformation', calculate, ...more },
];

async function calculated<D extends Data>(t: ExecutionContext, data: D, given: readonly Given[], more: object = {}) {
  let made: D | undefined;
  const values: number[][] = [];
  const result = await passed(t, data, step(given, more), async (output) => {
    made = output;
    if (output.kind !== 'grid') return;
    for (let band = 0; band < output.bands.length; band++) {
      values.push([]);
      for await (const { samples } of output.rows({ band, step: 0, layer: 0 })) values.at(-1)!.push(...samples);
    }
  });
  return { made: made!, values, result };
}

/** The values of one expression over cells with these values. */
async function value(t: ExecutionContext, expression: string, bands: Bands = { a: [2], b: [3], c: [none] }) {
  const { values, result } = await calculated(t, gridOf(bands), [{ name: 'x', expression }]);
  return { values: values[0]!, remarks: result.remarks };
}

test('operators bind as in mathematics', async (t) => {
  for (const [expression, expected] of [
    ['a + b * 2', 8],
    ['(a + b) * 2', 10],
    ['b - a - 1', 0],
    ['12 / a / b', 2],
    ['a ^ b ^ a', 512],
    ['-a ^ 2', -4],
    ['a ^ -1', 0.5],
    ['-a * -b', 6],
    ['1.5e1 + .5 + 2.', 17.5],
    ['a < b', 1],
    ['a >= b', 0],
    ['a = 2', 1],
    ['a == 2 and b != 3', 0],
    ['a > b or b > a', 1],
    ['not a > b and 1', 1],
    ['1 or 0 and 0', 1],
    ['a + 1 = b', 1],
    ['if(a > b, a, b) + 1', 4],
    ['min(a, b, 1) + max(a, b)', 4],
    ['abs(a - b) + sqrt(b + 1)', 3],
    ['floor(-a / b) + ceil(a / b) * 10 + round(a + 0.5) * 100', 309],
    ['round(-2.5 * a / 2)', -3],
    ['round(0.49999999999999994 + 0 * a)', 0],
    ['ln(exp(a)) + log10(1000)', 5],
    ['[a]+[b]', 5],
  ] as const)
    t.deepEqual((await value(t, `${expression} + 0 * b * a`)).values, [expected], expression);
});

test('no data in gives no data out, but for isnull, coalesce and the branch that if does not take', async (t) => {
  for (const [expression, expected] of [
    ['a + c', Number.NaN],
    ['c * 0', Number.NaN],
    ['a or c', Number.NaN],
    ['a > 0 and c', Number.NaN],
    ['not c', Number.NaN],
    ['max(a, c)', Number.NaN],
    ['if(c, a, b)', Number.NaN],
    ['if(a, b, c)', 3],
    ['if(a > b, c, b)', 3],
    ['isnull(c) + isnull(a)', 1],
    ['coalesce(c, c + 1, b)', 3],
    ['coalesce(c, c)', Number.NaN],
  ] as const) {
    const { values, remarks } = await value(t, expression);
    t.deepEqual(values, [expected], expression);
    t.deepEqual(
      remarks.filter((sentence) => sentence.includes('finite')),
      [],
    );
  }
});

test('results that are not finite are no data and counted, unless they are not used', async (t) => {
  const bands = { a: [1, 0, none, 4], b: [0, 0, 0, 2] };
  const { values, remarks } = await value(t, 'a / b', bands);
  t.deepEqual(values, [Number.NaN, Number.NaN, Number.NaN, 2]);
  t.regex(
    remarks.join('\n'),
    /^2 values of 'x' have no data: the result is not finite, such as of a division by zero\.$/m,
  );
  for (const expression of [
    'sqrt(a - 5)',
    'ln(-1 * a - 1)',
    'exp(1000 + a)',
    '10 ^ (300 + a) * 10 ^ 300',
    '(-2 - a) ^ 0.5',
  ])
    t.regex((await value(t, expression, bands)).remarks.join('\n'), /^3 values of 'x'/m, expression);
  t.regex((await value(t, '1e38 * 10 * (a + 1)', bands)).remarks.join('\n'), /^3 values/m, 'single precision');
  t.deepEqual(
    (await value(t, 'if(b = 0, 0, a / b) + coalesce(a / b, 0)', bands)).remarks.filter((one) => one.includes('finite')),
    [],
  );
});

test('mistakes are told with their position', (t) => {
  for (const [expression, sentence] of [
    ['a +', /The expression ends\. Expected a number, an item, a function or '\('/],
    ['a + * b', /At character 5 of the expression is '\* b'\. Expected a number/],
    ['(a + b', /The expression ends\. Expected '\)'/],
    ['a b', /At character 3 of the expression is 'b'\. Expected an operator or the end/],
    ['a < b < c', /At character 7 .*Expected 'and' between comparisons/],
    ['a $ b', /At character 3 of the expression is '\$ b', which has no meaning/],
    ['[a + b', /The bracket at character 1 .* is not closed/],
    ['2m + 1', /At character 1 .*Write names that begin with a digit in brackets/],
    ['power(a, 2)', /At character 1 .*the function 'power', which does not exist\. Functions: if, min/],
    ['1 + sqrt(a, b)', /At character 5 .*'sqrt' has 2 operands\. It takes 1/],
    ['min()', /'min' has 0 operands\. It takes at least 1/],
    ['a and', /The expression ends/],
    ['constructor(a)', /function 'constructor'/],
    ['1e999', /number at character 1 .* too large/],
    [`${'('.repeat(70)}a${')'.repeat(70)}`, /At character 66 .*nested more than 64 deep/],
    [`${'-'.repeat(70)}a`, /nested more than 64 deep/],
    [`a${' + a'.repeat(2000)}`, /has 8001 characters\. The maximum is 4096/],
  ] as const) {
    const error = t.throws(() => parseTransformations(step([{ name: 'x', expression }])), { instanceOf: RequestError });
    t.deepEqual(Object.keys(error.errors!), ['transformations[0].calculate[0].expression'], expression.slice(0, 40));
    t.regex(error.message, sentence);
  }
});

test('a long sum is calculated; an unknown item is told with the items that there are', async (t) => {
  t.deepEqual((await value(t, `a${'+a'.repeat(2000)}`)).values, [4002]);
  const grid = gridOf({ 'Water level': [1], bed: [0] });
  await t.throwsAsync(calculated(t, grid, [{ name: 'x', expression: 'bed + level' }]), {
    message: "At character 7 of the expression of 'x' is 'level', which is no item. Items: [Water level], bed.",
  });
  await t.throwsAsync(calculated(t, grid, [{ name: 'x', expression: '1 + 1' }]), { message: /names no item/ });
});

test('items may name those made before, and items of the data stay on request', async (t) => {
  const given = [
    { name: 'depth', expression: '[Water level] - bed' },
    { name: 'wet', expression: 'depth > 0.5' },
    { name: 'bed', expression: 'bed * 2' },
  ];
  const grid = gridOf({ 'Water level': [3, 1, none], bed: [1, 0.75, 0] });
  const { made, values } = await calculated(t, grid, given);
  t.deepEqual(
    made.bands.map(({ name, type, nodata }) => [name, type, nodata]),
    ['depth', 'wet', 'bed'].map((name) => [name, 'Float32', Number.NaN]),
  );
  t.deepEqual(values, [
    [2, 0.25, Number.NaN],
    [1, 0, Number.NaN],
    [2, 1.5, 0],
  ]);
  const kept = await calculated(t, grid, given, { keep: true });
  t.deepEqual(
    kept.made.bands.map(({ name }) => name),
    ['Water level', 'depth', 'wet', 'bed'],
  );
  t.deepEqual(kept.values[0], [3, 1, none]);
  t.true(kept.result.remarks.includes("The item 'bed' of the data was replaced by the calculated one."));
  t.throws(() => parseTransformations(step([given[0]!, given[0]!])), { message: /'depth' is calculated twice/ });
});

test('an expression of many steps takes no more than its steps', async (t) => {
  const doubled = Array.from({ length: 50 }, (_, n) => {
    const before = n === 0 ? 'a' : `x${n - 1}`;
    return { name: `x${n}`, expression: `${before} + ${before} - ${before}` };
  });
  t.deepEqual((await calculated(t, gridOf({ a: [2] }), doubled)).values.at(-1), [2]);
});

test('the unit is the given one, else that of the operands if they agree, else none, which is told', async (t) => {
  const bands = gridOf({ level: [1], bed: [2] }).bands;
  const grid = {
    ...gridOf({ level: [1], bed: [2], speed: [3] }),
    bands: [...bands, { name: 'speed', unit: 'm/s', type: 'Float32' as const }],
  };
  const unit = async (expression: string, more: Partial<Given> = {}) => {
    const { made, result } = await calculated(t, grid, [{ name: 'x', expression, ...more }]);
    return { unit: made.bands[0]!.unit, eum: made.bands[0]!.eum, remarks: result.remarks };
  };
  t.like(await unit('level - bed'), { unit: 'm', eum: undefined, remarks: [] });
  t.like(await unit('max(level, bed) * 2 + 1'), { unit: 'm', remarks: [] });
  t.like(await unit('if(level > 0, level, -bed) / 4'), { unit: 'm', remarks: [] });
  t.like(await unit('level > bed'), { unit: undefined, remarks: [] });
  t.like(await unit('level * bed'), {
    unit: undefined,
    remarks: ["The item 'x' has no unit: its operands have m. Give it by unit."],
  });
  t.like(await unit('level + speed'), { unit: undefined });
  t.like(await unit('level * bed', { unit: 'm^2' }), { unit: 'm^2', remarks: [] });
  t.like(await unit('level - bed', { unit: 'eumUmeter', item: 'eumIWaterDepth' }), {
    unit: 'm',
    eum: { item: 100280, unit: 1000 },
  });
  t.like(await unit('level - bed', { item: 'eumIWaterDepth' }), { eum: { item: 100280, unit: 1000 } });
  const refused = (more: Partial<Given>) =>
    Object.keys(
      t.throws(() => parseTransformations(step([{ name: 'x', expression: 'a', ...more }])), {
        instanceOf: RequestError,
      }).errors!,
    );
  t.deepEqual(refused({ item: 'eumIDepth' }), ['transformations[0].calculate[0].item']);
  t.deepEqual(refused({ item: 'eumIWaterDepth', unit: 'eumUsec' }), ['transformations[0].calculate[0].unit']);
});

test('the kind of value is that of the operands if they agree, but a condition has none', async (t) => {
  const grid = gridOf({ a: [1], b: [2] }, { valueKind: 'stepAccumulated' });
  const kind = async (expression: string) =>
    (await calculated(t, grid, [{ name: 'x', expression }])).made.bands[0]!.valueKind;
  t.is(await kind('a + b'), 'stepAccumulated');
  t.is(await kind('a > b'), undefined);
});

test('names are short and do not turn the direction of text', (t) => {
  for (const name of ['x'.repeat(256), 'a\u202eb', ' '])
    t.deepEqual(
      Object.keys(
        t.throws(() => parseTransformations(step([{ name, expression: 'a' }])), { instanceOf: RequestError }).errors!,
      ),
      ['transformations[0].calculate[0].name'],
    );
});

test('every step and layer of a grid is calculated', async (t) => {
  const grid = { ...gridOf({ a: [1], b: [2] }), time: hourly, layers: { count: 2, first: 0, spacing: 1 } };
  const made: number[] = [];
  const { recordsRead, recordsWritten, statistics } = await passed(
    t,
    grid as Grid,
    step([{ name: 'x', expression: 'a * 2 - b' }]),
    async (output) => {
      for (let step = 0; step < 2; step++)
        for (let layer = 0; layer < 2; layer++)
          for await (const { samples } of output.rows({ band: 0, step, layer })) made.push(...samples);
    },
  );
  t.deepEqual(made, [0, 100, 10, 110]);
  t.deepEqual([recordsRead, recordsWritten], [8, 4]);
  t.like(statistics.after, { bands: [{ minimum: 0, maximum: 110 }] });
});

test('rows of a part of a grid are calculated from these rows alone', async (t) => {
  const asked = new Set<string>();
  const grid: Grid = {
    ...gridOf({ a: [1], b: [2] }),
    height: 1000,
    async *rows({ band }, { first, end } = { first: 0, end: 1000 }) {
      asked.add(`${band}: ${first} to ${end}`);
      for (let row = first; row < end; row++)
        yield { firstRow: row, rowCount: 1, samples: Float32Array.of(row * (band + 1)) };
    },
  };
  const made: number[] = [];
  await passed<Grid>(t, grid, step([{ name: 'x', expression: 'a + b' }]), async (output) => {
    for await (const { samples } of output.rows({ band: 0, step: 0, layer: 0 }, { first: 10, end: 12 }))
      made.push(...samples);
  });
  t.deepEqual(made, [30, 33]);
  t.deepEqual([...asked], ['0: 10 to 12', '1: 10 to 12']);
});

const item = <M extends object>(name: string, more: M) => ({ name, type: 'Float64' as const, nodata: none, ...more });

test('meshes, series and arrays are calculated with', async (t) => {
  const mesh: Mesh = {
    kind: 'mesh',
    nodes: Float64Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]),
    shapes: Uint8Array.of(CELL_SHAPES.triangle),
    connectivity: Uint32Array.of(0, 1, 2),
    offsets: Uint32Array.of(0, 3),
    items: [
      item('u', { location: 'cell' as const }),
      item('v', { location: 'cell' as const }),
      item('z', { location: 'node' as const }),
    ],
    time: hourly,
    values: async (n, step) => (n === 2 ? Float64Array.of(1, 2, 3) : Float64Array.of(step === 0 ? 3 + n : none)),
  };
  const speed = [{ name: 'speed', expression: 'sqrt(u^2 + v^2)' }];
  const onMesh = (await calculated(t, mesh, speed)).made;
  t.deepEqual(
    [await onMesh.values(0, 0), await onMesh.values(0, 1)],
    [Float32Array.of(5), Float32Array.of(Number.NaN)],
  );
  t.is(onMesh.items[0]!.location, 'cell');
  await t.throwsAsync(calculated(t, mesh, [{ name: 'x', expression: 'u + z' }]), {
    message: "'x' cannot be calculated: 'u' and 'z' do not have their values at the same places.",
  });

  const series: Series = {
    kind: 'series',
    items: [item('u', { position: [1, 2] }), item('v', { position: [1, 2] })],
    time: hourly,
    async *chunks() {
      yield { firstStep: 0, offsets: Float64Array.of(0), values: [BigInt64Array.of(3n), Float64Array.of(4)] };
      yield { firstStep: 1, offsets: Float64Array.of(1), values: [BigInt64Array.of(6n), Float64Array.of(none)] };
    },
  };
  const inTime = (await calculated(t, series, speed, { keep: true })).made;
  const chunks = await Array.fromAsync(inTime.chunks());
  t.deepEqual(
    chunks.map(({ values }) => values[2]),
    [Float32Array.of(5), Float32Array.of(Number.NaN)],
  );
  t.deepEqual(inTime.items[2]!.position, [1, 2]);

  const array: MultiArray = {
    kind: 'array',
    axes: [{ name: 'x', values: Float64Array.of(0, 1) }],
    items: [item('surface', { axes: [0], overTime: true }), item('bed', { axes: [0], overTime: false })],
    time: hourly,
    read: async (n, step, [start], [count]) =>
      Float64Array.of(...(n === 1 ? [1, 2] : [10 + step, 20])).slice(start, start! + count!),
  };
  const depths = (await calculated(t, array, [{ name: 'depth', expression: 'surface - bed' }])).made;
  t.deepEqual(await depths.read(0, 1, [0], [2]), Float32Array.of(10, 18));
  t.like(depths.items[0], { axes: [0], overTime: true });
});
