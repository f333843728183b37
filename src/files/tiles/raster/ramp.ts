/** Red, green, blue and alpha, 0 to 255. */
export type Rgba = readonly [number, number, number, number];

/**
 * Steps of a ramp: halves, quarters and eighths of it are exact, and few tiles need more than a palette of 256 colours.
 */
export const RAMP_STEPS = 257;

/** Colours spread evenly from the least to the greatest value, linear between. */
export interface Ramp {
  readonly minimum: number;
  readonly maximum: number;
  readonly colours: readonly Rgba[];
}

/** ColorBrewer (Apache 2.0) and viridis (CC0). */
const ramps = {
  viridis: [
    '#440154',
    '#482475',
    '#414487',
    '#355f8d',
    '#2a788e',
    '#21918c',
    '#22a884',
    '#44bf70',
    '#7ad151',
    '#bddf26',
    '#fde725',
  ],
  blues: ['#f7fbff', '#deebf7', '#c6dbef', '#9ecae1', '#6baed6', '#4292c6', '#2171b5', '#08519c', '#08306b'],
  temperature: [
    '#313695',
    '#4575b4',
    '#74add1',
    '#abd9e9',
    '#e0f3f8',
    '#ffffbf',
    '#fee090',
    '#fdae61',
    '#f46d43',
    '#d73027',
    '#a50026',
  ],
  concentration: ['#ffffcc', '#ffeda0', '#fed976', '#feb24c', '#fd8d3c', '#fc4e2a', '#e31a1c', '#bd0026', '#800026'],
} as const;

/** Symbols of units, as in EUM, CF and GeoTIFF. */
const rampsOfUnits: readonly (readonly [RegExp, keyof typeof ramps])[] = [
  [/^(?:m|meters?|metres?|cm|mm|ft|feet|foot|inch|in)$/i, 'blues'],
  [
    /^(?:°\s?[cfk]|deg(?:ree)?s?[ _*]?(?:c|f|k|celsius|fahrenheit|kelvin)|celsius|fahrenheit|kelvin|k)$/i,
    'temperature',
  ],
  [/^(?:[mµuk]?g|mol|mmol|kilogram|gram)\s?(?:\/|per )\s?(?:l|m\^?3|kg|g|cm\^?3)$/i, 'concentration'],
  [/^(?:psu|ppm|ppb|ppt)$/i, 'concentration'],
];

/** Colours of depths and levels, temperatures and concentrations by their unit; else viridis. */
export const coloursOfUnit = (unit: string | undefined): readonly string[] =>
  ramps[rampsOfUnits.find(([pattern]) => pattern.test(unit?.trim() ?? ''))?.[1] ?? 'viridis'];

/** `#RRGGBB` or `#RRGGBBAA`. Undefined for any other text. */
export function parseColour(text: string): Rgba | undefined {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i.exec(text);
  if (found === null) return undefined;
  const [red, green, blue, alpha] = found.slice(1).map((digits) => Number.parseInt(digits ?? 'ff', 16));
  return [red!, green!, blue!, alpha!];
}

/** The colour at a place from 0 to 1. */
export function colourAt({ colours }: Ramp, place: number): Rgba {
  const at = Math.min(1, Math.max(0, place)) * (colours.length - 1);
  const lower = Math.min(colours.length - 2, Math.floor(at));
  const [a, b] = [colours[lower]!, colours[lower + 1]!];
  const mixed = (k: 0 | 1 | 2 | 3) => Math.round(a[k] + (b[k] - a[k]) * (at - lower));
  return [mixed(0), mixed(1), mixed(2), mixed(3)];
}

/** The colours of all steps. */
export const rampTable = (ramp: Ramp): readonly Rgba[] =>
  Array.from({ length: RAMP_STEPS }, (_, n) => colourAt(ramp, n / (RAMP_STEPS - 1)));
