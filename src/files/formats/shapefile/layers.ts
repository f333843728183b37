import type { ByteSource } from '../../data/bytes.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, SEVERAL_LAYERS } from '../define.ts';
import { filesOfZip, shown, type ZipEntry } from '../io/zip.ts';
import { checkUnpackedSize, UnpackedEntry } from '../io/zip-entry.ts';

/** The files of one shapefile in a zip, by extension in lower case. */
export interface LayerFiles {
  /** Path in the zip without extension; in nested zips it starts with the paths of the zips. */
  readonly path: string;
  readonly name: string;
  readonly zip: ByteSource;
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/** Maximum nesting of zips in zips, and number of zips per level. */
const maxDepth = 3;
const maxNestedZips = 100;

/**
 * Finds the layer with the name or path `layerName`, in any letter case, or the only layer of a zip.
 * @throws FormatError if there is no layer, ConversionError if there are several and `layerName` does not choose one
 */
export async function findLayer(
  source: ByteSource,
  layerName: string | undefined,
  context: Context,
): Promise<LayerFiles> {
  const layers = await findLayers(source, '', 0, context);
  if (layers.length === 0) throw new FormatError('The zip contains no shapefile (.shp).');
  const names = layers.map(({ path }) => shown(path)).join(', ');
  if (layerName === undefined) {
    if (layers.length === 1) return layers[0]!;
    throw new ConversionError(`The zip has ${layers.length} layers. Choose one with Layer: ${names}.`, SEVERAL_LAYERS);
  }
  const key = layerName.toLowerCase().replace(/\.shp$/, '');
  for (const match of [
    (layer: LayerFiles) => layer.path.toLowerCase() === key,
    (layer: LayerFiles) => layer.name.toLowerCase() === key,
  ]) {
    const found = layers.filter(match);
    if (found.length === 1) return found[0]!;
    if (found.length > 1)
      throw new ConversionError(
        `The zip has several layers '${layerName}'. Choose one by its path with Layer: ${names}.`,
      );
  }
  throw new ConversionError(`The zip has no layer '${layerName}'. Layers: ${names}.`);
}

async function findLayers(zip: ByteSource, prefix: string, depth: number, context: Context): Promise<LayerFiles[]> {
  const entries = await filesOfZip(zip);
  const stems = new Map<string, Map<string, ZipEntry>>();
  const nested: ZipEntry[] = [];
  for (const entry of entries) {
    const [, stem, ending] = /^(.*)\.([^./]+)$/.exec(entry.name) ?? [];
    if (stem === undefined || ending === undefined) continue;
    if (ending.toLowerCase() === 'zip') nested.push(entry);
    const key = stem.toLowerCase();
    const files = stems.get(key) ?? new Map<string, ZipEntry>();
    stems.set(key, files);
    const lower = ending.toLowerCase();
    if (!files.has(lower)) files.set(lower, entry);
  }
  const layers: LayerFiles[] = [];
  for (const files of stems.values()) {
    const shp = files.get('shp');
    if (shp === undefined) continue;
    const path = `${prefix}${shp.name.slice(0, -4)}`;
    layers.push({ path, name: path.slice(path.lastIndexOf('/') + 1), zip, entries: files });
  }
  if (nested.length === 0) return layers;
  if (depth >= maxDepth) throw new FormatError(`The zip contains zips nested more than ${maxDepth} deep.`);
  if (nested.length > maxNestedZips)
    throw new FormatError(`The zip contains ${nested.length} zips. The maximum is ${maxNestedZips}.`);
  await checkUnpackedSize(nested, context.scratch);
  for (const entry of nested) {
    const inner = await UnpackedEntry.open(zip, entry, context.scratch);
    context.onEnd(() => inner.close());
    layers.push(...(await findLayers(inner, `${prefix}${entry.name}/`, depth + 1, context)));
  }
  return layers;
}
