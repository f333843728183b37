import { writeFile } from 'node:fs/promises';
import type { Crs } from '../data/crs-reference.ts';
import type { BadRecord } from '../formats/define.ts';
import { sameCrs, wgs84 } from '../geo/crs/crs.ts';
import { transformer } from '../geo/crs/transform.ts';

/** Maximum number of records in the GeoJSON file; further ones are only counted. */
const maxListed = 50_000;

/** Collects skipped records and writes them as GeoJSON, with their locations and reasons. */
export class BadRecords {
  count = 0;
  first: BadRecord | undefined;
  readonly #listed: BadRecord[] = [];

  add(record: BadRecord): void {
    this.first ??= record;
    this.count++;
    if (this.#listed.length < maxListed) this.#listed.push(record);
  }

  /**
   * Writes a FeatureCollection in WGS 84: a point where the location is known, else no geometry. `crs` is the CRS of
   * the input.
   */
  async write(path: string, crs: Crs | undefined): Promise<void> {
    const x = Float64Array.from(this.#listed, (record) => record.x ?? Number.NaN);
    const y = Float64Array.from(this.#listed, (record) => record.y ?? Number.NaN);
    if (crs === undefined) x.fill(Number.NaN);
    else if (x.some(Number.isFinite) && !(await sameCrs(crs, wgs84))) {
      using transform = await transformer(crs, wgs84);
      transform.forward(x, y);
    }
    const features = this.#listed.map(({ number, reason, x: inputX, y: inputY }, n) =>
      JSON.stringify({
        type: 'Feature',
        geometry:
          Number.isFinite(x[n]) && Number.isFinite(y[n])
            ? { type: 'Point', coordinates: [round(x[n]!), round(y[n]!)] }
            : null,
        properties: {
          record: number,
          reason: reason.message,
          ...(inputX === undefined ? {} : { x: inputX, y: inputY }),
        },
      }),
    );
    await writeFile(path, `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`);
  }
}

const round = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;
