import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import type { Series } from '../../../src/files/data/series.ts';
import { read } from '../read.ts';
import { classicFile, faces, gridOverTime, hdf5File, type MadeFile, stations } from './netcdf-files.ts';

/** The file in each form: the classic ones and NetCDF-4. */
const forms: Readonly<Record<string, (made: MadeFile) => Buffer | Promise<Buffer>>> = {
  'CDF-1': (made) => classicFile(made),
  'CDF-2': (made) => classicFile(made, 2),
  'CDF-5': (made) => classicFile(made, 5),
  'NetCDF-4': hdf5File,
};

async function valuesAt(grid: Grid, band: number, step: number): Promise<number[]> {
  const all: number[] = [];
  for await (const { samples } of grid.rows({ band, step, layer: 0 })) all.push(...samples);
  return all;
}

async function columns({ chunks, items }: Series): Promise<Record<string, number[]>> {
  const all: Record<string, number[]> = {};
  for await (const { values } of chunks())
    for (const [n, { name = '' }] of items.entries())
      all[name] = [...(all[name] ?? []), ...Array.from(values[n]!, Number)];
  return all;
}

for (const [form, make] of Object.entries(forms)) {
  test(`${form}: a grid over time has its values, quantities, packing and place`, async (t) => {
    const { data, remarks } = await read(t, 'grid', 'NetCdfReader', await make(gridOverTime));
    t.deepEqual([data.width, data.height, data.affine], [5, 4, [4.5, 1, 0, 49.75, 0, 0.5]]);
    t.deepEqual(data.crs, { authority: 'EPSG', code: 4326 });
    t.deepEqual(data.time, {
      spacing: 'equidistant',
      unit: 'hour',
      start: Date.UTC(2020, 0, 1),
      count: 3,
      offset: 0,
      interval: 1,
    });
    t.like(data.bands[0], {
      name: 'Water depth',
      unit: 'm',
      eum: { item: 100280, unit: 1000 },
      type: 'Float32',
      nodata: -9,
    });
    t.like(data.bands[1], { name: 'packed', type: 'Int16', scale: 0.5, offset: 10, valueKind: 'meanStepBackward' });
    for (const step of [2, 0, 1]) {
      const expected = gridOverTime.variables.depth!.values as number[];
      t.deepEqual(await valuesAt(data, 0, step), expected.slice(20 * step, 20 * step + 20));
      t.deepEqual(
        await valuesAt(data, 1, step),
        Array.from({ length: 20 }, (_, n) => n - 20 + 20 * step),
      );
    }
    t.true(remarks.some((one) => one.includes('EPSG:4326')));
  });

  test(`${form}: a mesh of UGRID has faces, nodes, heights and items on both`, async (t) => {
    const { data } = await read(t, 'mesh', 'NetCdfReader', await make(faces));
    const mesh: Mesh = data;
    t.deepEqual(mesh.crs, { authority: 'EPSG', code: 28992 });
    t.deepEqual([...mesh.shapes], [9, 5, 5]);
    t.deepEqual([...mesh.connectivity], [0, 1, 4, 3, 1, 2, 4, 2, 5, 4]);
    t.deepEqual([...mesh.nodes.subarray(0, 6)], [0, 0, -1, 1, 0, -2]);
    t.deepEqual(
      mesh.items.map(({ name, location }) => [name, location]),
      [
        ['Water level', 'cell'],
        ['Bed', 'node'],
      ],
    );
    t.deepEqual([...(await mesh.values(0, 1))], [4, 5, 6]);
    t.deepEqual([...(await mesh.values(1, 1))], [1, 2, 3, 4, 5, 6]);
  });

  const expected: Record<string, [Record<string, number[]>, number]> = {
    orthogonal: [{ Alpha: [0, 1, 2, 3], Beta: [4, 5, 6, 7] }, 4],
    contiguous: [{ Alpha: [0, 1, 2, 3, -99], Beta: [-99, 4, 5, -99, 6] }, 5],
    indexed: [{ Alpha: [0, 2, 4, 6, -99], Beta: [-99, 1, 3, -99, 5] }, 5],
  };
  for (const [name, [values]] of Object.entries(expected))
    test(`${form}: series of stations in an ${name} array have names, places and gaps`, async (t) => {
      const { data } = await read(t, 'series', 'NetCdfReader', await make(stations(name as 'orthogonal')));
      t.deepEqual(await columns(data), values);
      t.deepEqual(
        data.items.map(({ position }) => position),
        [
          [5, 50],
          [6, 51],
        ],
      );
      t.like(data.items[0], { eum: { item: 100000, unit: 1000 }, unit: 'm' });
    });
}

test('observations without a station, and earlier ones of the same time, are named as lost', async (t) => {
  const { variables, ...rest } = stations('indexed');
  const made: MadeFile = {
    ...rest,
    variables: {
      ...variables,
      which: { ...variables.which!, values: [0, 1, 0, 1, 0, 7, 0] },
      time: { ...variables.time!, values: [0, 1, 1, 2, 2, 5, 2] },
    },
  };
  const { data, lost } = await read(t, 'series', 'NetCdfReader', classicFile(made));
  t.deepEqual(await columns(data), { Alpha: [0, 2, 6, -99], Beta: [-99, 1, 3, -99] });
  t.regex(lost.join('\n'), /^1 observations were left out: they have no station, or no time in 'time'\.$/m);
  t.regex(lost.join('\n'), /^1 observations were left out: their station has a later one with the same time\.$/m);
});

