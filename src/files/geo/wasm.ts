import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * GDAL 3.8.4 and PROJ 9.3.1 in WebAssembly: the low-level module of the package gdal3.js (its high-level one depends on
 * the working directory). The first call loads it, once per thread, and its memory is never freed: a job that
 * transforms no coordinates must not call `gdal()`.
 *
 * All calls are synchronous. Views of the heap (`HEAPF64` …) are replaced when the heap grows: read them from the
 * module each time. When the heap cannot grow, the module throws a bare number and no longer works; `guarded` turns
 * that into an Error.
 */
export interface Gdal {
  readonly HEAPF64: Float64Array;
  readonly HEAP32: Int32Array;
  readonly HEAPU32: Uint32Array;
  readonly FS: {
    writeFile(path: string, data: string | Uint8Array): void;
    readFile(path: string): Uint8Array;
    readFile(path: string, options: { encoding: 'utf8' }): string;
    unlink(path: string): void;
    mkdir(path: string): void;
    rmdir(path: string): void;
    mount(system: object, options: { root: string }, path: string): void;
    unmount(path: string): void;
  };
  /** The file system type that mounts folders of the disk. */
  readonly NODEFS: object;
  ccall(name: string, result: 'number' | 'string' | null, types: ('number' | 'string')[], values: unknown[]): unknown;
  addFunction(f: unknown, signature: string): number;
  UTF8ToString(pointer: number): string;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  lengthBytesUTF8(text: string): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _GDALAllRegister(): void;
  _CPLErrorReset(): void;
  _OSRNewSpatialReference(wkt: number): number;
  _OSRDestroySpatialReference(crs: number): void;
  _OSRSetAxisMappingStrategy(crs: number, strategy: number): void;
  _OSRExportToWkt(crs: number, text: number): number;
  _OCTNewCoordinateTransformation(from: number, to: number): number;
  _OCTDestroyCoordinateTransformation(transformation: number): void;
  _OCTTransform(transformation: number, count: number, x: number, y: number, z: number): number;
  _GDALClose(dataset: number): void;
  _GDALSetGeoTransform(dataset: number, six: number): number;
  _GDALGetGeoTransform(dataset: number, six: number): number;
  _GDALGetRasterXSize(dataset: number): number;
  _GDALGetRasterYSize(dataset: number): number;
  _GDALInfoOptionsNew(argv: number, unused: number): number;
  _GDALInfoOptionsFree(options: number): void;
  _GDALVectorTranslateOptionsNew(argv: number, unused: number): number;
  _GDALVectorTranslateOptionsFree(options: number): void;
  _GDALVectorInfoOptionsNew(argv: number, unused: number): number;
  _GDALVectorInfoOptionsFree(options: number): void;
  _GDALWarpAppOptionsNew(argv: number, unused: number): number;
  _GDALWarpAppOptionsFree(options: number): void;
  _GDALCreateGenImgProjTransformer2(source: number, target: number, options: number): number;
  _GDALDestroyGenImgProjTransformer(transformer: number): void;
  _GDALGenImgProjTransform(
    transformer: number,
    targetToSource: number,
    count: number,
    x: number,
    y: number,
    z: number,
    success: number,
  ): number;
}

interface ModuleOptions {
  locateFile(name: string): string;
  print(line: string): void;
  printErr(line: string): void;
  preRun: ((module: { ENV: Record<string, string> }) => void)[];
}

let loading: Promise<Gdal> | undefined;
let listener: ((line: string) => void) | undefined;
/** Modules that no longer work. */
const failures = new WeakMap<Gdal, Error>();

/** The module; the first call loads it, and the first one after it has failed. */
export function gdal(): Promise<Gdal> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Gdal> {
  const require = createRequire(import.meta.url);
  const script = require.resolve('gdal3.js/build/package/gdal3WebAssembly.js');
  const files = join(dirname(script), '../../dist/package');
  const start = require(script) as (options: ModuleOptions) => Promise<Gdal>;
  const module = await start({
    locateFile: (name) => join(files, name),
    // GDAL also stores its messages as the last error. Keep them off stdout and stderr.
    print: () => {},
    printErr: (line) => listener?.(line),
    preRun: [
      ({ ENV }) => {
        ENV.PROJ_LIB = '/usr/share/proj';
        ENV.GDAL_DATA = '/usr/share/gdal';
        // Makes PROJ log the operation that it chooses; the log is on only during `withDebugLog` (CPL_DEBUG).
        ENV.PROJ_DEBUG = '2';
      },
    ],
  });
  // The file system of the module reports 2 GB of free space, whatever the disk has. Our own limits bound what is
  // written.
  configure(module, 'CHECK_DISK_FREE_SPACE', 'FALSE');
  configure(module, 'CPL_LOG_ERRORS', 'OFF');
  // No .aux.xml files, and at most 64 MB of cached raster blocks.
  configure(module, 'GDAL_PAM_ENABLED', 'NO');
  configure(module, 'GDAL_CACHEMAX', '64');
  module._GDALAllRegister();
  return module;
}

/**
 * Runs calls into the module. If the module throws a bare number, its memory is exhausted or corrupt: this and all
 * later calls of this module throw, and `gdal()` loads another one.
 */
