import { setView } from '../../app/router.ts';
import type { Preview } from '../../client/api.ts';
import type { Colours } from '../../map/preview/colours.ts';
import type { Overlay } from '../../map/preview/dataset-layers.ts';
import { metresOf } from '../../map/preview/hillshade.ts';
import type { Center, Point } from '../../map/preview/preview-map.ts';

/** How a map is looked at: what the fragment of the address says, else the choice of the preview. */
export interface MapView {
  readonly item: string;
  readonly step: number;
  readonly layer: number;
  readonly colours: Colours;
  readonly opacity: number;
  readonly overlays: readonly Overlay[];
  readonly point: Point | undefined;
  readonly center: Center | undefined;
}

const OVERLAYS: readonly Overlay[] = ['arrows', 'particles', 'elements', 'isolines', 'hillshade'];
/** Names of items that are heights of the ground. */
const TERRAIN = /terrain|elevation|bathymetry|topograph|bed level|\bdem\b|\bdtm\b/i;

const numberIn = (text: string | null): number | undefined =>
  text === null || text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);

const numbersIn = (text: string | null, separator: string, count: number): number[] | undefined => {
  const numbers = text?.split(separator).map(Number) ?? [];
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : undefined;
};

const within = (value: number | undefined, count: number, usual: number): number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value < count ? value : usual;

/**
 * Overlays that an item can have: arrows and particles need a vector, a hillshade numbers that are lengths, lines of
 * cells and isolines a grid or mesh.
 */
export function overlaysOf({ tiles, kind, items = [] }: Preview, item: string): readonly Overlay[] {
  if (kind === 'features') return [];
  const isVector = items.some(({ vector }) => vector !== undefined);
  const shown = items.find(({ id }) => id === item);
  const isHeight = tiles?.values !== undefined && shown?.min !== undefined && metresOf(shown.unit) !== undefined;
  return OVERLAYS.filter((one) => {
    if (one === 'hillshade') return isHeight;
    return tiles?.vector !== undefined && (isVector || (one !== 'arrows' && one !== 'particles'));
  });
}

/** Overlays that are drawn when nobody has chosen. */
const isUsual = (overlay: Overlay, name = ''): boolean =>
  overlay === 'arrows' || overlay === 'elements' || (overlay === 'hillshade' && TERRAIN.test(name));

export function readView(params: URLSearchParams, preview: Preview): MapView {
  const { items = [], scheme, steps, layers } = preview;
  const wanted = params.get('item');
  const item = items.find(({ id }) => id === wanted)?.id ?? scheme?.item ?? items[0]?.id ?? '0';
  const layerCount = layers?.count ?? 1;
  const possible = overlaysOf(preview, item);
  const name = items.find(({ id }) => id === item)?.name;
  const shown = params.get('show')?.split(',');
  const point = numbersIn(params.get('point'), ',', 2);
  const center = numbersIn(params.get('at'), '/', 3);
  return {
    item,
    step: within(numberIn(params.get('step')), steps?.count ?? 1, steps?.best ?? 0),
    layer: within(numberIn(params.get('layer')), layerCount, layerCount - 1),
    colours: readColours(params, usualColours(preview, item)),
    opacity: Math.min(1, Math.max(0, numberIn(params.get('opacity')) ?? 1)),
    overlays: possible.filter((one) => (shown === undefined ? isUsual(one, name) : shown.includes(one))),
    point: point && [point[0]!, point[1]!],
    center: center && { zoom: center[0]!, latitude: center[1]!, longitude: center[2]! },
  };
}

/** The colours of an item as the server draws it: those of the scheme, in the range of the item. */
export function usualColours({ scheme, items = [] }: Preview, item: string): Colours {
  const { colors = ['#440154', '#fde725'], min = 0, max = 1, log = false, steps } = scheme ?? {};
  const colours = colors.length === 0 && item !== scheme?.item ? VIRIDIS : colors;
  const own = items.find(({ id }) => id === item);
  if (item === scheme?.item || own?.min === undefined || own.max === undefined)
    return { colors: colours, min, max, log, steps };
  const [low, high] = own.min < own.max ? [own.min, own.max] : [own.min - 0.5, own.min + 0.5];
  return { colors: colours, min: low, max: high, log: false, steps };
}

function readColours(params: URLSearchParams, usual: Colours): Colours {
  const colors = params
    .get('colors')
    ?.split(',')
    .map((one) => `#${one}`);
  const isValid = colors?.every((one) => /^#[0-9a-f]{6}([0-9a-f]{2})?$/i.test(one)) && colors.length > 1;
  const [min, max] = [numberIn(params.get('min')) ?? usual.min, numberIn(params.get('max')) ?? usual.max];
  const classes = numberIn(params.get('classes'));
  const log = params.has('log') ? params.get('log') === '1' : usual.log;
  return {
    colors: isValid ? colors! : usual.colors,
    ...(min < max ? { min, max } : { min: usual.min, max: usual.max }),
    log: log && (min < max ? min : usual.min) > 0,
    steps: classes === undefined ? usual.steps : classes >= 2 && classes <= 256 ? Math.round(classes) : undefined,
  };
}

/** What of the fragment says colours. */
export const NO_COLOURS = { colors: undefined, min: undefined, max: undefined, log: undefined, classes: undefined };

/** Keeps colours in the fragment. */
export function keepColours({ colors, min, max, log, steps }: Colours): void {
  setView({
    colors: colors.map((one) => one.replace('#', '')).join(','),
    min: String(min),
    max: String(max),
    log: log ? '1' : '0',
    classes: String(steps ?? 0),
  });
}

export const keepCenter = ({ zoom, latitude, longitude }: Center): void =>
  setView({ at: `${zoom.toFixed(2)}/${latitude.toFixed(5)}/${longitude.toFixed(5)}` });

export const keepPoint = (point: Point | undefined): void =>
  setView({ point: point?.map((one) => one.toFixed(6)).join(',') });

export const VIRIDIS = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'];

/** ColorBrewer (Apache 2.0), viridis (CC0) and turbo (Apache 2.0). */
export const PALETTES: Record<string, readonly string[]> = {
  viridis: VIRIDIS,
  blues: ['#f7fbff', '#c6dbef', '#6baed6', '#2171b5', '#08306b'],
  temperature: ['#313695', '#74add1', '#e0f3f8', '#ffffbf', '#fdae61', '#d73027', '#a50026'],
  concentration: ['#ffffcc', '#fed976', '#fd8d3c', '#e31a1c', '#800026'],
  turbo: ['#30123b', '#4662d8', '#35aaf9', '#1ae4b6', '#72fe5e', '#c7ef34', '#faba39', '#f66b19', '#ca2a04', '#7a0403'],
  greys: ['#f7f7f7', '#cccccc', '#969696', '#525252', '#111111'],
};
