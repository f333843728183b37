import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { FormatError } from '../../errors.ts';
import { gdalSentence, withFolder } from '../mounted-folder.ts';
import { configure, type Gdal, gdal, guarded, lastMessage, withDataset, withStrings } from '../wasm.ts';

/** Options of `translateFile`. */
export interface Translation {
  /** The only driver that may open the input, whatever the file claims to be. */
  driver: string;
  /** Arguments of `gdal_translate` or, with `warp`, of `gdalwarp`. */
  argv: string[];
  /** Runs gdalwarp instead, which georeferences an image by its ground control points. */
  warp?: boolean;
}

/**
 * Runs `gdal_translate` or `gdalwarp` from one file on disk to another. GDAL reads and writes block by block, so
 * neither file is held in memory.
 * @throws FormatError with GDAL's message
 */
export async function translateFile(input: string, output: string, translation: Translation): Promise<void> {
  const module = await gdal();
  guarded(module, () =>
    withFolder(module, dirname(input), (from) =>
      withFolder(module, dirname(output), (to) =>
        translate(module, `${from}/${basename(input)}`, `${to}/${basename(output)}`, translation, () => undefined),
      ),
    ),
  );
}

/** A compressed image of a few megabytes, such as a block of a TIFF. */
export interface PackedImage {
  driver: 'JPEG' | 'WEBP' | 'MRF' | 'PNG';
  /**
   * Files to write, of which GDAL opens the first. A content may be a function of the path without suffix, which all
   * files share.
   */
  files: readonly (readonly [suffix: string, content: Uint8Array | ((path: string) => string)])[];
  width: number;
  /** Maximum number of rows; the image may have fewer. */
  height: number;
  /** Samples per cell. An image that lacks the fourth gets an opaque alpha. */
  samples: number;
}

/**
 * Decompresses an image into samples interleaved by cell, in the byte order of this machine.
 * @throws FormatError if the image is broken or has another size
 */
export async function unpackImage({ driver, files, width, height, samples }: PackedImage): Promise<Uint8Array> {
  const module = await gdal();
  return guarded(module, () => {
    const name = `/${randomUUID()}`;
    const made = files.map(([suffix]) => name + suffix);
    for (const [n, [, content]] of files.entries())
      module.FS.writeFile(made[n]!, typeof content === 'function' ? content(name) : content);
    const output = `${name}.raw`;
    // Keep the four components of a CMYK JPEG.
    configure(module, 'GDAL_JPEG_TO_RGB', samples === 4 ? 'NO' : null);
    try {
      let bands = 0;
      const check = (dataset: number) => {
        const size = [module._GDALGetRasterXSize(dataset), module._GDALGetRasterYSize(dataset)] as const;
        bands = module.ccall('GDALGetRasterCount', 'number', ['number'], [dataset]) as number;
        if (size[0] !== width || size[1] > height)
          throw new FormatError(`A compressed block has ${size.join(' × ')} cells instead of ${width} × ${height}.`);
        if (bands < samples && !(driver === 'WEBP' && samples === 4 && bands === 3))
          throw new FormatError(`A compressed block has ${bands} of ${samples} samples per cell.`);
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
          // The file was never written.
        }
      }
    }
  });
}

/** Recompresses a PNG without loss as a WEBP. Pixels of alpha 0 may change their colour. */
export async function webpOfPng(png: Uint8Array): Promise<Uint8Array> {
  const module = await gdal();
  return guarded(module, () => {
    const [input, output] = [`/${randomUUID()}.png`, `/${randomUUID()}.webp`];
    module.FS.writeFile(input, png);
    try {
      const argv = ['-of', 'WEBP', '-co', 'LOSSLESS=YES'];
      translate(module, input, output, { driver: 'PNG', argv }, () => undefined);
      return module.FS.readFile(output).slice();
    } finally {
      for (const path of [input, output]) {
        try {
          module.FS.unlink(path);
        } catch {
          // The file was never written.
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
  const broken = () => new FormatError(`GDAL cannot read the file: ${gdalSentence(lastMessage(module))}`);
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
      const message = lastMessage(module);
      if (message !== '' && (module.ccall('CPLGetLastErrorType', 'number', [], []) as number) >= 3) throw broken();
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
