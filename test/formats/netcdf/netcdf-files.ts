import { randomUUID } from 'node:crypto';
import { endianness } from 'node:os';
import type { File } from 'h5wasm';
import { hdf5Library } from '../../world/hdf5-library.ts';

type Value = number | string | readonly number[];
type Attributes = Readonly<Record<string, Value>>;
/** External types of the classic format. */
const numbers = { byte: 1, char: 2, short: 3, int: 4, float: 5, double: 6, int64: 10 } as const;
type Type = keyof typeof numbers;
const sizes: Readonly<Record<Type, number>> = { byte: 1, char: 1, short: 2, int: 4, float: 4, double: 8, int64: 8 };

export interface MadeVariable {
  readonly type: Type;
  readonly dimensions: readonly string[];
  readonly attributes?: Attributes;
  /** Numbers, or the characters of a text. */
  readonly values: readonly number[] | string;
}

export interface MadeFile {
  /** Lengths; that of the unlimited dimension is `records`. */
  readonly dimensions: Readonly<Record<string, number>>;
  readonly unlimited?: string;
  readonly attributes?: Attributes;
  readonly variables: Readonly<Record<string, MadeVariable>>;
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

function valueBytes(type: Type, values: readonly number[] | string): Buffer {
  if (typeof values === 'string') return Buffer.from(values);
  const bytes = Buffer.alloc(values.length * sizes[type]);
  for (const [n, value] of values.entries()) {
    const at = n * sizes[type];
    if (type === 'byte' || type === 'char') bytes.writeInt8(value, at);
    else if (type === 'short') bytes.writeInt16BE(value, at);
    else if (type === 'int') bytes.writeInt32BE(value, at);
    else if (type === 'float') bytes.writeFloatBE(value, at);
    else if (type === 'int64') bytes.writeBigInt64BE(BigInt(value), at);
    else bytes.writeDoubleBE(value, at);
  }
  return bytes;
}

/** A file of the classic format, byte by byte as its specification says. */
export function classicFile(
  { dimensions, unlimited, attributes = {}, variables }: MadeFile,
  version: 1 | 2 | 5 = 1,
): Buffer {
  const count = (value: number) => (version === 5 ? u64(value) : u32(value));
  const name = (text: string) => Buffer.concat([count(Buffer.byteLength(text)), padded(Buffer.from(text))]);
  const list = (tag: number, parts: readonly Buffer[]) =>
    Buffer.concat(parts.length === 0 ? [u32(0), count(0)] : [u32(tag), count(parts.length), ...parts]);
  const attributeList = (given: Attributes) =>
    list(
      12,
      Object.entries(given).map(([key, value]) => {
        const type: Type =
          typeof value === 'string' ? 'char' : [value].flat().every(Number.isInteger) ? 'int' : 'double';
        const values = typeof value === 'string' ? value : [value].flat();
        const bytes = valueBytes(type, values);
        return Buffer.concat([name(key), u32(numbers[type]), count(values.length), padded(bytes)]);
      }),
    );
  const names = Object.keys(dimensions);
  const isRecord = ({ dimensions: [first] }: MadeVariable) => first !== undefined && first === unlimited;
  const all = Object.entries(variables);
  const steps = unlimited === undefined ? 0 : dimensions[unlimited]!;
  const sizeOf = ({ type, dimensions: own }: MadeVariable) =>
    own.filter((one) => one !== unlimited).reduce((size, one) => size * dimensions[one]!, sizes[type]);
  const records = all.filter(([, one]) => isRecord(one));
  const recordSize = (size: number) => (records.length === 1 ? size : Math.ceil(size / 4) * 4);
  const header = (begins: readonly number[]) =>
    Buffer.concat([
      Buffer.from(`CDF${String.fromCharCode(version)}`, 'latin1'),
      count(steps),
      list(
        10,
        names.map((one) => Buffer.concat([name(one), count(one === unlimited ? 0 : dimensions[one]!)])),
      ),
      attributeList(attributes),
      list(
        11,
        all.map(([key, one], n) =>
          Buffer.concat([
            name(key),
            count(one.dimensions.length),
            ...one.dimensions.map((dimension) => count(names.indexOf(dimension))),
            attributeList(one.attributes ?? {}),
            u32(numbers[one.type]),
            count(Math.ceil(sizeOf(one) / 4) * 4),
            version === 1 ? u32(begins[n]!) : u64(begins[n]!),
          ]),
        ),
      ),
    ]);
  let at = header(all.map(() => 0)).length;
  const begins = all.map(() => 0);
  for (const [n, [, one]] of all.entries())
    if (!isRecord(one)) {
      begins[n] = at;
      at += Math.ceil(sizeOf(one) / 4) * 4;
    }
  for (const [n, [, one]] of all.entries())
    if (isRecord(one)) {
      begins[n] = at;
      at += recordSize(sizeOf(one));
    }
  const parts = [
    header(begins),
    ...all.flatMap(([, one]) => (isRecord(one) ? [] : [padded(valueBytes(one.type, one.values))])),
  ];
  for (let step = 0; step < steps; step++)
    for (const [, one] of records) {
      const bytes = valueBytes(one.type, one.values);
      const part = bytes.subarray(step * sizeOf(one), (step + 1) * sizeOf(one));
      parts.push(records.length === 1 ? part : padded(part));
    }
  return Buffer.concat(parts);
}

const arrays = {
  byte: Int8Array,
  char: Uint8Array,
  short: Int16Array,
  int: Int32Array,
  float: Float32Array,
  double: Float64Array,
  int64: { from: (values: readonly number[]) => BigInt64Array.from(values, BigInt) },
};

/** The bytes of an HDF5 file that is made by calls of the library. */
export async function hdf5Bytes(make: (file: File) => void): Promise<Buffer> {
  const library = await hdf5Library();
  const path = `/${randomUUID()}.nc`;
  const file = new library.File(path, 'w', { track_order: true });
  make(file);
  file.close();
  const bytes = Buffer.from(library.system.readFile(path));
  library.system.unlink(path);
  if (endianness() === 'BE') throw new Error('The library writes the byte order of the machine.');
  return bytes;
}

/** The same as NetCDF-4: HDF5 with dimension scales, chunks of two steps and deflate. */
export const hdf5File = (made: MadeFile): Promise<Buffer> => hdf5Bytes((file) => addAll(file, made));

function addAll(file: File, { dimensions, unlimited, attributes = {}, variables }: MadeFile): void {
  const attach = (to: { create_attribute(name: string, value: never): void }, given: Attributes) => {
    for (const [key, value] of Object.entries(given)) {
      const list = [value].flat();
      const typed = list.every(Number.isInteger)
        ? Int32Array.from(list as number[])
        : Float64Array.from(list as number[]);
      to.create_attribute(key, (typeof value === 'string' ? value : typed) as never);
    }
  };
  attach(file, { _NCProperties: 'version=2', ...attributes });
  const shapeOf = (own: readonly string[]) => own.map((one) => dimensions[one]!);
  for (const [name, length] of Object.entries(dimensions)) {
    if (variables[name] !== undefined) continue;
    const scale = file.create_dataset({ name, data: new Float32Array(length), shape: [length] });
    scale.make_scale(`This is a netCDF dimension but not a netCDF variable.${String(length).padStart(10)}`);
  }
  const ordered = Object.entries(variables).toSorted(
    ([one], [other]) => Number(other in dimensions) - Number(one in dimensions),
  );
  for (const [name, { type, dimensions: own, values, attributes: given = {} }] of ordered) {
    const shape = shapeOf(own);
    if (typeof values === 'string') {
      file.create_dataset({ name, data: [...values], shape, dtype: 'S1' });
    } else {
      const data = arrays[type].from(values as number[]);
      const timed = own[0] === unlimited && own.length > 0;
      const packed =
        own.length > 1
          ? { chunks: shape.map((length, d) => (d === 0 && timed ? Math.min(2, length) : length)), compression: 4 }
          : {};
      file.create_dataset({
        name,
        data,
        shape,
        ...packed,
        ...(timed && own.length > 1 ? { maxshape: [null, ...shape.slice(1)] } : {}),
      });
    }
    const dataset = file.get(name) as never as Parameters<typeof attach>[0] & {
      make_scale(name: string): void;
      attach_scale(index: number, path: string): void;
    };
    attach(dataset, given);
    if (own.length === 1 && own[0] === name) dataset.make_scale(name);
    else for (const [n, dimension] of own.entries()) dataset.attach_scale(n, dimension);
  }
}

const counted = (length: number, first = 0): number[] => Array.from({ length }, (_, n) => first + n);

/** Two items over three hours, four rows from the south and five columns. */
export const gridOverTime: MadeFile = {
  dimensions: { time: 3, lat: 4, lon: 5 },
  unlimited: 'time',
  attributes: { Conventions: 'CF-1.11' },
  variables: {
    time: {
      type: 'double',
      dimensions: ['time'],
      attributes: { units: 'hours since 2020-01-01', standard_name: 'time' },
      values: [0, 1, 2],
    },
    lat: { type: 'float', dimensions: ['lat'], attributes: { units: 'degrees_north' }, values: [50, 50.5, 51, 51.5] },
    lon: { type: 'float', dimensions: ['lon'], attributes: { units: 'degrees_east' }, values: [5, 6, 7, 8, 9] },
    depth: {
      type: 'float',
      dimensions: ['time', 'lat', 'lon'],
      attributes: {
        units: 'm',
        long_name: 'Water depth',
        standard_name: 'sea_floor_depth_below_sea_surface',
        _FillValue: -9,
      },
      values: counted(60).map((value) => (value % 7 === 3 ? -9 : value / 2)),
    },
    packed: {
      type: 'short',
      dimensions: ['time', 'lat', 'lon'],
      attributes: { units: 'degC', scale_factor: 0.5, add_offset: 10, cell_methods: 'time: mean' },
      values: counted(60, -20),
    },
  },
};

/** Two triangles and a quad with values on faces and nodes. */
export const faces: MadeFile = {
  dimensions: { time: 2, node: 6, face: 3, corner: 4 },
  unlimited: 'time',
  attributes: { Conventions: 'CF-1.8 UGRID-1.0' },
  variables: {
    mesh2d: {
      type: 'int',
      dimensions: [],
      attributes: {
        cf_role: 'mesh_topology',
        topology_dimension: 2,
        node_coordinates: 'mesh2d_node_x mesh2d_node_y',
        face_node_connectivity: 'mesh2d_face_nodes',
        face_dimension: 'face',
      },
      values: [0],
    },
    time: { type: 'double', dimensions: ['time'], attributes: { units: 'seconds since 2001-01-01' }, values: [0, 60] },
    mesh2d_node_x: {
      type: 'double',
      dimensions: ['node'],
      attributes: { units: 'm', standard_name: 'projection_x_coordinate' },
      values: [0, 1, 2, 0, 1, 2],
    },
    mesh2d_node_y: {
      type: 'double',
      dimensions: ['node'],
      attributes: { units: 'm', standard_name: 'projection_y_coordinate' },
      values: [0, 0, 0, 1, 1, 1],
    },
    mesh2d_node_z: {
      type: 'double',
      dimensions: ['node'],
      attributes: { units: 'm' },
      values: [-1, -2, -3, -4, -5, -6],
    },
    mesh2d_face_nodes: {
      type: 'int',
      dimensions: ['face', 'corner'],
      attributes: { start_index: 1, _FillValue: -999 },
      values: [1, 2, 5, 4, 2, 3, 5, -999, 3, 6, 5, -999],
    },
    level: {
      type: 'double',
      dimensions: ['time', 'face'],
      attributes: { mesh: 'mesh2d', location: 'face', units: 'm', long_name: 'Water level' },
      values: [1, 2, 3, 4, 5, 6],
    },
    bed: {
      type: 'double',
      dimensions: ['node'],
      attributes: { mesh: 'mesh2d', location: 'node', units: 'm', long_name: 'Bed' },
      values: [1, 2, 3, 4, 5, 6],
    },
    crs: {
      type: 'int',
      dimensions: [],
      attributes: { grid_mapping_name: 'Unknown projected', epsg: 28992 },
      values: [0],
    },
  },
};

/** Water levels of two stations: orthogonal, contiguous ragged or indexed ragged. */
export function stations(form: 'orthogonal' | 'contiguous' | 'indexed'): MadeFile {
  const station = { lat: [50, 51], lon: [5, 6] };
  const sample = form === 'orthogonal' ? 'time' : 'obs';
  const times = { orthogonal: [0, 1, 2, 3], contiguous: [0, 1, 2, 3, 1, 2, 5], indexed: [0, 1, 1, 2, 2, 5, 3] }[form];
  return {
    dimensions: { station: 2, letter: 5, [sample]: times.length },
    attributes: { Conventions: 'CF-1.11', featureType: 'timeSeries' },
    variables: {
      name: {
        type: 'char',
        dimensions: ['station', 'letter'],
        attributes: { cf_role: 'timeseries_id' },
        values: 'AlphaBeta\0',
      },
      lat: {
        type: 'double',
        dimensions: ['station'],
        attributes: { standard_name: 'latitude', units: 'degrees_north' },
        values: station.lat,
      },
      lon: {
        type: 'double',
        dimensions: ['station'],
        attributes: { standard_name: 'longitude', units: 'degrees_east' },
        values: station.lon,
      },
      ...(form === 'contiguous'
        ? {
            count: {
              type: 'int' as const,
              dimensions: ['station'],
              attributes: { sample_dimension: 'obs' },
              values: [4, 3],
            },
          }
        : {}),
      ...(form === 'indexed'
        ? {
            which: {
              type: 'int' as const,
              dimensions: ['obs'],
              attributes: { instance_dimension: 'station' },
              values: [0, 1, 0, 1, 0, 1, 0],
            },
          }
        : {}),
      time: {
        type: 'double',
        dimensions: [sample],
        attributes: { units: 'days since 2021-03-01', standard_name: 'time' },
        values: times,
      },
      level: {
        type: 'float',
        dimensions: form === 'orthogonal' ? ['station', 'time'] : ['obs'],
        attributes: {
          units: 'm',
          standard_name: 'water_surface_height_above_reference_datum',
          _FillValue: -99,
          coordinates: 'time lat lon name',
        },
        values: counted(form === 'orthogonal' ? 8 : 7),
      },
    },
  };
}
