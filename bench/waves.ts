import type { Grid } from '../src/files/data/grid.ts';
import { geoTiffWriter } from '../src/files/formats/geotiff/format.ts';
import { FileSink } from '../src/files/formats/io/bytes.ts';
import { completeParameters } from '../src/files/formats/parameters.ts';
import { quietContext } from './made-data.ts';

/** Values of the waves lie between −`amplitude` and `amplitude`. */
export const amplitude = 2;

/** Waves in a grid of `side` × `side` cells of 10 m in UTM 32, at 9° E, 54.5° N. `side`: a multiple of 64. */
export const wavesOf = (side: number): Grid => ({
  kind: 'grid',
  width: side,
  height: side,
  affine: [500_000, 10, 0, 6_040_000, 0, -10],
  crs: { authority: 'EPSG', code: 25832 },
  bands: [{ name: 'Level', unit: 'm', type: 'Float32', nodata: -9999 }],
  async *rows() {
    for (let firstRow = 0; firstRow < side; firstRow += 64) {
      const samples = new Float32Array(64 * side);
      for (let n = 0; n < samples.length; n++)
        samples[n] = Math.sin((n % side) / 90) + Math.cos((firstRow + Math.floor(n / side)) / 70);
      yield { firstRow, rowCount: 64, samples };
    }
  },
});

/** Writes the waves as GeoTIFF. */
export async function writeWaves(path: string, side: number, parameters: object = {}): Promise<void> {
  const sink = await FileSink.create(path, { checksum: false });
  await geoTiffWriter.write(wavesOf(side), completeParameters(geoTiffWriter, { ...parameters }), sink, quietContext());
  await sink.flush();
  await sink.close();
}
