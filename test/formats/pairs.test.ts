import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { inspect } from '../../src/files/convert/inspect.ts';
import type { Inspection } from '../../src/files/convert/inspection.ts';
import { writersFor } from '../../src/files/convert/offers.ts';
import { zipEntries } from '../../src/files/formats/io/zip.ts';
import { findReader, findWriter } from '../../src/files/formats/registry.ts';
import { axes, dfsBytes } from './dfs/dfs-bytes.ts';
import { dfsu, flat } from './dfsu/files.ts';
import { collection, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';
import { gdalIndexed } from './flatgeobuf/gdal-files.ts';
import { classicFile, gridOverTime } from './netcdf/netcdf-files.ts';
import { memory } from './read.ts';
import { shapefileOf } from './shapefiles.ts';
import { geoKeys, placed, tiffFile } from './tiff-file.ts';
import { folderOf } from './transformed.ts';
import { triangle, vtuOf } from './vtu/vtu-files.ts';
import { group, storeOf, variable } from './zarr/zarr-files.ts';

/** Two hourly steps of one item; the values of a step follow each other from 1. */
const dfs = (axis: Buffer, size: number) =>
  dfsBytes({
    projection: ['UTM-33', 15, 55, 0],
    time: { start: ['2020-01-01', '00:00:00'], interval: 3600 },
    items: [{ name: 'Level', axis, steps: [0, 1].map((step) => Array.from({ length: size }, (_, n) => 1 + n + step)) }],
  });

const square = [0, 4, 4, 0, 0].map((x, n) => [10 + x, [50, 50, 54, 54, 50][n]!]);
const lattice = [0, 1].flatMap((row) => [0, 1, 2].map((column) => [column, row, 1 + column + 3 * row].join(' ')));

/** A file for each reader, made without the product's writers. */
const inputs: Readonly<Record<string, string | Buffer>> = {
  AsciiGridReader: 'ncols 3\nnrows 2\nxllcorner 500000\nyllcorner 6000000\ncellsize 100\n1 2 3\n4 5 6\n',
  GeoTiffReader: tiffFile({
    width: 3,
    height: 2,
    values: [1, 2, 3, 4, 5, 6],
    tags: { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]) },
  }),
  ShapefileReader: shapefileOf({ type: 5, shapes: [[square]], columns: [{ name: 'nr', type: 'N', width: 4 }] }),
  GISReader: gdalIndexed,
  GeoJsonReader: collection([feature(geometryOf('Polygon', [square]), { nr: 1 })]),
  Dfs0Reader: dfs(axes.point, 1),
  Dfs1Reader: dfs(axes.line(4), 4),
  Dfs2Reader: dfs(axes.plane(3, 2), 6),
  Dfs3Reader: dfs(axes.space(3, 2, 2), 12),
  DfsuReader: dfsu(flat),
  XyzReader: `${lattice.join('\n')}\n`,
  MeshFileReader: '100079 1000 3 UTM-33\n1 0 0 -1 1\n2 9 0 -2 1\n3 0 9 -3 1\n1 3 21\n1 1 2 3\n',
  MDReader: storeOf({
    'zarr.json': group({}),
    ...variable('y', { shape: [2], dimension_names: ['y'], values: [150, 50] }),
    ...variable('x', { shape: [3], dimension_names: ['x'], values: [50, 150, 250] }),
    ...variable('depth', { shape: [2, 3], dimension_names: ['y', 'x'], values: [1, 2, 3, 4, 5, 6] }),
  }),
  NetCdfReader: classicFile(gridOverTime),
  VtuReader: vtuOf({ ...triangle, cellData: [{ name: 'depth', type: 'Float32', values: [7], unit: 'm' }] }),
};

