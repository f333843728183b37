import { OUT_OF_RANGE, OUTPUT_TYPES } from '../raster/encode-tile.ts';
import { parseColour } from '../raster/ramp.ts';

export const SCHEME_TYPES = ['WMTS', 'XYZ'] as const;
export const AGGREGATION_METHODS = ['Mean', 'Max'] as const;

/** One of the `TilingSchemes` of a request, checked. */
export interface TilingScheme {
  readonly schemeId: string;
  readonly schemeType: (typeof SCHEME_TYPES)[number];
  /** Absent: the first item. `*`: a scheme for each item. */
  readonly itemName?: string;
  readonly outputType: (typeof OUTPUT_TYPES)[number];
  readonly tileWidth: number;
  readonly tileHeight: number;
  /** Ascending. Absent: all. */
  readonly zoomLevels?: readonly number[];
  /**
   * XYZ: this level and those below it are drawn at their first request. Absent: if there are too many tiles to draw.
   */
  readonly firstLevelOnRequest?: number;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly colors?: readonly string[];
  readonly aggregationMethod: (typeof AGGREGATION_METHODS)[number];
  readonly renderValuesOutOfRangeAsTransparent: (typeof OUT_OF_RANGE)[number];
}

/** The deepest zoom level of a request. */
export const DEEPEST = 24;
export const [LEAST_TILE, MOST_TILE, XYZ_TILE] = [64, 2048, 256] as const;
export const MOST_SCHEMES = 100;
/** The most tiles of a scheme that are drawn ahead of requests. */
export const MOST_TILES = 1_000_000;
/** Default of the maximum number of tiles of an XYZ scheme that are drawn ahead of requests. */
export const DRAW_AHEAD_TILES = 100_000;

type Given = ReadonlyMap<string, unknown>;

/** Reads one member. For a wrong value it returns a sentence about the expected one. */
type Check = (value: unknown, scheme: Given) => { value: unknown } | string;

const oneOf =
  (words: readonly string[]): Check =>
  (value) => {
    const found =
      typeof value === 'string' ? words.find((word) => word.toLowerCase() === value.toLowerCase()) : undefined;
    return found === undefined ? `one of ${words.join(', ')}` : { value: found };
  };

const finite: Check = (value) => (typeof value === 'number' && Number.isFinite(value) ? { value } : 'a number');

const isXyz = (scheme: Given) => String(scheme.get('schemetype')).toLowerCase() === 'xyz';

const side: Check = (value, scheme) => {
  if (isXyz(scheme)) return value === XYZ_TILE ? { value } : '256, because tiles of XYZ have 256 × 256 pixels';
  return Number.isInteger(value) && (value as number) >= LEAST_TILE && (value as number) <= MOST_TILE
    ? { value }
    : `an integer from ${LEAST_TILE} to ${MOST_TILE}`;
};

const zoomLevels: Check = (value) => {
  const isLevel = (one: unknown) => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= DEEPEST;
  return Array.isArray(value) && value.length > 0 && value.every(isLevel)
    ? { value: [...new Set(value as number[])].toSorted((one, other) => one - other) }
    : `a list of integers from 0 to ${DEEPEST}`;
};

const firstLevelOnRequest: Check = (value, scheme) => {
  if (!isXyz(scheme)) return 'nothing, because only levels of XYZ are drawn on request';
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= DEEPEST
    ? { value }
    : `an integer from 0 to ${DEEPEST}`;
};

const colors: Check = (value) =>
  Array.isArray(value) &&
  value.length > 1 &&
  value.every((one) => typeof one === 'string' && parseColour(one) !== undefined)
    ? { value }
    : 'a list of two or more colours #RRGGBB or #RRGGBBAA';

const schemeId: Check = (value) =>
  typeof value === 'string' && /^[A-Za-z0-9._-]{1,100}$/.test(value)
    ? { value }
    : '1 to 100 letters, digits, dots, underscores and hyphens';

const itemName: Check = (value) => (typeof value === 'string' && value !== '' ? { value } : 'the name of an item');

const members: Readonly<Record<keyof TilingScheme, Check>> = {
  schemeId,
  schemeType: oneOf(SCHEME_TYPES),
  itemName,
  outputType: oneOf(OUTPUT_TYPES),
  tileWidth: side,
  tileHeight: side,
  zoomLevels,
  firstLevelOnRequest,
  minValue: finite,
  maxValue: finite,
  colors,
  aggregationMethod: oneOf(AGGREGATION_METHODS),
  renderValuesOutOfRangeAsTransparent: oneOf(OUT_OF_RANGE),
};

