import type { Crs } from '../../data/crs-reference.ts';
import { FormatError } from '../../errors.ts';
import { type Gdal, gdal, guarded, hasFailed, lastMessage } from '../wasm.ts';
import { describeCrs, sridOf } from './crs.ts';
import { lonLatOf, type Operation, OperationRecorder } from './operation.ts';
import { withCrs } from './srs.ts';

/** Points per call into the module. */
const batch = 16_384;

/** Transforms coordinates from one CRS to another. Holds WebAssembly memory until `close`. */
export interface Transformer extends Disposable {
  /**
   * Transforms in place: x is easting or longitude (degrees), y is northing or latitude, z is metres if given. A point
   * that cannot be transformed gets NaN as x and y. Returns the number of such points.
   */
  forward(x: Float64Array, y: Float64Array, z?: Float64Array): number;
  /** The operations that PROJ used so far. */
  operation(): Operation;
  close(): void;
}

/**
 * A transformer that uses the best operation without grid files. If there are several, PROJ chooses one for each point.
 * @throws FormatError if a CRS cannot be read or PROJ has no transformation between the two
 */
export async function transformer(from: Crs, to: Crs): Promise<Transformer> {
  const [source, target] = await Promise.all([describeCrs(from), describeCrs(to)]);
  const module = await gdal();
  const ends = [sridOf(source) ?? source.wkt, sridOf(target) ?? target.wkt] as const;
  return guarded(module, () => new PointTransformer(module, ends[0], ends[1], `${source.name} to ${target.name}`));
}

class PointTransformer implements Transformer {
  readonly #module: Gdal;
  readonly #from: string;
  readonly #to: string;
  readonly #recorder = new OperationRecorder();
  #handle: number;
  #heap: number;
  /**
   * Box around the first and last point of each batch in source coordinates: enough to locate the data in the world.
   */
  readonly #box = [Infinity, Infinity, -Infinity, -Infinity];

  constructor(module: Gdal, from: string, to: string, names: string) {
    this.#module = module;
    this.#from = from;
    this.#to = to;
    this.#handle = this.#recorder.run(module, () =>
      withCrs(module, from, (a) => withCrs(module, to, (b) => module._OCTNewCoordinateTransformation(a, b))),
    );
    if (this.#handle === 0) throw new FormatError(`PROJ has no transformation from ${names}: ${lastMessage(module)}.`);
    this.#heap = module._malloc(24 * batch);
  }

  forward(x: Float64Array, y: Float64Array, z?: Float64Array): number {
    if (this.#handle === 0) throw new Error('This transformer is closed.');
    return guarded(this.#module, () =>
      this.#recorder.run(this.#module, () => {
        let failed = 0;
        for (let at = 0; at < x.length; at += batch) {
          const end = Math.min(at + batch, x.length);
          failed += this.#run(x.subarray(at, end), y.subarray(at, end), z?.subarray(at, end));
        }
        return failed;
      }),
    );
  }

  #run(x: Float64Array, y: Float64Array, z: Float64Array | undefined): number {
    const module = this.#module;
    const [px, py, pz] = [this.#heap, this.#heap + 8 * batch, this.#heap + 16 * batch];
    for (const [xn, yn] of [
      [x[0]!, y[0]!],
      [x[x.length - 1]!, y[y.length - 1]!],
    ] as const)
      this.#widen(xn, yn);
    module.HEAPF64.set(x, px >> 3);
    module.HEAPF64.set(y, py >> 3);
    if (z !== undefined) module.HEAPF64.set(z, pz >> 3);
    const all = module._OCTTransform(this.#handle, x.length, px, py, z === undefined ? 0 : pz);
    // The call may have grown the heap, which replaces its views.
    x.set(module.HEAPF64.subarray(px >> 3, (px >> 3) + x.length));
    y.set(module.HEAPF64.subarray(py >> 3, (py >> 3) + x.length));
    z?.set(module.HEAPF64.subarray(pz >> 3, (pz >> 3) + x.length));
    return all === 0 ? markFailed(x, y) : 0;
  }

  #widen(x: number, y: number): void {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    const box = this.#box;
    box[0] = Math.min(box[0]!, x);
    box[1] = Math.min(box[1]!, y);
    box[2] = Math.max(box[2]!, x);
    box[3] = Math.max(box[3]!, y);
  }

  operation(): Operation {
    const [west, south, east, north] = this.#box as [number, number, number, number];
    return guarded(this.#module, () => {
      const hasPoints = Number.isFinite(west);
      const centre = hasPoints ? lonLatOf(this.#module, this.#from, (west + east) / 2, (south + north) / 2) : undefined;
      return this.#recorder.explain(this.#module, this.#from, this.#to, centre);
    });
  }

  close(): void {
    if (this.#handle === 0 || hasFailed(this.#module)) return;
    this.#module._OCTDestroyCoordinateTransformation(this.#handle);
    this.#module._free(this.#heap);
    this.#handle = 0;
    this.#heap = 0;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function markFailed(x: Float64Array, y: Float64Array): number {
  let failed = 0;
  for (let i = 0; i < x.length; i++) {
    if (Number.isFinite(x[i]!) && Number.isFinite(y[i]!)) continue;
    x[i] = Number.NaN;
    y[i] = Number.NaN;
    failed++;
  }
  return failed;
}
