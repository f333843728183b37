import type { ByteSource } from '../../data/bytes.ts';
import type { Grid } from '../../data/grid.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { repairByteCounts } from './block-sizes.ts';
import { Directory, tag } from './directory.ts';
import { gdalReason } from './gdal-fallback.ts';
import { imageRows } from './image-rows.ts';
import { type Layout, readLayout } from './layout.ts';

const notes = { remark() {}, log() {} };

/**
 * The overviews of a GeoTIFF: the same picture in fewer cells, from the finest to the coarsest.
 * @param grid what its reader made of the file
 * @param only number from 1 of the band that is the only one of the grid
 */
export async function readOverviews(source: ByteSource, grid: Grid, only: number | undefined): Promise<Grid[]> {
  const head = Buffer.from(await source.read(0, 2)).toString('latin1');
  if (head !== 'II' && head !== 'MM') return [];
  const directory = await Directory.open(source);
  if ((await gdalReason(directory)) !== undefined) return [];
  const { samples, type } = await readLayout(directory, notes);
  const overviews: Grid[] = [];
  for await (const other of directory.others()) {
    // A reduced image that is no mask.
    if (((await other.number(tag.newSubfileType, 0)) & 5) !== 1) continue;
    const layout = await readable(other);
    if (layout === undefined || layout.samples !== samples || layout.type !== type) continue;
    repairByteCounts(layout, source.size, notes);
    overviews.push(coarser(source, layout, grid, only));
  }
  return overviews.toSorted((one, other) => other.width - one.width);
}

/** Undefined for an overview that cannot be read: tiles are drawn without it. */
async function readable(directory: Directory): Promise<Layout | undefined> {
  try {
    return await readLayout(directory, notes);
  } catch (error) {
    if (error instanceof FormatError || error instanceof ConversionError) return undefined;
    throw error;
  }
}

function coarser(source: ByteSource, layout: Layout, grid: Grid, only: number | undefined): Grid {
  const { read: _read, ...kept } = grid;
  const { width, height } = layout;
  const [across, down] = [grid.width / width, grid.height / height];
  const [x, a, b, y, c, d] = grid.affine;
  return {
    ...kept,
    width,
    height,
    affine: [x, a * across, b * down, y, c * across, d * down],
    rows: imageRows(source, layout, { bands: grid.bands, only, remark: notes.remark }),
  };
}
