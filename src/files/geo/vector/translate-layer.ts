import { basename, dirname } from 'node:path';
import { FormatError } from '../../errors.ts';
import { gdalSentence, withFolder } from '../mounted-folder.ts';
import { configure, type Gdal, gdal, guarded, lastMessage, vectorInfo, withDataset, withStrings } from '../wasm.ts';

/** A file on disk, beside which only its companions stand: GDAL sees its folder. */
export interface VectorFile {
  readonly path: string;
  /** The only driver that may open the file. */
  readonly driver: string;
  /** Configuration options of GDAL while the file is open. */
  readonly configuration?: Readonly<Record<string, string>>;
}

export interface VectorLayer {
  readonly name: string;
  readonly count: number;
  /** As the types of its geometries say. */
  readonly heights: 'all' | 'none' | 'unknown';
  /** Names of fields that hold lists of values. */
  readonly lists: readonly string[];
}

export interface ChosenLayer {
  readonly layer: VectorLayer;
  /** All vertices get heights, 0 where they have none; else none has. */
  readonly withHeights: boolean;
}

/**
 * Writes a layer as FlatGeobuf without an index, in the order of its features. Curves become lines, and lists of values
 * JSON text. The file is opened once: the driver of GML leaves a description beside a file, from which it would read
 * less of it the next time.
 * @param choose chooses among the layers of the file
 * @throws FormatError with GDAL's message
 */
export async function layerToFlatGeobuf(
  file: VectorFile,
  output: string,
  choose: (layers: readonly VectorLayer[]) => ChosenLayer,
): Promise<ChosenLayer> {
  const module = await gdal();
  return opened(module, file, (dataset) => {
    const chosen = choose(layersOf(module, dataset));
    const argv = ['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-nlt', 'CONVERT_TO_LINEAR'];
    argv.push('-mapFieldType', listTypes.map((type) => `${type}=String(JSON)`).join(','));
    argv.push('-dim', chosen.withHeights ? 'XYZ' : 'XY', chosen.layer.name);
    module._CPLErrorReset();
    withFolder(module, dirname(output), (folder) => {
      const result = translateTo(module, dataset, `${folder}/${basename(output)}`, argv);
      if (result === 0) throw broken(module);
      module._CPLErrorReset();
      module._GDALClose(result);
      checkErrors(module);
    });
    return chosen;
  });
}

const listTypes = ['StringList', 'IntegerList', 'Integer64List', 'RealList'];

function layersOf(module: Gdal, dataset: number): VectorLayer[] {
  const { layers } = vectorInfo(module, dataset, ['-so']);
  // GDAL lists what stands before a syntax error, and reports it nowhere else.
  checkErrors(module);
  return layers.map(({ name, featureCount = 0, fields = [], geometryFields }) => ({
    name,
    count: featureCount,
    heights: heightsOf(geometryFields.map(({ type }) => type)),
    lists: fields.filter(({ type }) => listTypes.includes(type)).map((field) => field.name),
  }));
}

function heightsOf(types: readonly string[]): VectorLayer['heights'] {
  if (types.some((type) => /ZM?$/.test(type))) return 'all';
  return types.some((type) => /^(?:Geometry|Unknown)/.test(type)) ? 'unknown' : 'none';
}

function opened<T>(module: Gdal, { path, driver, configuration = {} }: VectorFile, work: (dataset: number) => T): T {
  const options = Object.entries(configuration);
  return guarded(module, () => {
    for (const [name, value] of options) configure(module, name, value);
    try {
      return withFolder(module, dirname(path), (folder) => {
        module._CPLErrorReset();
        const result = withDataset(module, `${folder}/${basename(path)}`, driver, (dataset) => ({
          value: work(dataset),
        }));
        if (result === undefined) throw broken(module);
        return result.value;
      });
    } finally {
      for (const [name] of options) configure(module, name, null);
    }
  });
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
