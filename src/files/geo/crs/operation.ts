import { type Gdal, projDatabase, withBytes, withDebugLog } from '../wasm.ts';
import { crsToWkt, withCrs } from './srs.ts';
import { child, parseWkt, type WktNode } from './wkt.ts';

/** The coordinate operations that PROJ used, for the receipt of a conversion. */
export interface Operation {
  /** Names of the operations in the order of first use; empty between CRSs of the same datum. */
  readonly names: readonly string[];
  /**
   * Accuracy of the least accurate operation in metres; 0 within one datum; undefined if unknown or for a ballpark
   * operation.
   */
  readonly accuracy?: number;
  /**
   * PROJ's term: no usable operation between the two datums exists, so they were treated as equal. Errors may be
   * hundreds of metres.
   */
  readonly ballpark: boolean;
  /** More accurate operations for this location that need a grid file which is not installed; best first. */
  readonly better: readonly { readonly name: string; readonly accuracy: number; readonly grid: string }[];
}

/** Records the operations that PROJ logs while `run` transforms coordinates. */
export class OperationRecorder {
  readonly #used = new Set<string>();

  run<T>(module: Gdal, f: () => T): T {
    return withDebugLog(module, (line) => this.#record(line), f);
  }

  #record(line: string): void {
    const name = /Using coordinate operation (.+)$/.exec(line)?.[1];
    if (name !== undefined) this.#used.add(name.replace(/ as a fallback due to .*$/, ''));
  }

