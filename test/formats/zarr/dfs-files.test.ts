import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { axes, block, dfsBytes, values } from '../dfs/dfs-bytes.ts';
import { dfsu, flat } from '../dfsu/files.ts';
import { converted } from '../files.ts';
import { memory } from '../read.ts';
import { dataOf, whole } from './whole.ts';

/** Metadata of a DFS file: title, kind, position, axes and items. */
async function facts(bytes: Uint8Array) {
  const { header } = await DfsFile.open(memory(bytes));
  const { title, dataType, projection, deleteValues } = header;
  const items = [];
  for (const { name, eumItem, eumUnit, type, valueKind, reference, axis } of header.items) {
    const coordinates = await Promise.all(axis.coordinates.map(async (one) => [...(await one.load())]));
    const { tag, unit, counts, spacing } = axis;
    items.push({
      name,
      eumItem,
      eumUnit,
      type,
      valueKind,
      reference,
      axis: { tag, unit, counts, spacing, coordinates },
    });
  }
  return { title, dataType, projection, deleteValues, items };
}

/** The file after a conversion to another format and back. */
async function roundTrip(t: ExecutionContext, bytes: Uint8Array, format: string, over: string) {
  const { bytes: stored, receipt } = await converted(t, bytes, { reader: `${format}Reader`, writer: `${over}Writer` });
  const back = await converted(t, stored, {
    reader: `${over}Reader`,
    writer: `${format}Writer`,
    writerParameters: format === 'MeshFile' ? {} : { WriteAsFloat: false },
  });
  return { stored, bytes: back.bytes, lost: [...receipt.lost, ...back.receipt.lost], crs: receipt.crs };
}

/** Everything of the data but the unit and the spacing of the time axis, which a new file has in seconds. */
async function content(t: ExecutionContext, bytes: Uint8Array, reader: string) {
  const { time: _, ...rest } = await whole(await dataOf(t, reader, bytes));
  return rest;
}

const time = { start: ['2020-01-01', '06:00:00'] as [string, string], unit: 1400, interval: 3600 };
const plane = (axis: Buffer, size: number, more: object = {}) =>
  dfsBytes({
    title: 'Tide \u0001',
    dataType: 7,
    projection: ['LONG/LAT', -5, 51.2, 180],
    time,
    items: [
      { name: 'Level', axis, steps: [0, 1].map((step) => Array.from({ length: size }, (_, n) => n + 10 * step)) },
    ],
    ...more,
  });
const energy = (factor: number) =>
  plane(axes.plane(3, 2, 0.05, 10, factor, 90), 6, {
    items: [
      {
        name: 'Energy',
        eum: [110047, 5206],
        axis: axes.plane(3, 2, 0.05, 10, factor, 90),
        steps: [
          [1, 2, 3, 4, 5, 6],
          [6, 5, 4, 3, 2, 1],
        ],
      },
    ],
  });
const corners = Array.from({ length: 12 }, (_, n) => n + (n % 4) ** 2);
const curvilinear = block(
  31061,
  values('Int32', 1001, 3, 2),
  values('Float64', ...corners),
  values('Float64', ...corners.map((x) => x / 2)),
);
const uneven = block(31056, values('Int32', 1001, 3, 2), values('Float64', 0, 1, 3, 7), values('Float64', 10, 20, 40));

const files: Readonly<Record<string, readonly [format: string, bytes: Buffer]>> = {
  'a DFS1 with a place in longitude and latitude': ['Dfs1', plane(axes.line(9), 9)],
  'a DFS2': ['Dfs2', plane(axes.plane(3, 2), 6, { projection: ['UTM-33', 12.438, 55.225, 0.5] })],
  'a DFS2 of spectra over even frequencies': ['Dfs2', energy(0.5)],
  'a DFS2 of spectra over logarithmic frequencies': ['Dfs2', energy(1.1)],
  'a DFS2 of unequal cells': ['Dfs2', plane(uneven, 6)],
  'a curvilinear DFS2': ['Dfs2', plane(curvilinear, 6)],
  'a DFS3': ['Dfs3', plane(axes.space(4, 3, 5), 60)],
};

