import test from 'ava';
import { converted } from './files.ts';
import { classicFile, type MadeFile } from './netcdf/netcdf-files.ts';

const axis = (values: readonly number[], units: string) => ({ type: 'double' as const, values, attributes: { units } });
/** Counts of 64 bits in cells, or over dimensions that are no places. */
const file = (placed: boolean): Buffer => {
  const [y, x] = placed ? ['lat', 'lon'] : ['a', 'b'];
  const made: MadeFile = {
    dimensions: { [y]: 2, [x]: 3 },
    attributes: { Conventions: 'CF-1.11' },
    variables: {
      ...(placed
        ? {
            lat: { ...axis([50, 51], 'degrees_north'), dimensions: ['lat'] },
            lon: { ...axis([5, 6, 7], 'degrees_east'), dimensions: ['lon'] },
          }
        : {}),
      count: { type: 'int64', dimensions: [y, x], values: [1, 2, 3, 4, 5, 6] },
    },
  };
  return classicFile(made, 5);
};

test('64-bit integers that become doubles are named in the receipt, and others are not', async (t) => {
  const lost = "The 64-bit integers of 'count' became doubles.";
  const points = { Points: [{ name: 'P', x: 5, y: 50 }] };
  for (const [placed, writer, writerParameters, isLost] of [
    [true, 'VtuWriter', {}, true],
    [true, 'Dfs2Writer', {}, true],
    [true, 'Dfs0Writer', points, true],
    [true, 'CsvWriter', points, true],
    [true, 'MDWriter', {}, false],
    [true, 'GeoTiffWriter', {}, false],
    [false, 'MDWriter', {}, true],
    [false, 'NetCdfWriter', {}, true],
  ] as const) {
    const { receipt } = await converted(t, file(placed), { reader: 'NetCdfReader', writer, writerParameters });
    t.is(receipt.lost.filter((one) => one === lost).length, isLost ? 1 : 0, `${writer}: ${receipt.lost.join(' ')}`);
  }
});