test('values of series and meshes that are not valid become no data, and are counted', async (t) => {
  const limited = ({ variables, ...rest }: MadeFile, name: string): MadeFile => {
    const { attributes, ...variable } = variables[name]!;
    return {
      ...rest,
      variables: { ...variables, [name]: { ...variable, attributes: { ...attributes, valid_max: 4 } } },
    };
  };
  const series = await read(t, 'series', 'NetCdfReader', classicFile(limited(stations('contiguous'), 'level')));
  t.deepEqual(await columns(series.data), { Alpha: [0, 1, 2, 3, -99], Beta: [-99, 4, -99, -99, -99] });
  t.regex(series.lost.join('\n'), /^2 values of 'level' outside of the valid /m);
  const mesh = await read(t, 'mesh', 'NetCdfReader', classicFile(limited(faces, 'level')));
  t.is((await mesh.data.values(0, 1))[1], mesh.data.items[0]!.nodata as number);
  t.regex(mesh.lost.join('\n'), /values of 'level' outside of the valid /);
});

test('integers of 64 bits of a mesh become doubles, and the receipt says so', async (t) => {
  const { level, ...others } = faces.variables;
  const values = (level!.values as number[]).map((_, n) => (n === 0 ? 2 ** 53 + 2 : n));
  const variables = { ...others, level: { ...level!, type: 'int64', attributes: { mesh: 'mesh2d' }, values } } as const;
  const { data, lost } = await read(t, 'mesh', 'NetCdfReader', classicFile({ ...faces, variables }, 5));
  const at = data.items.findIndex(({ name }) => name === 'level');
  t.like(data.items[at], { type: 'Float64', integer64: undefined });
  t.deepEqual(lost, ["The 64-bit integers of 'level' became doubles."]);
  t.deepEqual([...(await data.values(at, 0))], [2 ** 53 + 2, 1, 2]);
  t.true(lost.includes('Integers above 2^53 were rounded to 53 bits.'));
});

test('items are chosen by name before it is decided whether the rest is a grid', async (t) => {
  const made: MadeFile = {
    ...gridOverTime,
    variables: { ...gridOverTime.variables, mean: { type: 'float', dimensions: ['time'], values: [1, 2, 3] } },
  };
  const bytes = classicFile(made);
  await read(t, 'array', 'NetCdfReader', bytes);
  const { data } = await read(t, 'grid', 'NetCdfReader', bytes, { AllowedItemNames: ['Water depth'] });
  t.deepEqual(
    data.bands.map(({ name }) => name),
    ['Water depth'],
  );
  await t.throwsAsync(read(t, 'grid', 'NetCdfReader', bytes, { AllowedItemNames: ['none'] }), { message: /'none'/ });
});

test('of several meshes, one has to be named', async (t) => {
  const { mesh2d, ...rest } = faces.variables;
  const bytes = classicFile({ ...faces, variables: { mesh2d: mesh2d!, other: mesh2d!, ...rest } });
  await t.throwsAsync(read(t, 'mesh', 'NetCdfReader', bytes), { message: /several meshes: 'mesh2d', 'other'/ });
  const { data } = await read(t, 'mesh', 'NetCdfReader', bytes, { Topology: 'mesh2d' });
  t.is(data.items.length, 2);
});

const over = async (t: ExecutionContext, attributes: Record<string, string>, bounds: readonly number[]) => {
  const { time, depth, ...rest } = gridOverTime.variables;
  const { data } = await read(
    t,
    'grid',
    'NetCdfReader',
    classicFile({
      ...gridOverTime,
      dimensions: { ...gridOverTime.dimensions, two: 2 },
      variables: {
        ...rest,
        time: { ...time!, attributes: { ...time!.attributes, bounds: 'time_bnds' } },
        time_bnds: { type: 'double', dimensions: ['time', 'two'], values: bounds },
        depth: { ...depth!, attributes: { ...depth!.attributes, ...attributes } },
      },
    }),
  );
  return data.bands.find(({ name }) => name === 'Water depth')!.valueKind;
};

test('the kind of value is that of cell_methods and the bounds of the steps', async (t) => {
  t.is(await over(t, { cell_methods: 'time: mean' }, [-1, 0, 0, 1, 1, 2]), 'meanStepBackward');
  t.is(await over(t, { cell_methods: 'area: mean time: mean' }, [0, 1, 1, 2, 2, 3]), 'meanStepForward');
  t.is(await over(t, { cell_methods: 'time: sum (interval: 1 hour)' }, [-1, 0, 0, 1, 1, 2]), 'stepAccumulated');
  t.is(await over(t, { cell_methods: 'time: sum' }, [-1, 0, -1, 1, -1, 2]), 'accumulated');
  t.is(await over(t, { cell_methods: 'time: point' }, [-1, 0, 0, 1, 1, 2]), undefined);
});

test('a quantity whose unit EUM does not have keeps its unit as text', async (t) => {
  const { depth, ...rest } = gridOverTime.variables;
  const changed = { ...depth!, attributes: { ...depth!.attributes, units: 'fathom' } };
  const { data, remarks } = await read(
    t,
    'grid',
    'NetCdfReader',
    classicFile({ ...gridOverTime, variables: { ...rest, depth: changed } }),
  );
  const item = data.bands.find(({ name }) => name === 'Water depth')!;
  t.is(item.unit, 'fathom');
  t.is(item.eum, undefined);
  t.true(remarks.some((one) => one.includes("'fathom'")));
});

test('values that were never written have no data', async (t) => {
  const fill = 15 * 2 ** 119;
  const { depth, ...rest } = gridOverTime.variables;
  const unwritten = { ...depth!, attributes: { units: 'm' }, values: [fill, ...(depth!.values as number[]).slice(1)] };
  const { data } = await read(
    t,
    'grid',
    'NetCdfReader',
    classicFile({ ...gridOverTime, variables: { ...rest, unwritten } }),
  );
  t.is(data.bands.find(({ name }) => name === 'unwritten')!.nodata, fill);
});
