import { parseUtc } from 'hydrofiles/text';
import { DEEPEST, type DrawnScheme, type TileIndex, type TileSlice, type TilesDescription } from 'hydrofiles/tiles';
import { AppError, invalid } from '../errors.ts';

/** Parameters that choose a slice, as they were sent. */
export interface SliceQuery {
  readonly timeStep?: string | undefined;
  readonly layer?: string | undefined;
}

/** The step and layer of a request. Default: the first. Names are those of the parameters in sentences. */
export function chosenSlice(
  { timeStamps, layerIds }: Pick<TilesDescription, 'timeStamps' | 'layerIds'>,
  { timeStep, layer }: SliceQuery,
  names = { timeStep: 'timeStep', layer: 'layer' },
): TileSlice {
  return {
    step: chosenStep(timeStamps, timeStep, names.timeStep),
    layer: chosenIndex(Math.max(1, layerIds.length), layer, names.layer),
  };
}

function chosenStep(stamps: readonly string[], text: string | undefined, name: string): number {
  if (text === undefined || text === '' || /^[+-]?\d+$/.test(text))
    return chosenIndex(Math.max(1, stamps.length), text, name);
  const time = parseTime(text);
  if (time === undefined)
    throw invalid(
      `${name} '${text.slice(0, 100)}' is neither the number of a step nor a time such as 2024-05-02T10:00:00.`,
      {
        code: 'InvalidParameterValue',
      },
    );
  const found = stamps.findIndex((stamp) => parseTime(stamp) === time);
  if (found >= 0) return found;
  const last = Math.max(...stamps.map((stamp) => parseTime(stamp) ?? -Infinity));
  const sentence = `There is no time step '${text.slice(0, 100)}'; the metadata list those there are.`;
  if (time > last) throw outOfRange(sentence);
  throw invalid(sentence, { code: 'InvalidParameterValue' });
}

/** Milliseconds since 1970, or undefined. Dates may have slashes. */
function parseTime(text: string): number | undefined {
  const parsed = parseUtc(text.replace(/^(\d{4})\/(\d\d)\/(\d\d)/, '$1-$2-$3').replace(' ', 'T'));
  return parsed === undefined
    ? undefined
    : Date.parse(`${parsed.second}Z`) + Number(`0.${parsed.fraction || 0}`) * 1000;
}

function chosenIndex(count: number, text: string | undefined, name: string): number {
  if (text === undefined || text === '') return 0;
  if (!/^\d+$/.test(text))
    throw invalid(`${name} '${text.slice(0, 100)}' is not an integer from 0 to ${count - 1}.`, {
      code: 'InvalidParameterValue',
    });
  const index = Number(text);
  if (index >= count) throw outOfRange(`${name} ${index} is beyond the last one, ${count - 1}.`);
  return index;
}

export const outOfRange = (sentence: string) => new AppError('notFound', sentence, { code: 'TileOutOfRange' });

/** The level, column and row of a tile inside of its matrix. */
export function parseTileIndex(
  { schemeId, zoomLevels, matrixWidths, matrixHeights }: DrawnScheme,
  { tileMatrix, tileRow, tileCol }: { tileMatrix: string; tileRow: string; tileCol: string },
): TileIndex {
  const level = parseInteger('tileMatrix', tileMatrix);
  const row = parseInteger('tileRow', tileRow);
  const column = parseInteger('tileCol', tileCol);
  const n = zoomLevels.indexOf(level);
  if (n < 0) throw outOfRange(`Scheme '${schemeId}' has no zoom level ${level}; it has ${zoomLevels.join(', ')}.`);
  const [width, height] = [matrixWidths[n]!, matrixHeights[n]!];
  if (column < 0 || row < 0 || column >= width || row >= height)
    throw outOfRange(
      `Tile row ${row}, column ${column} is outside of zoom level ${level}, which has ${height} rows and ${width} columns.`,
    );
  return [level, column, row];
}

/** The level, column and row of a tile of Web Mercator. */
export function parseMercatorIndex(
  { zoom, column, row }: { zoom: string; column: string; row: string },
  deepest = DEEPEST,
): TileIndex {
  const [level, x, y] = [parseInteger('zoom', zoom), parseInteger('column', column), parseInteger('row', row)];
  if (level < 0 || level > deepest) throw outOfRange(`There is no zoom level ${level}; there are 0 to ${deepest}.`);
  const side = 2 ** level;
  if (x < 0 || y < 0 || x >= side || y >= side)
    throw outOfRange(`Column ${x}, row ${y} is outside of zoom level ${level}, which has ${side} of both.`);
  return [level, x, y];
}

/** A number of a path. */
export function parseInteger(name: string, text: string): number {
  if (/^(?:0|-?[1-9]\d*)$/.test(text)) return Number(text);
  throw invalid(`${name} '${text.slice(0, 100)}' is not an integer.`, { code: 'InvalidParameterValue' });
}
