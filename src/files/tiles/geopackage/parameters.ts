import { z } from 'zod';
import { writeParameters as layerParameters } from '../../formats/geopackage/parameters.ts';
import { checkSchemes, type TilingScheme } from '../dataset/schemes.ts';

/** A map of each item. */
const usualSchemes = [{ schemeId: 'map', schemeType: 'XYZ', itemName: '*' }];

const TilingSchemes = z
  .array(z.unknown())
  .superRefine((list, { addIssue }) => {
    const { errors, schemes } = checkSchemes(list);
    const message = errors[0] ?? unfit(schemes);
    if (message !== undefined) addIssue({ code: 'custom', message });
  })
  .describe(
    `One scheme of the tiles of a grid or mesh, as of TilingWriter, with the outputType PNG. Default for grids: ${JSON.stringify(usualSchemes)}. Without it, the elements of a mesh become features.`,
  );

export const writeParameters = layerParameters.extend({ TilingSchemes: TilingSchemes.optional() });

/** The scheme of a request, or the usual one. */
export function packageScheme(list: readonly unknown[] = usualSchemes): {
  scheme: TilingScheme;
  ignored: readonly string[];
} {
  const { schemes, ignored } = checkSchemes(list);
  return { scheme: schemes[0]!, ignored };
}

/** Why a GeoPackage cannot have tiles of these schemes. */
function unfit(schemes: readonly TilingScheme[]): string | undefined {
  const [{ outputType, firstLevelOnRequest }, another] = schemes as [TilingScheme, TilingScheme?];
  if (another !== undefined)
    return `There are ${schemes.length} schemes, and a GeoPackage takes one. With the itemName '*' it has tiles of each item.`;
  if (outputType !== 'PNG') return `[0].outputType is ${outputType}. Tiles of a GeoPackage are PNG.`;
  if (firstLevelOnRequest !== undefined)
    return '[0].firstLevelOnRequest is given, but all tiles of a GeoPackage are drawn at once. Choose levels by zoomLevels.';
  return undefined;
}