export function guarded<T>(module: Gdal, f: () => T): T {
  const known = failures.get(module);
  if (known !== undefined) throw known;
  try {
    return f();
  } catch (error) {
    if (error instanceof Error && error.name !== 'RuntimeError') throw error;
    const failure = new Error('GDAL in WebAssembly failed, most likely because it ran out of memory.', {
      cause: error,
    });
    failures.set(module, failure);
    loading = undefined;
    throw failure;
  }
}

/** Whether the module no longer works, so that nothing of it can be freed. */
export const hasFailed = (module: Gdal): boolean => failures.has(module);

/** Sets a GDAL configuration option; `null` unsets it. */
export function configure(module: Gdal, name: string, value: string | null): void {
  module.ccall('CPLSetConfigOption', null, ['string', 'string'], [name, value]);
}

/** GDAL's last error message, without a full stop at its end. */
export function lastMessage(module: Gdal): string {
  return (module.ccall('CPLGetLastErrorMsg', 'string', [], []) as string).trim().replace(/\.$/, '');
}

/** Runs `f` with PROJ's debug log on and passes each of its lines to `onLine`. */
export function withDebugLog<T>(module: Gdal, onLine: (line: string) => void, f: () => T): T {
  configure(module, 'CPL_DEBUG', 'PROJ');
  listener = onLine;
  try {
    return f();
  } finally {
    listener = undefined;
    configure(module, 'CPL_DEBUG', null);
  }
}

/** Allocates bytes on the module's heap for the duration of `f`. */
export function withBytes<T>(module: Gdal, bytes: number, f: (pointer: number) => T): T {
  const pointer = module._malloc(bytes);
  if (pointer === 0) throw new Error(`GDAL could not allocate ${bytes} bytes.`);
  try {
    return f(pointer);
  } finally {
    module._free(pointer);
  }
}

/** Allocates a null-terminated list of strings, GDAL's form of options, for the duration of `f`. */
export function withStrings<T>(module: Gdal, strings: string[], f: (pointer: number) => T): T {
  const sizes = strings.map((text) => module.lengthBytesUTF8(text) + 1);
  const head = 4 * (strings.length + 1);
  return withBytes(module, head + sizes.reduce((a, b) => a + b, 0), (pointer) => {
    let next = pointer + head;
    for (const [i, text] of strings.entries()) {
      module.stringToUTF8(text, next, sizes[i]!);
      module.HEAPU32[(pointer >> 2) + i] = next;
      next += sizes[i]!;
    }
    module.HEAPU32[(pointer >> 2) + strings.length] = 0;
    return f(pointer);
  });
}

/**
 * Opens the file `path` of the module's file system with one driver for the duration of `f`. Returns undefined if it
 * cannot be opened.
 */
export function withDataset<T>(
  module: Gdal,
  path: string,
  driver: string,
  f: (dataset: number) => T,
  kind: 'vector' | 'raster' = 'vector',
): T | undefined {
  const types = ['string', 'number', 'number', 'number', 'number'] as const;
  const dataset = withStrings(module, [driver], (drivers) =>
    module.ccall('GDALOpenEx', 'number', [...types], [path, kind === 'raster' ? 2 : 4, drivers, 0, 0]),
  ) as number;
  if (dataset === 0) return undefined;
  try {
    return f(dataset);
  } finally {
    module._GDALClose(dataset);
  }
}

/** The output of `ogrinfo -json` for a dataset. */
export function vectorInfo(module: Gdal, dataset: number, argv: string[]): VectorInfo {
  const options = withStrings(module, ['-json', ...argv], (list) => module._GDALVectorInfoOptionsNew(list, 0));
  try {
    const text = module.ccall('GDALVectorInfo', 'string', ['number', 'number'], [dataset, options]) as string;
    return JSON.parse(text) as VectorInfo;
  } finally {
    module._GDALVectorInfoOptionsFree(options);
  }
}

export interface VectorInfo {
  layers: {
    name: string;
    featureCount?: number;
    fields?: { name: string; type: string }[];
    geometryFields: { type: string; coordinateSystem?: { wkt: string; projjson?: object } | null }[];
    features?: { properties: Record<string, string | number | null> }[];
  }[];
}

/** The output of `gdalinfo -json` for a dataset. */
export function rasterInfo(module: Gdal, dataset: number, argv: string[]): RasterInfo {
  const options = withStrings(module, ['-json', ...argv], (list) => module._GDALInfoOptionsNew(list, 0));
  try {
    const text = module.ccall('GDALInfo', 'string', ['number', 'number'], [dataset, options]) as string;
    return JSON.parse(text) as RasterInfo;
  } finally {
    module._GDALInfoOptionsFree(options);
  }
}

interface RasterInfo {
  coordinateSystem?: { wkt: string; proj4?: string };
  bands?: { metadata?: Record<string, Record<string, string>> }[];
}

/**
 * Queries the PROJ database (EPSG and ESRI registries). `sql` may contain only our own text, checked numbers and quoted
 * strings.
 */
export function projDatabase(module: Gdal, sql: string): Record<string, string | number | null>[] {
  return guarded(module, () => {
    const info = withDataset(module, '/usr/share/proj/proj.db', 'SQLite', (dataset) =>
      vectorInfo(module, dataset, ['-features', '-dialect', 'SQLITE', '-sql', sql]),
    );
    return (info?.layers[0]?.features ?? []).map((feature) => feature.properties);
  });
}
