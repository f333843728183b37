import type { Band } from '../../data/grid.ts';

/** What GDAL's own tag (GDAL_METADATA, a list of items in XML) says of a band. */
export type BandNotes = Pick<Band, 'name' | 'unit' | 'scale' | 'offset'>;

export interface Notes {
  /** By number of the band, from 0. */
  bands: ReadonlyMap<number, BandNotes>;
  /** Names of items that are understood by nobody here. */
  others: readonly string[];
}

const roles: Readonly<Record<string, keyof BandNotes>> = {
  description: 'name',
  unittype: 'unit',
  scale: 'scale',
  offset: 'offset',
};
/** Domains of items that say how the file is built. */
const structure = new Set(['IMAGE_STRUCTURE', 'DERIVED_SUBDATASETS']);
/** Attributes of an item are short. */
const longestAttributes = 1000;

export function readNotes(xml: string): Notes {
  const bands = new Map<number, Record<string, string | number>>();
  const others = new Set<string>();
  for (const [, given = '', text = ''] of xml.matchAll(/<Item\s([^<>]*)>([^<]*)<\/Item>/g)) {
    const attributes = new Map(
      [...given.slice(0, longestAttributes).matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const band = Number(attributes.get('sample'));
    const member = roles[attributes.get('role') ?? ''];
    const name = attributes.get('name') ?? '';
    const domain = attributes.get('domain') ?? '';
    if (member !== undefined && attributes.has('sample') && Number.isInteger(band) && band >= 0) {
      const value = member === 'name' || member === 'unit' ? unescaped(unescaped(text)) : Number(text);
      if (value !== '' && !Number.isNaN(value)) bands.set(band, { ...bands.get(band), [member]: value });
    } else if (!/^(STATISTICS_|LAYER_TYPE$|COLORINTERP$)/.test(name) && !structure.has(domain) && name !== '')
      others.add(unescaped(name));
  }
  return { bands: bands as Map<number, BandNotes>, others: [...others] };
}

// GDAL escapes twice, and takes it back twice.

/** The tag's text, in UTF-8 as bytes of a string; empty when there is nothing to say. */
export function writeNotes(bands: readonly Band[]): string {
  const items = bands.flatMap((band, sample) =>
    Object.entries(roles).flatMap(([role, member]) => {
      const value = band[member];
      if (value === undefined || value === '') return [];
      const name = member === 'name' ? 'DESCRIPTION' : role.toUpperCase();
      return [`  <Item name="${name}" sample="${sample}" role="${role}">${escaped(escaped(String(value)))}</Item>\n`];
    }),
  );
  if (items.length === 0) return '';
  return Buffer.from(`<GDALMetadata>\n${items.join('')}</GDALMetadata>`, 'utf8').toString('latin1');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to say them.
  text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, ' ').replace(/[&<>"]/g, (one) => entities[one]!);

const unescaped = (text: string): string =>
  text
    .replace(/&#(\d{1,7});/g, (all, code) => (Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : all))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
