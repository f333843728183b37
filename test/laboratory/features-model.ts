import type { Feature, FeatureCollection, Field, Geometry } from '../../src/files/data/feature-collection.ts';
import type { Model, Variation } from './model.ts';
import { utm32 } from './model-parts.ts';

const ORDER = [3, 1, 4, 2];
/** x and y of the corners, in metres from the place of the feature. */
const SHAPES: readonly { type: Geometry['type']; corners: readonly number[] }[] = [
  { type: 'Point', corners: [0, 0] },
  { type: 'LineString', corners: [0, 0, 30, 10, 40, 5] },
  { type: 'Polygon', corners: [0, 0, 40, 0, 40, 40, 0, 0] },
  { type: 'MultiPoint', corners: [0, 0, 7, 9] },
];

/** A ring ends where it begins. */
const cornerOf = (type: Geometry['type'], k: number): number => (type === 'Polygon' && k === 3 ? 0 : k);

function geometryOf(n: number, wanted: ReadonlySet<Variation>): Geometry {
  const { type, corners } = SHAPES[wanted.has('mixedGeometry') ? n : 0]!;
  const fraction = wanted.has('precision') ? 1 / 7 : 0;
  const place = ORDER[n]! - 1;
  const [x, y] = [500_000 + 1000 * (place % 2), 5_800_000 + 1000 * Math.floor(place / 2)];
  const coordinates = Array.from({ length: corners.length / 2 }, (_, k) => [
    x + corners[2 * k]! + fraction,
    y + corners[2 * k + 1]! + fraction,
    ...(wanted.has('dimensions') ? [10 * n + cornerOf(type, k) + 0.5] : []),
    ...(wanted.has('measures') ? [100 * n + cornerOf(type, k) + 0.25] : []),
  ]);
  return {
    type,
    coordinates: Float64Array.from(coordinates.flat()),
    ...(type === 'Point' || type === 'MultiPoint' ? {} : { parts: Uint32Array.of(0) }),
    ...(type === 'Polygon' ? { polygons: Uint32Array.of(0) } : {}),
  };
}

/** Fields and their values for each feature. */
function columnsOf(wanted: ReadonlySet<Variation>): [Field, unknown[]][] {
  const columns: [Field, unknown[]][] = [[{ name: 'nr', type: 'integer' }, ORDER]];
  if (wanted.has('names')) {
    columns.push([{ name: 'Größe, "brutto" (m²/ü)', type: 'integer' }, [10, 30, 20, 40]]);
    columns.push([{ name: 'a.b:c', type: 'integer' }, [11, 31, 21, 41]]);
  }
  if (wanted.has('order')) columns.push([{ name: 'before', type: 'integer' }, [7, 8, 9, 6]]);
  if (wanted.has('precision')) {
    columns.push([{ name: 'exact', type: 'real' }, [1 / 3, 2 / 3, 4 / 3, 1e-7 / 3]]);
    columns.push([{ name: 'big', type: 'integer64' }, [2n ** 53n + 1n, 5n, -(2n ** 62n) - 1n, 7n]]);
  }
  if (wanted.has('null')) {
    columns.push([{ name: 'word', type: 'string' }, ['x', null, '', 'null']]);
    columns.push([{ name: 'amount', type: 'real' }, [0, null, 1.5, null]]);
    columns.push([{ name: 'flag', type: 'boolean' }, [false, null, true, null]]);
  }
  if (wanted.has('timeZone'))
    columns.push([
      { name: 'moment', type: 'dateTime' },
      ['2024-03-31T01:30:00+02:00', '2024-02-29T12:00:00Z', '2023-12-31T23:59:59-03:30', '2024-01-01T00:00:00+01:00'],
    ]);
  if (wanted.has('timeZone:none'))
    columns.push([{ name: 'moment', type: 'dateTime' }, [1, 2, 3, 4].map((day) => `2024-03-0${day}T01:30:00`)]);
  return columns;
}

function make(wanted: ReadonlySet<Variation>): FeatureCollection {
  const columns = columnsOf(wanted);
  const features = ORDER.map((number, n): Feature => {
    const values = columns.map(([, list]) => list[n]);
    const id = wanted.has('ids') ? { id: `id-${number}` } : wanted.has('ids:numbers') ? { id: 10 * number } : {};
    const placed = wanted.has('null:geometry') && n === 1 ? {} : { geometry: geometryOf(n, wanted) };
    return { ...id, ...placed, values };
  });
  return {
    kind: 'features',
    name: 'made',
    crs: utm32,
    fields: columns.map(([field]) => field),
    hasZ: wanted.has('dimensions'),
    hasM: wanted.has('measures'),
    count: features.length,
    async *chunks() {
      yield features;
    },
  };
}

export const featuresModel: Model = {
  together: [
    'crs',
    'timeZone',
    'precision',
    'order',
    'names',
    'dimensions',
    'null',
    'mixedGeometry',
    'ids',
    'measures',
  ],
  alone: ['timeZone:none', 'ids:numbers', 'null:geometry'],
  make,
};
