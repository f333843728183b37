import { hash } from 'node:crypto';
import type {
  PreviewDescription,
  PreviewItem,
  PreviewScheme,
  PreviewTile,
  PreviewVectorTile,
  VectorLayer,
} from 'hydrofiles/preview';
import { parseColour, type TileIndex } from 'hydrofiles/tiles';
import { invalidMember } from '../errors.ts';
import { parseMercatorIndex } from '../tiles/slices.ts';

const MOST_COLOURS = 256;
const MOST_STEPS = 256;
/** Not imported, which would load the drawing. */
const VECTOR_LAYERS: readonly VectorLayer[] = ['elements', 'isolines', 'arrows'];

/** Parameters of a tile, as they were sent. */
export interface TileQuery {
  readonly item?: string | undefined;
  readonly step?: string | undefined;
  readonly layer?: string | undefined;
  readonly colors?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly log?: boolean | undefined;
  readonly steps?: string | undefined;
  readonly layers?: string | undefined;
  readonly levels?: string | undefined;
}

export type TileFormat = PreviewTile['format'] | 'vector';

export interface ChosenTile extends Omit<PreviewTile, 'format'>, Pick<PreviewVectorTile, 'layers' | 'levels'> {
  readonly format: TileFormat;
  /** Drawn with the colours that the preview begins with, so that the number of such tiles is limited. */
  readonly isUsual: boolean;
}

const FILE = /^(\d{1,9})(@2x)?\.(png|webp|values|vector\.pbf)$/;

/** The place, scale and format of `{z}/{x}/{y}[@2x].{format}`. */
export function parseAddress(
  { zoom, column, file }: { zoom: string; column: string; file: string },
  deepest: number,
): { index: TileIndex; scale: 1 | 2; format: TileFormat } {
  const [, row, doubled, extension] = FILE.exec(file) ?? [];
  if (row === undefined)
    throw invalidMember(
      'file',
      `'${file.slice(0, 100)}' is no tile. Ask for a row with .png, .webp, .values or .vector.pbf.`,
    );
  const index = parseMercatorIndex({ zoom, column, row }, deepest);
  const format = extension === 'vector.pbf' ? 'vector' : (extension as PreviewTile['format']);
  return { index, scale: doubled === undefined ? 1 : 2, format };
}

/**
 * What a request for a tile asks for.
 * @throws AppError `invalid` for an item, step, layer, colour or range that there is not, `notFound` for a level that
 * is too deep
 */
export function chosenTile(
  description: PreviewDescription,
  address: { zoom: string; column: string; file: string },
  query: TileQuery,
): ChosenTile {
  const { index, scale, format } = parseAddress(address, description.deepest);
  const [z, x, y] = index;
  // Features and elements need no item.
  const isPlain = format === 'vector' && description.items.length === 0 && query.item === undefined;
  const item = isPlain ? { id: '0', name: '' } : chosenItem(description, query.item);
  const { steps, layers } = description;
  const step = chosenNumber('step', query.step, steps.count, steps.best);
  const layer = chosenNumber('layer', query.layer, layers.count, layers.count - 1);
  const shown = format === 'vector' ? vectorLayers(query) : {};
  const usual = usualColours(description, item);
  const scheme = chosenColours(usual, query);
  const isOwn = Object.keys(shown).length > 0 || JSON.stringify(scheme) !== JSON.stringify(usual);
  return {
    format,
    z,
    x,
    y,
    scale,
    item: item.id,
    step,
    layer,
    scheme,
    ...shown,
    isUsual: format === 'values' || !isOwn,
  };
}

/** @throws AppError `invalid` for layers that there are not, and levels that are no numbers */
function vectorLayers({ layers, levels }: TileQuery): Pick<PreviewVectorTile, 'layers' | 'levels'> {
  const names = layers?.split(',').map((name) => name.trim());
  const wrong = names?.find((name) => !VECTOR_LAYERS.includes(name as VectorLayer));
  if (wrong !== undefined)
    throw invalidMember('layers', `'${wrong.slice(0, 100)}' is no layer. Ask for ${VECTOR_LAYERS.join(', ')}.`);
  const numbers = levels?.split(',').map((level) => parseNumber('levels', level));
  return { ...(names && { layers: names as VectorLayer[] }), ...(numbers && { levels: numbers }) };
}

