import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convert } from '../../src/files/convert/convert.ts';
import type { User, World } from '../world.ts';
import { newDataset } from './content.ts';

/** 40 × 30 cells of 100 m near 9° E, with the values x + y + `add`; the upper left cell is empty. */
export function gridText(add = 0): string {
  const rows = Array.from({ length: 30 }, (_, y) =>
    Array.from({ length: 40 }, (_, x) => (x + y === 0 ? -9999 : x + y + add)).join(' '),
  );
  const head = 'ncols 40\nnrows 30\nxllcorner 500000\nyllcorner 6000000\ncellsize 100\nNODATA_value -9999';
  return `${head}\n${rows.join('\n')}\n`;
}

/** A GeoTIFF in EPSG:25832. */
export const gridFile = (add = 0): Promise<Buffer> => converted(gridText(add), 'GeoTiffWriter');

async function converted(grid: string, writer: string): Promise<Buffer> {
  const scratch = await mkdtemp(join(tmpdir(), 'grid-'));
  try {
    const [input, output] = [join(scratch, 'in'), join(scratch, 'out')];
    await writeFile(input, grid);
    const request = {
      input: { path: input, name: 'grid.asc' },
      output: { path: output },
      scratch,
      reader: { name: 'AsciiGridReader', parameters: { SRID: 25832 } },
      writer: { name: writer },
    };
    await convert(request, { progress() {}, log() {}, signal: new AbortController().signal });
    return await readFile(output);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The file of a grid of 600 × 600 cells of 100 m, with the values column + row: large if the limit is small. */
export async function largeGridFile(add = 0, writer = 'GeoTiffWriter'): Promise<Buffer> {
  const rows = Array.from({ length: 600 }, (_, y) => Array.from({ length: 600 }, (_, x) => x + y + add).join(' '));
  const head = 'ncols 600\nnrows 600\nxllcorner 500000\nyllcorner 6000000\ncellsize 100\nNODATA_value -9999';
  return converted(`${head}\n${rows.join('\n')}\n`, writer);
}

let usual: Promise<Buffer> | undefined;

/** A dataset with the file of a grid. */
export async function newGrid(w: World, projectId: string, user: User, name = 'grid'): Promise<string> {
  usual ??= gridFile();
  return newDataset(w, projectId, user, { name, content: await usual });
}

/** 50 wells near 9° E as GeoJSON. */
export const WELLS = JSON.stringify({
  type: 'FeatureCollection',
  features: Array.from({ length: 50 }, (_, n) => ({
    type: 'Feature',
    properties: { name: `well ${n}`, depth: n / 2 },
    geometry: { type: 'Point', coordinates: [9 + n / 1000, 54] },
  })),
});

/** A tile of `gridFile`. */
export const GRID_TILE = '12/2150/1312';
