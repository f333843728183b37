import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { findReader } from 'hydrofiles';
import { FileSource } from 'hydrofiles/bytes';
import { sridOf, transformer } from 'hydrofiles/crs';
import { firstSlice, type Grid } from 'hydrofiles/data';
import { quietContext } from './context.ts';
import { type Terrain, terrain } from './terrain.ts';

export interface Statistics {
  minimum: number;
  maximum: number;
  mean: number;
  /** Cells without a value. */
  empty: number;
}

/** Content of a file that was read back. */
export interface Findings {
  grid: Grid;
  srid: string | undefined;
  /** Outer edges. */
  extent: Extent;
  statistics: Statistics;
  sha256: string;
}

interface Extent {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Reads a whole GeoTIFF and passes it to `use` while it is open. */
export async function inspect<T>(path: string, scratch: string, use: (found: Findings) => Promise<T>): Promise<T> {
  await using source = await FileSource.open(path, { checksum: false });
  const grid = (await findReader('GeoTiffReader')!.read(source, {}, quietContext(scratch))) as Grid;
  const [west, width, , north, , height] = grid.affine;
  return await use({
    grid,
    srid: grid.crs && sridOf(grid.crs),
    extent: { west, north, east: west + width * grid.width, south: north + height * grid.height },
    statistics: await computeStatistics(grid),
    sha256: createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  });
}

async function computeStatistics(grid: Grid): Promise<Statistics> {
  const nodata = Math.fround(grid.bands[0]?.nodata ?? Number.NaN);
  const found = tally();
  for await (const { samples } of grid.rows(firstSlice)) {
    for (const value of samples) found.add(value === nodata ? Number.NaN : value);
  }
  return found.result();
}

export function statisticsOfTerrain({ heights }: Terrain): Statistics {
  const found = tally();
  for (const height of heights) found.add(height);
  return found.result();
}

function tally() {
  let [minimum, maximum, sum, values, empty] = [Infinity, -Infinity, 0, 0, 0];
  return {
    add(value: number) {
      if (Number.isNaN(value)) {
        empty++;
        return;
      }
      minimum = Math.min(minimum, value);
      maximum = Math.max(maximum, value);
      sum += value;
      values++;
    },
    result: (): Statistics => ({ minimum, maximum, mean: sum / values, empty }),
  };
}

/** Compares the result with the terrain. Returns the differences; empty if it is correct. */
export async function faults(made: Terrain, found: Findings, srid: number, sha256: string): Promise<string[]> {
  const { grid, extent, statistics } = found;
  const before = statisticsOfTerrain(made);
  const cell = grid.affine[1];
  const wanted = await extentIn(made, srid);
  const edges = (['west', 'south', 'east', 'north'] as const).filter(
    (edge) => !(Math.abs(extent[edge] - wanted[edge]) <= cell),
  );
  const checks: [boolean, string][] = [
    [found.sha256 === sha256, `its bytes are not those that the receipt names (${sha256})`],
    [found.srid === `EPSG:${srid}`, `it says ${found.srid}, not EPSG:${srid}`],
    [edges.length === 0, `its edge in the ${edges.join(', ')} is more than a cell from where it belongs`],
    // interpolation creates no new extremes; heights were written with two decimals
    [statistics.minimum >= before.minimum - 0.01, `its lowest height ${statistics.minimum} is below ${before.minimum}`],
    [
      statistics.maximum <= before.maximum + 0.01,
      `its highest height ${statistics.maximum} is above ${before.maximum}`,
    ],
    [Math.abs(statistics.mean - before.mean) < 1, `its mean height is ${statistics.mean}, not ${before.mean}`],
    [statistics.empty >= before.empty, `it has only ${statistics.empty} cells without data; the lake is missing`],
  ];
  return checks.filter(([holds]) => !holds).map(([, sentence]) => sentence);
}

/** Extent of the terrain in another coordinate system: transforms every cell corner of its border. */
async function extentIn({ west, south, cell, columns, rows }: Terrain, srid: number): Promise<Extent> {
  const xs: number[] = [];
  const ys: number[] = [];
  const add = (column: number, row: number) => {
    xs.push(west + column * cell);
    ys.push(south + row * cell);
  };
  for (let column = 0; column <= columns; column++) for (const row of [0, rows]) add(column, row);
  for (let row = 0; row <= rows; row++) for (const column of [0, columns]) add(column, row);
  const [x, y] = [Float64Array.from(xs), Float64Array.from(ys)];
  using way = await transformer({ authority: 'EPSG', code: terrain.srid }, { authority: 'EPSG', code: srid });
  way.forward(x, y);
  return { west: Math.min(...x), east: Math.max(...x), south: Math.min(...y), north: Math.max(...y) };
}