/** Names what is drawn besides item, step, layer and place. */
export function schemeKey({ format, scale, item, scheme, layers, levels }: ChosenTile): string {
  const colours = format === 'values' ? '' : JSON.stringify(scheme);
  return `preview:${hash('sha256', JSON.stringify([format, scale, item, colours, layers, levels]), 'base64url').slice(0, 22)}`;
}

/** @throws AppError `invalid` */
export function chosenItem({ items, scheme }: PreviewDescription, wanted: string | undefined): PreviewItem {
  const asked = wanted ?? scheme.item;
  const byId = items.find(({ id }) => id === asked);
  if (byId !== undefined) return byId;
  const named = items.filter(({ name }) => name === asked);
  if (named.length === 1) return named[0]!;
  const shown = `'${asked.slice(0, 100)}'`;
  if (named.length > 1)
    throw invalidMember(
      'item',
      `${named.length} items are called ${shown}. Ask for one by its id: ${named.map(({ id }) => id).join(', ')}.`,
    );
  const some = items.slice(0, 20).map(({ id, name }) => `${id} (${name})`);
  throw invalidMember(
    'item',
    items.length === 0
      ? 'There are no items.'
      : `There is no item ${shown}; there are ${some.join(', ')}${items.length > 20 ? ' and more' : ''}.`,
  );
}

/** @throws AppError `invalid` */
export function chosenNumber(name: string, text: string | undefined, count: number, usual: number): number {
  if (text === undefined || text === '') return usual;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number < count) return number;
  throw invalidMember(name, `${name} '${text.slice(0, 100)}' is not an integer from 0 to ${count - 1}.`);
}

type Colours = PreviewTile['scheme'];

/** The colours of an item: those of the scheme, in the range of the item. */
function usualColours({ scheme }: PreviewDescription, { id, min, max }: PreviewItem): Colours {
  const { item, ...colours } = scheme;
  if (item === id || min === undefined || max === undefined) return colours;
  const { colors, steps } = colours;
  return { colors, ...widened(min, max), log: false, ...(steps !== undefined && { steps }) };
}

const widened = (min: number, max: number) => (min < max ? { min, max } : { min: min - 0.5, max: min + 0.5 });

function chosenColours(usual: Colours, { colors, min, max, log, steps }: TileQuery): Colours {
  const classes = steps === undefined ? usual.steps : parseNumber('steps', steps);
  return checkedColours({
    colors:
      colors === undefined ? usual.colors : colors.split(',').map((colour) => colour.trim().replace(/^(?!#)/, '#')),
    min: min === undefined ? usual.min : parseNumber('min', min),
    max: max === undefined ? usual.max : parseNumber('max', max),
    log: log ?? usual.log,
    ...(classes !== undefined && { steps: classes }),
  });
}

/** @throws AppError `invalid` for colours, a range or a number of classes that cannot be drawn */
export function checkedColours<T extends Colours | PreviewScheme>(scheme: T): T {
  const { colors, min, max, log, steps } = scheme;
  const wrong = colors.find((colour) => parseColour(colour) === undefined);
  if (wrong !== undefined)
    throw invalidMember('colors', `'${wrong.slice(0, 100)}' is no colour such as #F7FBFF or #F7FBFFC0.`);
  if (colors.length === 1 || colors.length > MOST_COLOURS)
    throw invalidMember('colors', `colors has ${colors.length} colours. Send 2 to ${MOST_COLOURS}.`);
  if (!(Number.isFinite(min) && Number.isFinite(max) && min < max))
    throw invalidMember('min', `The range from ${min} to ${max} is empty. min must be less than max.`);
  if (log && min <= 0)
    throw invalidMember('min', `A logarithmic range cannot begin at ${min}. min must be more than 0.`);
  if (steps !== undefined && !(Number.isInteger(steps) && steps >= 2 && steps <= MOST_STEPS))
    throw invalidMember('steps', `steps ${steps} is not an integer from 2 to ${MOST_STEPS}.`);
  return scheme;
}

function parseNumber(name: string, text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw invalidMember(name, `${name} '${text.slice(0, 100)}' is not a number.`);
}
