import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { FormatError } from '../../errors.ts';
import type { Gdal } from '../wasm.ts';
import { configure, gdal, guarded, lastMessage, withDataset, withStrings } from '../wasm.ts';

/** What GDAL is to make of a raster. */
export interface Translation {
  /** The only driver that may open the input: no other is tried, whatever the file says it is. */
  driver: string;
  /** Arguments as `gdal_translate` or, with `warp`, `gdalwarp` takes them. */
  argv: string[];
  /** Lays the cells out anew, which places an image that has only control points. */
  warp?: boolean;
}

/**
 * GDAL reads one file of the disk and writes another, in place and piece by piece: neither is held in memory.
 * @throws FormatError with GDAL's own sentence
 */
export async function translateFile(input: string, output: string, translation: Translation): Promise<void> {
  const module = await gdal();
  guarded(() =>
    withFolder(module, dirname(input), (from) =>
      withFolder(module, dirname(output), (to) =>
        translate(module, `${from}/${basename(input)}`, `${to}/${basename(output)}`, translation, () => undefined),
      ),
    ),
  );
}

/** A picture of a few megabytes at most, or one block of a larger one. */
export interface PackedImage {
  driver: 'JPEG' | 'WEBP' | 'MRF';
  /** File names → contents; the first is the one to be opened. Names stand in the contents of others as `{name}`. */
  files: readonly (readonly [suffix: string, content: Uint8Array | ((path: string) => string)])[];
  width: number;
  /** The picture may have fewer rows, but not more. */
  height: number;
  /** Samples of a cell that are wanted. A fourth that the picture lacks is opaque. */
  samples: number;
}

/**
 * Unpacks a picture into its samples, cell by cell, in this machine's order of bytes.
 * @throws FormatError when the picture is broken or of another size
 */
export async function unpackImage({ driver, files, width, height, samples }: PackedImage): Promise<Uint8Array> {
  const module = await gdal();
  return guarded(() => {
    const name = `/${randomUUID()}`;
    const made = files.map(([suffix]) => name + suffix);
    for (const [n, [, content]] of files.entries())
      module.FS.writeFile(made[n]!, typeof content === 'function' ? content(name) : content);
    const output = `${name}.raw`;
    // Four components of a JPEG are handed over as they are.
    configure(module, 'GDAL_JPEG_TO_RGB', samples === 4 ? 'NO' : null);
    try {
      let bands = 0;
      const check = (dataset: number) => {
        const size = [module._GDALGetRasterXSize(dataset), module._GDALGetRasterYSize(dataset)] as const;
        bands = module.ccall('GDALGetRasterCount', 'number', ['number'], [dataset]) as number;
        if (size[0] !== width || size[1] > height)
          throw new FormatError(`A packed block has ${size.join(' × ')} cells instead of ${width} × ${height}.`);
        if (bands < samples && !(driver === 'WEBP' && samples === 4 && bands === 3))
          throw new FormatError(`A packed block has ${bands} of ${samples} samples.`);
      };
      const wanted = Array.from({ length: samples }, (_, n) => ['-b', String(n + 1)]);
      const list = (): string[] => wanted.slice(0, Math.min(bands, samples)).flat();
      translate(module, made[0]!, output, { driver, argv: ['-of', 'ENVI', '-co', 'INTERLEAVE=BIP'] }, check, list);
      const unpacked = module.FS.readFile(output);
      return bands < samples ? withAlpha(unpacked) : unpacked;
    } finally {
      for (const path of [...made, output, `${name}.hdr`]) {
        try {
          module.FS.unlink(path);
        } catch {
          // It was never written.
        }
      }
    }
  });
}

function withAlpha(rgb: Uint8Array): Uint8Array {
  const rgba = new Uint8Array((rgb.length / 3) * 4).fill(255);
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) rgba.set(rgb.subarray(from, from + 3), to);
  return rgba;
}

function translate(
  module: Gdal,
  input: string,
  output: string,
  { driver, argv, warp = false }: Translation,
  check: (dataset: number) => void,
  more: () => string[] = () => [],
): void {
  module._CPLErrorReset();
  const broken = () => new FormatError(`GDAL cannot read it: ${sentence(lastMessage(module))}`);
  const done = withDataset(
    module,
    input,
    driver,
    (dataset) => {
      check(dataset);
      const call = warp ? warpTo : translateTo;
      const result = call(module, dataset, output, [...argv, ...more()]);
      if (result === 0) throw broken();
      module._CPLErrorReset();
      module._GDALClose(result);
      const said = lastMessage(module);
      if (said !== '' && (module.ccall('CPLGetLastErrorType', 'number', [], []) as number) >= 3) throw broken();
      return true;
    },
    'raster',
  );
  if (done === undefined) throw broken();
}

function translateTo(module: Gdal, dataset: number, output: string, argv: string[]): number {
  const options = withStrings(module, argv, (list) =>
    module.ccall('GDALTranslateOptionsNew', 'number', ['number', 'number'], [list, 0]),
  ) as number;
  const types = ['string', 'number', 'number', 'number'] as const;
  const result = module.ccall('GDALTranslate', 'number', [...types], [output, dataset, options, 0]) as number;
  module.ccall('GDALTranslateOptionsFree', null, ['number'], [options]);
  return result;
}

function warpTo(module: Gdal, dataset: number, output: string, argv: string[]): number {
  const options = withStrings(module, argv, (list) => module._GDALWarpAppOptionsNew(list, 0));
  const types = ['string', 'number', 'number', 'number', 'number', 'number'] as const;
  const inputs = module._malloc(4);
  module.HEAPU32[inputs >> 2] = dataset;
  const result = module.ccall('GDALWarp', 'number', [...types], [output, 0, 1, inputs, options, 0]) as number;
  module._free(inputs);
  module._GDALWarpAppOptionsFree(options);
  return result;
}

/** Lends `f` a name of the module's file system for a folder of the disk. */
function withFolder<T>(module: Gdal, folder: string, f: (mounted: string) => T): T {
  const point = `/${randomUUID()}`;
  module.FS.mkdir(point);
  module.FS.mount(module.NODEFS, { root: folder }, point);
  try {
    return f(point);
  } finally {
    module.FS.unmount(point);
    module.FS.rmdir(point);
  }
}

/** GDAL's message without the names of our temporary files. */
const sentence = (message: string): string =>
  `${
    message
      .replace(/\/[0-9a-f-]{36}[^\s:,]*(?:: |, )?/g, '')
      .replace(/\s+/g, ' ')
      .slice(0, 300) || 'it gives no reason'
  }.`;
