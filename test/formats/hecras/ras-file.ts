import type { File } from 'h5wasm';
import { hdf5Library } from '../../world/hdf5-library.ts';

export interface RasArea {
  readonly name: string;
  /** x and y of the points. */
  readonly points: readonly (readonly [number, number])[];
  readonly cells: readonly (readonly number[])[];
  readonly beds?: readonly number[];
  /** Two cells beside each face. */
  readonly faces?: readonly (readonly [number, number])[];
  /** By name, rows of a step. */
  readonly results?: Readonly<Record<string, readonly (readonly number[])[]>>;
}

export interface RasFile {
  readonly areas: readonly RasArea[];
  readonly times?: { readonly values: readonly number[]; readonly unit: string; readonly stamps?: readonly string[] };
  readonly attributes?: Readonly<Record<string, string>>;
  /** Names of the areas in a compound type, as from version 5.0.5 on. */
  readonly compound?: boolean;
  readonly chunks?: readonly number[];
}

let made = 0;

/** Builds files of HEC-RAS with the HDF5 library. */
export async function rasFile({ areas, times, attributes = {}, compound = false, chunks }: RasFile): Promise<Buffer> {
  const library = await hdf5Library();
  const path = `/ras${made++}.hdf`;
  const file = new library.File(path, 'w');
  for (const [name, text] of Object.entries({ 'File Type': 'HEC-RAS Results', ...attributes }))
    file.create_attribute(name, text);
  const put = (
    name: string,
    data: Float32Array | Float64Array | Int32Array | string[],
    shape: number[],
    cut?: readonly number[],
  ) => {
    const folders = name.split('/').slice(0, -1);
    for (const [n] of folders.entries()) {
      const group = folders.slice(0, n + 1).join('/');
      if (n === 0 ? !file.keys().includes(group) : file.get(group) === null) file.create_group(group);
    }
    return file.create_dataset({
      name,
      data,
      shape,
      ...(cut === undefined ? {} : { chunks: [...cut], compression: 'gzip' as const }),
    });
  };
  const names = areas.map(({ name }) => name);
  if (!compound) put('Geometry/2D Flow Areas/Names', names, [names.length]);
  else {
    put('Geometry/2D Flow Areas/x', new Int32Array(1), [1]);
    (file.get('Geometry/2D Flow Areas') as File).create_dataset({
      name: 'Attributes',
      data: new Map<string, unknown>([
        ['Name', names],
        ['Cell Count', Int32Array.from(areas, ({ cells }) => cells.length)],
      ]),
      dtype: [
        ['Name', 'S16'],
        ['Cell Count', '<i'],
      ],
      shape: [names.length],
    });
  }
  const series = 'Results/Unsteady/Output/Output Blocks/Base Output/Unsteady Time Series';
  for (const { name, points, cells, beds, faces, results = {} } of areas) {
    const group = `Geometry/2D Flow Areas/${name}`;
    put(`${group}/FacePoints Coordinate`, Float64Array.from(points.flat()), [points.length, 2]);
    const most = Math.max(...cells.map(({ length }) => length));
    const table = cells.flatMap((cell) => Array.from({ length: most }, (_, n) => cell[n] ?? -1));
    put(`${group}/Cells FacePoint Indexes`, Int32Array.from(table), [cells.length, most]);
    if (beds !== undefined) put(`${group}/Cells Minimum Elevation`, Float32Array.from(beds), [beds.length]);
    if (faces !== undefined) put(`${group}/Faces Cell Indexes`, Int32Array.from(faces.flat()), [faces.length, 2]);
    for (const [result, rows] of Object.entries(results))
      put(
        `${series}/2D Flow Areas/${name}/${result}`,
        Float32Array.from(rows.flat()),
        [rows.length, rows[0]!.length],
        chunks,
      );
  }
  if (times !== undefined) {
    const dataset = put(`${series}/Time`, Float64Array.from(times.values), [times.values.length]);
    dataset.create_attribute('Time', times.unit);
    if (times.stamps !== undefined) put(`${series}/Time Date Stamp`, [...times.stamps], [times.stamps.length]);
  }
  file.close();
  const bytes = Buffer.from(library.system.readFile(path));
  library.system.unlink(path);
  return bytes;
}