/** The pairs of readers and writers of the contract, and what the written file holds. */
const pairs: readonly (readonly [
  reader: string,
  writer: string,
  holds: string | readonly string[],
  parameters?: Record<string, unknown>,
])[] = [
  ['AsciiGridReader', 'GeoTiffWriter', 'grid; 3×2; 1 6'],
  ['AsciiGridReader', 'MDWriter', 'grid; 3×2; 1 6'],
  ['AsciiGridReader', 'Dfs2Writer', 'grid; 3×2; 1 steps; Band 1 1 6'],
  ['GeoTiffReader', 'AsciiGridWriter', 'grid; 3×2; 1 6'],
  ['GeoTiffReader', 'Dfs2Writer', 'grid; 3×2; 1 steps; Band 1 1 6'],
  ['GeoTiffReader', 'Dfs3Writer', 'grid; 3×2; 1 steps; Band 1 1 6'],
  ['GeoTiffReader', 'VtuWriter', 'mesh; 6; Item 1 1 6'],
  ['ShapefileReader', 'GeoJsonWriter', 'features; {"Polygon":1}; nr'],
  ['ShapefileReader', 'DfsuWriter', 'mesh; 1024; 1 steps; nr 1 1'],
  ['ShapefileReader', 'VtuWriter', 'mesh; 1; nr 1 1'],
  ['GeoJsonReader', 'ShapefileWriter', 'features; {"Polygon":1}; nr'],
  ['GeoJsonReader', 'DfsuWriter', 'mesh; 1024; 1 steps; nr 1 1'],
  ['ShapefileReader', 'GISWriter', 'features; {"Polygon":1}; nr'],
  ['GeoJsonReader', 'GISWriter', 'features; {"Polygon":1}; nr'],
  ['XyzReader', 'GISWriter', 'features; {"Point":6}'],
  ['DfsuReader', 'GISWriter', 'features; {"Polygon":2}; Item 0; Item 1'],
  [
    'GISReader',
    'GeoJsonWriter',
    'features; {"MultiPolygon":1,"GeometryCollection":1,"Polygon":1,"Point":1}; n; big; f; s; ok; t',
  ],
  ['GISReader', 'ShapefileWriter', ['mixed_point.shp', 'mixed_line.shp', 'mixed_polygon.shp']],
  ['Dfs0Reader', 'VtuWriter', 'mesh; 1; 2 steps; Level 1 2'],
  ['Dfs1Reader', 'VtuWriter', 'mesh; 3; 2 steps; Level 1 5'],
  ['Dfs1Reader', 'MDWriter', 'grid; 4×1; 2 steps; Level 1 5'],
  ['Dfs2Reader', 'MDWriter', 'grid; 3×2; 2 steps; Level 1 7'],
  ['Dfs3Reader', 'MDWriter', 'grid; 3×2; 2 steps; Level 1 13'],
  ['DfsuReader', 'MDWriter', 'mesh; 2; 3 steps; Item 0 0 201; Item 1 10000 10201'],
  ['MeshFileReader', 'MDWriter', 'mesh; 1; Bathymetry -2 -2'],
  ['VtuReader', 'MDWriter', 'mesh; 1; depth 7 7'],
  ['MDReader', 'MDWriter', 'grid; 3×2; depth 1 6'],
  ['MDReader', 'GeoTiffWriter', 'grid; 3×2; depth 1 6'],
  ['MDReader', 'Dfs2Writer', 'grid; 3×2; 1 steps; depth 1 6'],
  ['MDReader', 'VtuWriter', 'mesh; 6; depth 1 6'],
  ['Dfs2Reader', 'NetCdfWriter', 'grid; 3×2; 2 steps; Level 1 7'],
  ['Dfs0Reader', 'NetCdfWriter', 'series; 2 steps; Level 1 2'],
  ['DfsuReader', 'NetCdfWriter', 'mesh; 2; 3 steps; Item 0 0 201; Item 1 10000 10201'],
  ['NetCdfReader', 'Dfs2Writer', 'grid; 5×4; 3 steps; Water depth 0 29; packed 0 29.5'],
  ['NetCdfReader', 'MDWriter', 'grid; 5×4; 3 steps; Water depth 0 29; packed -20 39'],
  ['Dfs2Reader', 'VtuWriter', 'mesh; 6; 2 steps; Level 1 7'],
  ['Dfs2Reader', 'GeoTiffWriter', 'grid; 3×2; Level 2020-01-01T00:00:00 1 6; Level 2020-01-01T01:00:00 2 7'],
  ['Dfs2Reader', 'GeoTiffWriter', ['step_0000.tif', 'step_0001.tif'], { StepsAs: 'files' }],
  ['Dfs2Reader', 'AsciiGridWriter', 'grid; 3×2; 1 6'],
  ['Dfs2Reader', 'Dfs0Writer', 'series; 2 steps; Level, p 4 5', { Points: [{ name: 'p', x: 500000, y: 6094800 }] }],
  ['Dfs3Reader', 'VtuWriter', 'mesh; 12; 2 steps; Level 1 13'],
  [
    'Dfs3Reader',
    'GeoTiffWriter',
    'grid; 3×2; Level 2020-01-01T00:00:00 at 0 m 1 6; Level 2020-01-01T00:00:00 at 2 m 7 12; Level 2020-01-01T01:00:00 at 0 m 2 7; Level 2020-01-01T01:00:00 at 2 m 8 13',
  ],
  ['DfsuReader', 'VtuWriter', 'mesh; 2; 3 steps; Item 0 0 201; Item 1 10000 10201'],
  ['DfsuReader', 'ShapefileWriter', ['terrain_0000.shp', 'terrain_0001.shp', 'terrain_0002.shp']],
  ['DfsuReader', 'GeoJsonWriter', 'features; {"Polygon":2}; Item 0; Item 1'],
  ['DfsuReader', 'Dfs2Writer', 'grid; 2×1; 3 steps; Item 0 0 201; Item 1 10000 10201'],
  [
    'DfsuReader',
    'Dfs0Writer',
    'series; 3 steps; Item 0, p 0 200; Item 1, p 10000 10200',
    { Points: [{ name: 'p', x: 400050, y: 6100050 }] },
  ],
  ['DfsuReader', 'MeshFileWriter', 'mesh; 2; Bathymetry -3 -3'],
  ['XyzReader', 'VtuWriter', 'mesh; 6; Z 1 6'],
  ['XyzReader', 'AsciiGridWriter', 'grid; 3×2; 1 6'],
  ['XyzReader', 'GeoTiffWriter', 'grid; 3×2; Z 1 6'],
  ['XyzReader', 'DfsuWriter', 'mesh; 4; 1 steps; Bathymetry 2.3333332538604736 4.666666507720947'],
  ['MeshFileReader', 'DfsuWriter', 'mesh; 1; 1 steps; Bathymetry -2 -2'],
  ['MeshFileReader', 'VtuWriter', 'mesh; 1; Bathymetry -2 -2'],
  ['VtuReader', 'ShapefileWriter', 'features; {"Polygon":1}; depth'],
  ['VtuReader', 'DfsuWriter', 'mesh; 1; 1 steps; depth 7 7'],
  ['VtuReader', 'MeshFileWriter', 'mesh; 1; Bathymetry 2 2'],
];

