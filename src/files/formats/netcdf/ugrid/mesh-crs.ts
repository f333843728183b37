import type { Crs } from '../../../data/crs-reference.ts';
import { ConversionError } from '../../../errors.ts';
import { parseSrid, wgs84 } from '../../../geo/crs/crs.ts';
import { isLongitude } from '../../io/cf/coordinates.ts';
import { crsOfMapping, gridMappingOf } from '../../io/cf/grid-mapping.ts';
import { type CfContext, type CfFile, type CfVariable, textOf } from '../../io/cf/variable.ts';

/** The coordinate system of a mesh: the grid mapping of its items, else one that no variable names (Delft3D FM). */
export async function meshCrs(
  file: CfFile,
  items: readonly CfVariable[],
  x: CfVariable,
  context: CfContext,
): Promise<Crs | undefined> {
  const named = [...items, x]
    .map((one) => gridMappingOf(one, undefined))
    .find((name) => name !== undefined && file.variables.has(name));
  const isMapping = ({ metadata: { attributes } }: CfVariable) =>
    attributes.grid_mapping_name !== undefined || attributes.crs_wkt !== undefined || attributes.epsg !== undefined;
  const mapping = named ?? [...file.variables.values()].find(isMapping)?.metadata.name;
  if (mapping !== undefined) {
    const { attributes } = file.variables.get(mapping)!.metadata;
    const code = attributes.crs_wkt === undefined ? codeOf(attributes.EPSG_code ?? attributes.epsg) : undefined;
    return code ?? crsOfMapping(file, mapping, context);
  }
  if (!isLongitude(x)) return undefined;
  context.remark('The file names no coordinate system; its longitudes and latitudes were taken as WGS 84 (EPSG:4326).');
  return wgs84;
}

function codeOf(value: unknown): Crs | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value);
  if (text === undefined || text === '0' || text === 'EPSG:0') return undefined;
  try {
    return parseSrid(text);
  } catch (error) {
    if (error instanceof ConversionError) return undefined;
    throw error;
  }
}
