import { type DrawnScheme, isSingle, type TileSlice, type TilesDescription } from 'hydrofiles/tiles';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { component, text, texts } from '../http/rules/members.ts';
import type { TilesUrl } from './capabilities.ts';

export const TileJson = component('TileJson', {
  tilejson: z.literal('3.0.0').describe('Version of the format.'),
  name: text('Name of the dataset.', 'Valley'),
  scheme: z.literal('xyz').describe('Rows count from the top.'),
  tiles: texts('Address of the tiles, with {z}, {y} and {x}.'),
  bounds: z.array(z.number()).describe('West, south, east, north in degrees.'),
  minzoom: z.int().describe('Level with the least detail.'),
  maxzoom: z.int().describe('Level with the most detail.'),
});

/** @throws AppError for a scheme that is not XYZ */
export function makeTileJson(
  description: TilesDescription,
  { schemeId, schemeType, zoomLevels }: DrawnScheme,
  { step, layer }: TileSlice,
  { base, name, signature }: TilesUrl,
): z.infer<typeof TileJson> {
  if (schemeType !== 'XYZ')
    throw new AppError('notFound', `Scheme '${schemeId}' is ${schemeType}; TileJSON describes XYZ only.`);
  const slice = isSingle(description) ? [] : [`timeStep=${step}`, `layer=${layer}`];
  const query = [...slice, ...(signature === undefined ? [] : [signature])].join('&');
  const [west, south, east, north] = description.geographicBox;
  return {
    tilejson: '3.0.0',
    name: `${name}: ${schemeId}`,
    scheme: 'xyz',
    tiles: [`${base}/scheme/${schemeId}/{z}/{y}/{x}${query === '' ? '' : `?${query}`}`],
    bounds: east > 180 ? [-180, south, 180, north] : [west, south, east, north],
    minzoom: zoomLevels[0]!,
    maxzoom: zoomLevels.at(-1)!,
  };
}