for (const [what, [format, bytes]] of Object.entries(files))
  test(`${what} keeps title, kind, place and axes through a multidimensional store`, async (t) => {
    const back = await roundTrip(t, bytes, format, 'MD');
    t.deepEqual(await facts(back.bytes), await facts(bytes));
    t.deepEqual(await content(t, back.bytes, `${format}Reader`), await content(t, bytes, `${format}Reader`));
    const twice = await converted(t, back.stored, { reader: 'MDReader', writer: 'MDWriter' });
    t.deepEqual(twice.bytes, back.stored, 'a copy of the store has the same bytes');
  });

test('a DFS1 with coordinates that are not even keeps x through a multidimensional store', async (t) => {
  const line = block(31053, values('Int32', 1000, 3), values('Float32', 0, 5, 6, 1, 7, 8, 4, 9, 9));
  const { bytes, lost } = await roundTrip(t, plane(line, 3), 'Dfs1', 'MD');
  t.deepEqual((await facts(bytes)).items[0]!.axis.coordinates, [[0, 0, 0, 1, 0, 0, 4, 0, 0]]);
  t.deepEqual(lost, ['Of the coordinates along the line only x was kept.']);
});

const point = dfsu({ ...flat, frequencies: [0.25], directions: [0, 180], fm: [0, 1, 2] });

for (const over of ['MD', 'Vtu'])
  test(`a point spectrum comes back from ${over} as a point spectrum`, async (t) => {
    const back = await roundTrip(t, point, 'Dfsu', over);
    const before = await whole(await dataOf(t, 'DfsuReader', point));
    const after = await whole(await dataOf(t, 'DfsuReader', back.bytes));
    t.like(after, { located: false, spectrum: before.spectrum, values: before.values });
    const { header } = await DfsFile.open(memory(back.bytes));
    t.deepEqual([...(await header.custom[0]!.values.load())].slice(-2), [1, 2]);
    t.false(back.lost.some((sentence) => sentence.includes('coordinate system')));
    const [, store] = [await dataOf(t, 'DfsuReader', point), await dataOf(t, `${over}Reader`, back.stored)];
    t.like(store, { located: false });
  });

test('a receipt names the code of a projection text that a registry has', async (t) => {
  const text =
    'PROJCS["ETRS_1989_UTM_Zone_32N",GEOGCS["GCS_ETRS_1989",DATUM["D_ETRS_1989",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",9.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]';
  const bytes = plane(axes.plane(3, 2), 6, { projection: [text, 9.2, 56.2, 0] });
  const { crs, bytes: back } = await roundTrip(t, bytes, 'Dfs2', 'MD');
  t.deepEqual(crs, { from: 'EPSG:25832' });
  t.is((await facts(back)).projection?.text, text);
});

const folder = '/work/shared/data/dfs';
const present = existsSync(folder);
if (!present) console.warn(`SKIPPED: the sample files in ${folder} are absent, so tests on them do not run.`);
const sampled = present ? readdirSync(folder).filter((name) => /\.(?:dfs[123u]|mesh)$/.test(name)) : [];

(present ? test : test.skip)(
  'all sample files keep title, kind, place, axes, items, times and values through a multidimensional store',
  async (t) => {
    t.true(sampled.length > 20);
    for (const name of sampled) {
      const bytes = await readFile(join(folder, name));
      const format = name.endsWith('.mesh') ? 'MeshFile' : `D${name.split('.')[1]!.slice(1)}`;
      const back = await roundTrip(t, bytes, format, 'MD');
      const reader = `${format}Reader`;
      t.deepEqual(await content(t, back.bytes, reader), await content(t, bytes, reader), name);
      if (format !== 'MeshFile') t.deepEqual(await facts(back.bytes), await facts(bytes), name);
    }
  },
);
