/** What data have beside plain values, and a conversion must keep, name in its receipt, or refuse. */
export const PROPERTIES = [
  'crs',
  'rotation',
  'timeZone',
  'calendar',
  'unit',
  'nodata',
  'precision',
  'order',
  'names',
  'dimensions',
  'null',
  'mixedGeometry',
  'quantity',
  'kindOfValue',
  'ids',
  'layers',
  'measures',
] as const;
export type Property = (typeof PROPERTIES)[number];

/** From the best to the worst. */
export const RESULTS = ['kept', 'named', 'refused', 'silent'] as const;
export type Result = (typeof RESULTS)[number];

/** What became of a property of a reader's data behind a writer. */
export interface Row {
  reader: string;
  writer: string;
  property: Property;
  result: Result;
  /** Of the receipt or the error. */
  sentence?: string;
}

/** Words of which a sentence about the property has one. */
const WORDS: Readonly<Record<Property, RegExp>> = {
  crs: /coordinate system|WGS 84/,
  rotation: /rotat|resampled/i,
  timeZone: /\bUTC\b|\bzones?\b/,
  calendar: /\btimes?\b|\bsteps?\b|calendar|\bdates?\b/i,
  unit: /\bunits?\b/i,
  nodata: /no ?data\b|delete value|without (a value|values|data)|interpolat|resampled/i,
  precision: /rounded|precision|digits|interpolat|resampled|\bmeans? of|large integers/i,
  order: /\border\b|sorted|interpolat|resampled/i,
  names: /\bnames?\b|called/i,
  dimensions: /\bheights?\b|\(Z\)|\bz\b|positions?\b|bathymetry/i,
  null: /\bnull\b|empty|without (a value|values|data|a geometry|a place)|no (value|geometry|data)/i,
  mixedGeometry: /geometr|polygons?\b|\blines\b|\bpoints?\b/i,
  quantity: /quantit/i,
  kindOfValue: /kinds? of value|instantaneous|accumulated/i,
  ids: /\bids?\b|\bnumbers of (nodes|elements)|\bkeys?\b/i,
  layers: /\blayers?\b/i,
  measures: /\(M\)|measures/i,
};

/** The first of a receipt's sentences that names the property, whatever names of fields it quotes. */
export const sentenceOn = (property: Property, sentences: readonly string[]): string | undefined =>
  sentences.find((one) => WORDS[property].test(one.replaceAll(/'[^']*'/g, '')));
