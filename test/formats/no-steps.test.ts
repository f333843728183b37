import test from 'ava';
import type { Data } from '../../src/files/data/data.ts';
import type { Grid } from '../../src/files/data/grid.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { ConversionError } from '../../src/files/errors.ts';
import { flatMesh } from './meshes.ts';
import { written } from './written.ts';

const time: TimeAxis = { spacing: 'equidistant', unit: 'hour', start: 0, count: 0, offset: 0, interval: 1 };

const grid: Grid = {
  kind: 'grid',
  width: 2,
  height: 1,
  affine: [10, 1, 0, 50, 0, -1],
  time,
  bands: [{ type: 'Float32', name: 'depth' }],
  rows() {
    throw new Error('There is no step to read.');
  },
};

const mesh: Data = { ...flatMesh(), time };

for (const [name, data] of [
  ['GeoTiffWriter', grid],
  ['AsciiGridWriter', grid],
  ['VtuWriter', grid],
  ['VtuWriter', mesh],
  ['ShapefileWriter', mesh],
  ['GeoJsonWriter', mesh],
] as const)
  test(`${name} refuses a ${data.kind} without time steps`, async (t) => {
    await t.throwsAsync(written(t, data, name), {
      instanceOf: ConversionError,
      message: /^The data have no time steps/,
    });
  });
