import { join } from 'node:path';
import { findReader } from 'hydrofiles';
import { FileSource } from 'hydrofiles/bytes';
import type { FeatureCollection, Geometry, Mesh } from 'hydrofiles/data';
import { cellArea } from 'hydrofiles/geometry';
import { quietContext } from './context.ts';
import { exportDataset, seconds } from './conversions.ts';
import { floodItems, type Peak } from './flood.ts';
import { refuse, valueFaults } from './flood-check.ts';
import type { Story } from './outline.ts';

/** Depths in metres between which zones are drawn. */
const LEVELS = [0.1, 0.5, 1, 2, 100];

/** The flood for programs of others: the whole mesh as NetCDF, and zones of depth at the peak as a GeoPackage. */
export async function exchangeFlood(flood: Mesh, peak: Peak, dataset: string, story: Story): Promise<void> {
  const { work, places, step, result } = story;
  const netcdf = join(places.files, 'flood.nc');
  step(
    'The flood for other programs: NetCDF with the mesh by the UGRID conventions.',
    `npm run platform -- transfer export ${dataset} -o flood.nc`,
  );
  const written = await exportDataset(work, dataset, netcdf, { writerName: 'NetCdfWriter' });
  const { wrong, values } = await valueFaults(flood, netcdf, 'NetCdfReader', places.scratch);
  refuse('NetCDF file', wrong);
  result(`Completed in ${seconds(written)} s: ${values} values as computed`);

  const depth = flood.items[floodItems.depth]!.name!;
  const zones = join(places.files, 'zones.gpkg');
  step(
    'The zones of water depth at the peak, for a map: polygons in a GeoPackage.',
    `npm run platform -- transfer export ${dataset} -o zones.gpkg --items "${depth}" --steps ${peak.step} --contours ${LEVELS.join()} --contour-polygons`,
  );
  const drawn = await exportDataset(work, dataset, zones, {
    writerName: 'GeoPackageWriter',
    transformations: [
      { type: 'itemFilterTransformation', itemFilter: [{ names: [depth] }] },
      {
        type: 'temporalFilterTransformation',
        temporalFilter: { type: 'TemporalIndexListFilter', indices: [peak.step] },
      },
      { type: 'contoursTransformation', contours: { levels: LEVELS, as: 'polygons' } },
    ],
  });
  const found = await readZones(zones, places.scratch);
  refuse('GeoPackage', await zoneFaults(flood, peak, found));
  const areas = found.map(({ minimum, area }) => `${(area / 1e6).toFixed(2)} km² from ${minimum} m`);
  result(`Completed in ${seconds(drawn)} s: ${areas.join(', ')}`);
}

interface Zone {
  minimum: number;
  /** Square metres. */
  area: number;
}

/** The zones by depth. */
async function readZones(path: string, scratch: string): Promise<Zone[]> {
  await using source = await FileSource.open(path, { checksum: false });
  const layer = (await findReader('GeoPackageReader')!.read(source, {}, quietContext(scratch))) as FeatureCollection;
  const field = layer.fields.findIndex(({ name }) => name === 'minimum');
  const areas = new Map<number, number>();
  for await (const features of layer.chunks())
    for (const { geometry, values } of features) {
      const minimum = Number(values[field]);
      areas.set(minimum, (areas.get(minimum) ?? 0) + (geometry ? areaOf(geometry) : 0));
    }
  return [...areas].map(([minimum, area]) => ({ minimum, area })).sort((one, other) => one.minimum - other.minimum);
}

/** By the shoelace formula: holes turn the other way, so their areas count negative. */
function areaOf({ coordinates, parts = Uint32Array.of(0) }: Geometry): number {
  const vertices = coordinates.length / 2;
  let doubled = 0;
  for (const [n, first] of parts.entries()) {
    const end = parts[n + 1] ?? vertices;
    for (let at = first; at < end - 1; at++)
      doubled += coordinates[2 * at]! * coordinates[2 * at + 3]! - coordinates[2 * at + 2]! * coordinates[2 * at + 1]!;
  }
  return Math.abs(doubled) / 2;
}

/** Zones are drawn between nodes, and the depths of the mesh hold for whole elements: their edges differ a little. */
const TOLERANCE = 0.1;

async function zoneFaults(flood: Mesh, peak: Peak, zones: readonly Zone[]): Promise<string[]> {
  const depths = await flood.values(floodItems.depth, peak.step);
  let deep = 0;
  for (const [cell, value] of depths.entries()) if (value >= LEVELS[0]!) deep += cellArea(flood, cell);
  const all = zones.reduce((sum, { area }) => sum + area, 0);
  return [
    ...(zones.length === LEVELS.length - 1 ? [] : [`it has ${zones.length} zones, not ${LEVELS.length - 1}`]),
    ...(Math.abs(all / deep - 1) < TOLERANCE ? [] : [`its zones cover ${all} m², the deep elements ${deep} m²`]),
  ];
}