  /**
   * Describes the transformation from one CRS to another (`EPSG:…` or WKT) around a location (longitude, latitude in
   * degrees). PROJ logs an operation only if it has a choice; otherwise it used the registry's best operation without a
   * grid file.
   */
  explain(module: Gdal, from: string, to: string, location: readonly [number, number] | undefined): Operation {
    const [a, b] = [findDatum(module, from), findDatum(module, to)];
    const used = [...this.#used];
    if (used.length === 0 && a !== undefined && a === b) return { names: [], accuracy: 0, ballpark: false, better: [] };
    const registered = a === undefined || b === undefined ? [] : operationsBetween(module, a, b, location);
    const steps = used.map((name) => name.split(' + ').map((step) => step.replace(/^Inverse of /, '')));
    if (steps.length === 0) {
      const only = registered.find((one) => one.grid === undefined);
      if (only !== undefined) steps.push([only.name]);
    }
    const ballpark = steps.flat().some((name) => name.startsWith('Ballpark'));
    const accuracies = steps.map((names) => findAccuracy(module, names));
    const accuracy =
      ballpark || steps.length === 0 ? undefined : Math.max(...accuracies.map((one) => one ?? Number.NaN));
    const known = accuracy !== undefined && !Number.isNaN(accuracy);
    const better = registered.flatMap(({ name, accuracy: metres, grid }) =>
      grid !== undefined && metres !== undefined && (!known || metres < accuracy)
        ? [{ name, accuracy: metres, grid }]
        : [],
    );
    return {
      names: used.length > 0 ? used : steps.map((names) => names.join(' + ')),
      ...(known ? { accuracy } : {}),
      ballpark,
      better,
    };
  }
}

/** One or two sentences for the receipt. */
export function operationSentence(operation: Operation): string {
  const { names, accuracy, ballpark, better } = operation;
  const best = better[0];
  const grid =
    best === undefined
      ? ''
      : ` '${best.name}' is more accurate (${best.accuracy} m), but needs the grid file ${best.grid}, which is not installed.`;
  if (ballpark)
    return `The two datums were treated as equal (${names.join('; ')}). Coordinates may be off by hundreds of metres.${grid}`;
  if (names.length === 0)
    return accuracy === 0
      ? 'Both coordinate systems have the same datum, so no accuracy is lost.'
      : `Coordinates were transformed by PROJ.${grid}`;
  const exactness = accuracy === undefined ? 'accuracy unknown' : `accuracy ${accuracy} m`;
  return `Coordinates were transformed by '${names.join("', '")}' (${exactness}).${grid}`;
}

/** Code of the geographic CRS on which a CRS is based, such as `EPSG:4314`. */
function findDatum(module: Gdal, definition: string): string | undefined {
  const find = (node: WktNode): string | undefined => {
    if (/^(GEOGCRS|GEODCRS|BASEGEOGCRS|BASEGEODCRS)$/.test(node.keyword)) {
      const [authority, code] = child(node, 'ID')?.values ?? [];
      return typeof authority === 'string' && typeof code === 'number' ? `${authority}:${code}` : undefined;
    }
    for (const value of node.values) {
      const found = typeof value === 'object' ? find(value) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(parseWkt(withCrs(module, definition, (handle) => crsToWkt(module, handle, 'WKT2_2019'))));
}

interface RegisteredOperation {
  name: string;
  accuracy?: number;
  grid?: string;
}

function operationsBetween(
  module: Gdal,
  a: string,
  b: string,
  location: readonly [number, number] | undefined,
): RegisteredOperation[] {
  const is = (end: string, srid: string) => {
    const [authority, code] = srid.split(':');
    return `(o.${end}_crs_auth_name = ${quoted(authority!)} and o.${end}_crs_code = ${quoted(code!)})`;
  };
  // An extent that crosses the antimeridian has west > east.
  const around =
    location === undefined
      ? ''
      : `and ${location[1]} between e.south_lat and e.north_lat and case when e.west_lon <= e.east_lon
           then ${location[0]} between e.west_lon and e.east_lon else ${location[0]} >= e.west_lon or ${location[0]} <= e.east_lon end`;
  const rows = projDatabase(
    module,
    `select distinct o.name as name, o.accuracy as accuracy, g.grid_name as grid
       from coordinate_operation_view o
       join usage u on u.object_table_name = o.table_name and u.object_auth_name = o.auth_name and u.object_code = o.code
       join extent e on e.auth_name = u.extent_auth_name and e.code = u.extent_code
       left join grid_transformation g on o.table_name = 'grid_transformation' and g.auth_name = o.auth_name and g.code = o.code
      where o.deprecated = 0 and o.auth_name = 'EPSG' and o.accuracy is not null ${around}
        and ((${is('source', a)} and ${is('target', b)}) or (${is('source', b)} and ${is('target', a)}))
      order by o.accuracy`,
  );
  return rows.map((row) => ({
    name: String(row.name),
    ...(typeof row.accuracy === 'number' ? { accuracy: row.accuracy } : {}),
    ...(typeof row.grid === 'string' && row.grid !== '' ? { grid: row.grid } : {}),
  }));
}

/**
 * Sum of the accuracies of a chain of operations in metres; conversions (projections) are exact. Undefined if one has
 * no accuracy.
 */
function findAccuracy(module: Gdal, names: string[]): number | undefined {
  const list = names.map(quoted).join(', ');
  const rows = projDatabase(
    module,
    `select name, min(accuracy) as accuracy from coordinate_operation_view where name in (${list}) group by name`,
  );
  let sum = 0;
  for (const { accuracy } of rows) {
    if (typeof accuracy !== 'number') return undefined;
    sum += accuracy;
  }
  return sum;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** WGS 84 longitude and latitude of a point in degrees; undefined if it cannot be transformed. */
export function lonLatOf(module: Gdal, definition: string, x: number, y: number): [number, number] | undefined {
  return withCrs(module, definition, (from) =>
    withCrs(module, 'EPSG:4326', (to) => {
      const transformation = module._OCTNewCoordinateTransformation(from, to);
      if (transformation === 0) return undefined;
      try {
        return withBytes(module, 16, (point) => {
          module.HEAPF64.set([x, y], point >> 3);
          module._OCTTransform(transformation, 1, point, point + 8, 0);
          const [lon, lat] = module.HEAPF64.subarray(point >> 3, (point >> 3) + 2);
          return Number.isFinite(lon) && Number.isFinite(lat) ? [lon!, lat!] : undefined;
        });
      } finally {
        module._OCTDestroyCoordinateTransformation(transformation);
      }
    }),
  );
}
