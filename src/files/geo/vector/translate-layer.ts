import { basename, dirname } from 'node:path';
import { FormatError } from '../../errors.ts';
import { gdalSentence, withFolder } from '../mounted-folder.ts';
import { type Gdal, gdal, guarded, lastMessage, vectorInfo, withDataset, withStrings } from '../wasm.ts';

/** A file on disk, beside which only its companions stand: GDAL sees its folder. */
export interface VectorFile {
  readonly path: string;
  /** The only driver that may open the file. */
  readonly driver: string;
}

export interface VectorLayer {
  readonly name: string;
  readonly count: number;
}

/**
 * The layers of a file of features.
 * @throws FormatError with GDAL's message
 */
export async function vectorLayers(file: VectorFile): Promise<VectorLayer[]> {
  const module = await gdal();
  return opened(module, file, (dataset) => {
    const { layers } = vectorInfo(module, dataset, ['-so']);
    // GDAL lists what stands before a syntax error, and reports it nowhere else
    checkErrors(module);
    return layers.map(({ name, featureCount = 0 }) => ({ name, count: featureCount }));
  });
}

/**
 * Writes a layer as FlatGeobuf without an index, in the order of its features. Curves become lines.
 * @param withHeights all vertices get heights, 0 where they have none; else the layer says whether they have
 * @throws FormatError with GDAL's message
 */
export async function layerToFlatGeobuf(
  file: VectorFile,
  { layer, withHeights, output }: { layer: string; withHeights: boolean; output: string },
): Promise<void> {
  const module = await gdal();
  const argv = ['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-nlt', 'CONVERT_TO_LINEAR'];
  if (withHeights) argv.push('-dim', 'XYZ');
  opened(module, file, (dataset) =>
    withFolder(module, dirname(output), (folder) => {
      const result = translateTo(module, dataset, `${folder}/${basename(output)}`, [...argv, layer]);
      if (result === 0) throw broken(module);
      module._CPLErrorReset();
      module._GDALClose(result);
      checkErrors(module);
    }),
  );
}

function opened<T>(module: Gdal, { path, driver }: VectorFile, work: (dataset: number) => T): T {
  return guarded(() =>
    withFolder(module, dirname(path), (folder) => {
      module._CPLErrorReset();
      const result = withDataset(module, `${folder}/${basename(path)}`, driver, (dataset) => ({
        value: work(dataset),
      }));
      if (result === undefined) throw broken(module);
      return result.value;
    }),
  );
}

/** CE_Failure of GDAL; warnings are less. */
const FAILURE = 3;

function checkErrors(module: Gdal): void {
  if ((module.ccall('CPLGetLastErrorType', 'number', [], []) as number) >= FAILURE) throw broken(module);
}

const broken = (module: Gdal) => new FormatError(`GDAL cannot read the file: ${gdalSentence(lastMessage(module))}`);

function translateTo(module: Gdal, dataset: number, output: string, argv: string[]): number {
  const options = withStrings(module, argv, (list) => module._GDALVectorTranslateOptionsNew(list, 0));
  const types = ['string', 'number', 'number', 'number', 'number', 'number'] as const;
  const inputs = module._malloc(4);
  module.HEAPU32[inputs >> 2] = dataset;
  const result = module.ccall(
    'GDALVectorTranslate',
    'number',
    [...types],
    [output, 0, 1, inputs, options, 0],
  ) as number;
  module._free(inputs);
  module._GDALVectorTranslateOptionsFree(options);
  return result;
}
