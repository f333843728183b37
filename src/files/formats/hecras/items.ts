import type { MeshItem } from '../../data/mesh.ts';
import type { Context } from '../define.ts';
import { type FlowArea, GEOMETRY } from './areas.ts';
import { type Hdf5Values, shapeOf } from './hdf5-values.ts';
import { resultPath, StepTable } from './results.ts';

/** An item, and how the values of the cells of an area are got. */
export interface RasItem {
  readonly item: MeshItem;
  /** One for each area; undefined: it has no values. */
  readonly areas: readonly (((step: number) => ArrayLike<number>) | undefined)[];
}

const [WATER_SURFACE, DEPTH, FACE_VELOCITY] = ['Water Surface', 'Depth', 'Face Velocity'] as const;

/** Items of the file, with values as MDAL shows them in QGIS: dry cells have none. */
export function readItems(file: Hdf5Values, areas: readonly FlowArea[], steps: number, context: Context): RasItem[] {
  const isEnglish = /^(?:US|English)/i.test(file.attribute('/', 'Units System') ?? '');
  const length = isEnglish ? 'ft' : 'm';
  const made: RasItem[] = [];
  const add = (name: string, unit: string, found: RasItem['areas']) => {
    if (found.some((one) => one !== undefined))
      made.push({ item: { name, unit, location: 'cell', type: 'Float32', nodata: Number.NaN }, areas: found });
  };
  const surfaces = areas.map((area) => tableOf(file, area.name, WATER_SURFACE, steps, area.count));
  const depths = areas.map((area) => tableOf(file, area.name, DEPTH, steps, area.count));
  add(
    'Bed Elevation',
    unitOf(file, `${GEOMETRY}/${areas[0]!.name}/Cells Minimum Elevation`) ?? length,
    areas.map(({ beds }) => (beds.every(Number.isNaN) ? undefined : () => beds)),
  );
  add(
    WATER_SURFACE,
    unitOf(file, resultPath(areas[0]!.name, WATER_SURFACE)) ?? length,
    areas.map((area, n) => surfaces[n] && ((step) => wet(surfaces[n]!.values(step), area.beds, 0))),
  );
  const computed = areas.some((_, n) => depths[n] === undefined && surfaces[n] !== undefined);
  if (computed)
    context.remark('The file has no depths; they are the water surface above the lowest point of each cell.');
  add(
    DEPTH,
    unitOf(file, resultPath(areas[0]!.name, DEPTH)) ?? length,
    areas.map((area, n) => {
      const [depth, surface] = [depths[n], surfaces[n]];
      if (depth !== undefined) return (step) => withoutZero(depth.values(step));
      return surface && ((step) => wet(surface.values(step), area.beds, 1));
    }),
  );
  const velocities = areas.map((area) => velocitiesOf(file, area, steps));
  if (velocities.some((one) => one !== undefined))
    context.reportLoss('Velocities stand at the faces of cells; each cell has the largest one of its faces.');
  add('Velocity', unitOf(file, resultPath(areas[0]!.name, FACE_VELOCITY)) ?? `${length}/s`, velocities);
  return made;
}

const unitOf = (file: Hdf5Values, path: string): string | undefined => file.attribute(path, 'Units') || undefined;

function tableOf(file: Hdf5Values, area: string, name: string, steps: number, places: number): StepTable | undefined {
  const path = resultPath(area, name);
  const dataset = file.dataset(path);
  return dataset && new StepTable(dataset, path, steps, places);
}

/** Water surfaces of cells, or depths below them (`times` 1); none where the surface is the bed. */
const wet = (surface: ArrayLike<number>, beds: Float32Array, times: 0 | 1): Float32Array =>
  Float32Array.from(surface, (value, n) => (value === beds[n] ? Number.NaN : times === 0 ? value : value - beds[n]!));

const withoutZero = (depths: ArrayLike<number>): Float32Array =>
  Float32Array.from(depths, (value) => (value === 0 ? Number.NaN : value));

function velocitiesOf(file: Hdf5Values, { name, faceCells, count }: FlowArea, steps: number): RasItem['areas'][number] {
  const path = resultPath(name, FACE_VELOCITY);
  const dataset = file.dataset(path);
  if (dataset === undefined || faceCells === undefined) return undefined;
  const table = new StepTable(dataset, path, steps, shapeOf(dataset)[1] ?? 0);
  const faces = faceCells.length / 2;
  return (step) => {
    const largest = new Float32Array(count).fill(Number.NaN);
    const values = table.values(step);
    for (let face = 0; face < Math.min(faces, values.length); face++) {
      const value = values[face]!;
      if (value === 0 || Number.isNaN(value)) continue;
      for (const cell of [faceCells[2 * face]!, faceCells[2 * face + 1]!])
        if (cell >= 0 && !(largest[cell]! >= value)) largest[cell] = value;
    }
    return largest;
  };
}
