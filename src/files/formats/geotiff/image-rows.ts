import type { ByteSource } from '../../data/bytes.ts';
import type { Band, Grid } from '../../data/grid.ts';
import { bandRows } from './blocks.ts';
import type { Layout } from './layout.ts';
import { nearNodata } from './near-nodata.ts';

/**
 * Rows of an image.
 * @param options `only`: number from 1 of the band that is the only one of the grid
 */
export function imageRows(
  source: ByteSource,
  layout: Layout,
  { bands, only, remark }: { bands: readonly Band[]; only: number | undefined; remark(sentence: string): void },
): Grid['rows'] {
  const { nodata = 0, exactNodata = BigInt(Number.isInteger(nodata) ? nodata : 0) } = bands[0]!;
  const reported = new Set<string>();
  const remarkOnce = (sentence: string) => {
    // blocks may be read for each band
    if (!reported.has(sentence)) remark(sentence);
    reported.add(sentence);
  };
  const near = layout.format === 3 ? nearNodata(bands[0]!.nodata, layout.type) : undefined;
  return ({ band }, range) =>
    bandRows(source, layout, {
      band: only === undefined ? band : only - 1,
      fill: nodata,
      exactFill: exactNodata,
      ...(near === undefined ? {} : { near }),
      remark: remarkOnce,
      rows: range ?? { first: 0, end: layout.height },
    });
}