interface Row {
  name?: string;
  minimum?: unknown;
  maximum?: unknown;
}

/** Kind, size, steps, and the items with their smallest and largest values, of what a file holds. */
function summary({ kind, ...rest }: Inspection): string {
  const { width, height, elements, statistics, time, bands, items, fields } = rest as Inspection & {
    statistics?: { geometries?: object };
  };
  const size = width === undefined ? (elements ?? JSON.stringify(statistics?.geometries)) : `${width}×${height}`;
  const rows = ((bands ?? items ?? fields ?? []) as Row[]).map(({ name, minimum, maximum }) =>
    [name, minimum, maximum].filter((one) => one !== undefined).join(' '),
  );
  return [kind, size, time && `${time.steps} steps`, ...rows].filter((one) => one !== undefined).join('; ');
}

for (const [reader, writer, holds, writerParameters = {}] of pairs)
  test(`${reader} to ${writer} ${JSON.stringify(writerParameters)}`, async (t) => {
    t.true(writersFor(findReader(reader)!).includes(findWriter(writer)!));
    const { bytes } = await converted(t, inputs[reader]!, { reader, writer, writerParameters });
    const scratch = await folderOf(t);
    const path = join(scratch, 'written');
    await writeFile(path, bytes);
    if (typeof holds !== 'string') {
      const names = (await zipEntries(memory(bytes))).map(({ name }) => name);
      t.deepEqual(
        names.filter((name) => /\.(shp|tif)$/.test(name)),
        holds,
      );
      return;
    }
    const { inspection } = await inspect({ path, scratch, signal: new AbortController().signal });
    t.is(summary(inspection), holds);
    if (inspection.format === 'dfsu')
      t.true(
        inspection.items!.every(({ nodata }) => nodata === Math.fround(1e-35)),
        'the delete value of DFSU files',
      );
  });
