import type { Affine } from '../../data/grid.ts';
import { FormatError } from '../../errors.ts';
import { lonLatOf, type Operation, OperationRecorder } from '../crs/operation.ts';
import { crsToWkt, withCrs } from '../crs/srs.ts';
import { type Gdal, guarded, hasFailed, lastMessage, withBytes, withStrings } from '../wasm.ts';

/** Size and geotransform of a grid: where its cells lie in its CRS. */
export interface GridGeometry {
  readonly width: number;
  readonly height: number;
  readonly affine: Affine;
}

/** Points per call into the module. */
const batch = 16_384;

/**
 * Transforms target coordinates to source pixels (corner based, fractional) with GDAL's GenImgProjTransformer, as
 * gdalwarp does: it knows the extent of the source and chooses operations for it. Holds WebAssembly memory until
 * `close`.
 */
export class ImageTransformer {
  /** The grid geometry that `gdalwarp -t_srs` would write. */
  readonly target: GridGeometry;
  readonly #module: Gdal;
  readonly #from: string;
  readonly #to: string;
  readonly #centre: readonly [number, number];
  readonly #recorder = new OperationRecorder();
  #dataset: number;
  #transformer = 0;
  #heap = 0;

  /**
   * @param from CRS of the source: a checked `AUTHORITY:CODE` or WKT; `to` likewise
   * @throws FormatError when the grid cannot be projected to the target CRS
   */
  constructor(module: Gdal, source: GridGeometry, from: string, to: string) {
    this.#module = module;
    this.#from = from;
    this.#to = to;
    const { width, height, affine } = source;
    this.#centre = [
      affine[0] + (width * affine[1] + height * affine[2]) / 2,
      affine[3] + (width * affine[4] + height * affine[5]) / 2,
    ];
    this.#dataset = emptyDataset(module, source, from);
    try {
      this.target = suggestTarget(module, this.#dataset, to);
      this.#transformer = this.#recorder.run(module, () =>
        withStrings(module, [`DST_SRS=${to}`], (options) =>
          module._GDALCreateGenImgProjTransformer2(this.#dataset, 0, options),
        ),
      );
      if (this.#transformer === 0) throw cannotProject(module);
      this.#heap = module._malloc(28 * batch);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Replaces target coordinates by source pixels. A point that cannot be transformed becomes NaN; pixels may lie
   * outside the source.
   */
  toPixels(x: Float64Array, y: Float64Array, count: number): void {
    guarded(this.#module, () =>
      this.#recorder.run(this.#module, () => {
        for (let at = 0; at < count; at += batch) this.#batch(x, y, at, Math.min(batch, count - at));
      }),
    );
  }

  #batch(x: Float64Array, y: Float64Array, at: number, count: number): void {
    const module = this.#module;
    const [px, py, pz] = [this.#heap, this.#heap + 8 * batch, this.#heap + 16 * batch];
    const success = this.#heap + 24 * batch;
    module.HEAPF64.set(x.subarray(at, at + count), px >> 3);
    module.HEAPF64.set(y.subarray(at, at + count), py >> 3);
    module.HEAPF64.fill(0, pz >> 3, (pz >> 3) + count);
    module._GDALGenImgProjTransform(this.#transformer, 1, count, px, py, pz, success);
    const { HEAPF64, HEAP32 } = module;
    for (let i = 0; i < count; i++) {
      const ok = HEAP32[(success >> 2) + i] !== 0;
      x[at + i] = ok ? HEAPF64[(px >> 3) + i]! : Number.NaN;
      y[at + i] = ok ? HEAPF64[(py >> 3) + i]! : Number.NaN;
    }
  }

  operation(): Operation {
    return guarded(this.#module, () => {
      const centre = lonLatOf(this.#module, this.#from, ...this.#centre);
      return this.#recorder.explain(this.#module, this.#from, this.#to, centre);
    });
  }

  close(): void {
    if (hasFailed(this.#module)) return;
    if (this.#transformer !== 0) this.#module._GDALDestroyGenImgProjTransformer(this.#transformer);
    if (this.#dataset !== 0) this.#module._GDALClose(this.#dataset);
    if (this.#heap !== 0) this.#module._free(this.#heap);
    this.#transformer = 0;
    this.#dataset = 0;
    this.#heap = 0;
  }
}

/**
 * A VRT dataset with the grid geometry and CRS of the source and one band without data. GDAL needs no more to suggest
 * the target.
 */
function emptyDataset(module: Gdal, source: GridGeometry, from: string): number {
  const driver = module.ccall('GDALGetDriverByName', 'number', ['string'], ['VRT']);
  const float32 = 6;
  const dataset = module.ccall(
    'GDALCreate',
    'number',
    ['number', 'string', 'number', 'number', 'number', 'number', 'number'],
    [driver, '', source.width, source.height, 1, float32, 0],
  ) as number;
  if (dataset === 0)
    throw new FormatError(`A grid of ${source.width} × ${source.height} cells is too large to reproject.`);
  withBytes(module, 48, (six) => {
    module.HEAPF64.set(source.affine, six >> 3);
    module._GDALSetGeoTransform(dataset, six);
  });
  const wkt = withCrs(module, from, (handle) => crsToWkt(module, handle, 'WKT2_2019'));
  module.ccall('GDALSetProjection', 'number', ['number', 'string'], [dataset, wkt]);
  return dataset;
}

/** Runs gdalwarp from VRT to VRT: it chooses size and geotransform of the target and reads no cell. */
function suggestTarget(module: Gdal, dataset: number, to: string): GridGeometry {
  const options = withStrings(module, ['-of', 'VRT', '-novshift', '-t_srs', to], (argv) =>
    module._GDALWarpAppOptionsNew(argv, 0),
  );
  module._CPLErrorReset();
  const target = withBytes(module, 4, (list) => {
    module.HEAPU32[list >> 2] = dataset;
    const types = ['string', 'number', 'number', 'number', 'number', 'number'] as const;
    return module.ccall('GDALWarp', 'number', [...types], ['', 0, 1, list, options, 0]) as number;
  });
  module._GDALWarpAppOptionsFree(options);
  if (target === 0) throw cannotProject(module);
  try {
    return {
      width: module._GDALGetRasterXSize(target),
      height: module._GDALGetRasterYSize(target),
      affine: withBytes(module, 48, (six) => {
        module._GDALGetGeoTransform(target, six);
        return [...module.HEAPF64.subarray(six >> 3, (six >> 3) + 6)] as unknown as Affine;
      }),
    };
  } finally {
    module._GDALClose(target);
  }
}

const cannotProject = (module: Gdal) =>
  new FormatError(`The grid cannot be projected to the target coordinate system: ${lastMessage(module)}.`);