const names = new Map(Object.keys(members).map((name) => [name.toLowerCase(), name as keyof TilingScheme]));

const defaults = {
  schemeType: 'WMTS',
  outputType: 'PNG',
  tileWidth: XYZ_TILE,
  tileHeight: XYZ_TILE,
  aggregationMethod: 'Mean',
  renderValuesOutOfRangeAsTransparent: 'None',
} as const;

export interface CheckedSchemes {
  readonly schemes: readonly TilingScheme[];
  /** One sentence per mistake. */
  readonly errors: readonly string[];
  /** Members that are not known, with the scheme: `itemBandMapping of 'a'`. */
  readonly ignored: readonly string[];
}

/** Checks the `TilingSchemes` of a request. Member names and words match in any letter case; null is absent. */
export function checkSchemes(list: readonly unknown[]): CheckedSchemes {
  const errors: string[] = [];
  const ignored: string[] = [];
  const schemes: TilingScheme[] = [];
  if (list.length === 0) errors.push('At least one scheme is needed.');
  if (list.length > MOST_SCHEMES)
    errors.push(`There are ${list.length} schemes; at most ${MOST_SCHEMES} are possible.`);
  for (const [n, given] of list.slice(0, MOST_SCHEMES).entries()) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      errors.push(`[${n}] is ${shown(given)}. Expected an object.`);
      continue;
    }
    const scheme = checkScheme(given, `[${n}]`, errors, ignored);
    if (scheme.schemeId !== undefined && schemes.some((one) => one.schemeId === scheme.schemeId))
      errors.push(`[${n}].schemeId '${scheme.schemeId}' is there twice.`);
    schemes.push(scheme as TilingScheme);
  }
  return { schemes, errors, ignored };
}

function checkScheme(given: object, path: string, errors: string[], ignored: string[]): Partial<TilingScheme> {
  const entries = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const folded: Given = new Map(entries.map(([name, value]) => [name.toLowerCase(), value]));
  const scheme: Record<string, unknown> = { ...defaults };
  for (const [name, value] of entries) {
    const known = names.get(name.toLowerCase());
    if (known === undefined) {
      ignored.push(`'${name.slice(0, 100)}' of ${path}`);
      continue;
    }
    const checked = members[known](value, folded);
    if (typeof checked === 'string') errors.push(`${path}.${known} is ${shown(value)}. Expected ${checked}.`);
    else scheme[known] = checked.value;
  }
  if (!folded.has('schemeid')) errors.push(`${path}.schemeId is missing.`);
  const { minValue, maxValue } = scheme as Partial<TilingScheme>;
  if (minValue !== undefined && maxValue !== undefined && minValue >= maxValue)
    errors.push(`${path}.minValue is ${minValue}, which is not below maxValue ${maxValue}.`);
  return scheme;
}

/** Placeholder for the name of each item. */
const EACH_ITEM = '*';
const LONGEST_ID = 100;

/**
 * Schemes of each item instead of those of `*`. Their ids are the names of the items, as far as ids can have their
 * letters.
 */
export function schemesOfItems(
  schemes: readonly TilingScheme[],
  { items, hasColours }: { readonly items: readonly { readonly name: string }[]; readonly hasColours: boolean },
): TilingScheme[] {
  const ids = new Set(schemes.filter(({ itemName }) => itemName !== EACH_ITEM).map(({ schemeId }) => schemeId));
  const free = (id: string): string => {
    let [own, n] = [id, 1];
    while (ids.has(own)) own = `${id.slice(0, LONGEST_ID - 5)}-${++n}`;
    ids.add(own);
    return own;
  };
  return schemes.flatMap((scheme) => {
    if (scheme.itemName !== EACH_ITEM) return [scheme];
    const { itemName: _, ...each } = scheme;
    const isPicture = scheme.outputType === 'PNG' || scheme.outputType === 'WEBP';
    if (items.length === 1 || (hasColours && scheme.colors === undefined && isPicture))
      return [{ ...each, schemeId: free(scheme.schemeId) }];
    return items.map(({ name }) => ({ ...each, schemeId: free(idOf(name) || scheme.schemeId), itemName: name }));
  });
}

const idOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, LONGEST_ID);

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 100);
