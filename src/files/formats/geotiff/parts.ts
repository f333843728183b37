import type { ByteSource } from '../../data/bytes.ts';
import { Directory } from './directory.ts';
import { gdalReason } from './gdal-fallback.ts';
import { bytesPerRow, readLayout } from './layout.ts';

/** Side of a part in cells. */
const PART = 512;
/** Decoded bytes of the blocks in which a part lies. */
const MOST_BYTES = 8 << 20;

/**
 * Whether the blocks with a square of 512 × 512 cells are few: not if they are long strips, or have many bands.
 * Images that only GDAL reads, and those in a zip, are decoded as a whole.
 */
export async function hasSmallBlocks(source: ByteSource): Promise<boolean> {
  const head = await source.read(0, 2);
  if (head[0] === 0x50 && head[1] === 0x4b) return false;
  const directory = await Directory.open(source);
  if ((await gdalReason(directory)) !== undefined) return false;
  const layout = await readLayout(directory, { remark() {} });
  const { blockWidth, blockHeight, blocksAcross, blocksDown } = layout;
  const across = Math.min(blocksAcross, Math.ceil(PART / blockWidth));
  const down = Math.min(blocksDown, Math.ceil(PART / blockHeight));
  return across * down * blockHeight * bytesPerRow(layout) <= MOST_BYTES;
}
