import type { Band } from '../../data/grid.ts';
import { escaped, withoutEntities } from '../io/xml-text.ts';

/** Properties of a band in the tag GDAL_METADATA, a list of items in XML. */
export type BandMetadata = Pick<Band, 'name' | 'unit' | 'scale' | 'offset'>;

export interface GdalMetadata {
  /** By band number, from 0. */
  bands: ReadonlyMap<number, BandMetadata>;
  /** Names of items that we do not support. */
  others: readonly string[];
}

const roles: Readonly<Record<string, keyof BandMetadata>> = {
  description: 'name',
  unittype: 'unit',
  scale: 'scale',
  offset: 'offset',
};
/** Domains of items about the structure of the file. */
const structure = new Set(['IMAGE_STRUCTURE', 'DERIVED_SUBDATASETS']);
/** Maximum length of the attributes of an item, which bounds the time to parse them. */
const maxAttributes = 1000;

export function parseGdalMetadata(xml: string): GdalMetadata {
  const bands = new Map<number, Record<string, string | number>>();
  const others = new Set<string>();
  for (const [, given = '', text = ''] of xml.matchAll(/<Item\s([^<>]*)>([^<]*)<\/Item>/g)) {
    const attributes = new Map(
      [...given.slice(0, maxAttributes).matchAll(/\b(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const band = Number(attributes.get('sample'));
    const member = roles[attributes.get('role') ?? ''];
    const name = attributes.get('name') ?? '';
    const domain = attributes.get('domain') ?? '';
    if (member !== undefined && attributes.has('sample') && Number.isInteger(band) && band >= 0) {
      const value = member === 'name' || member === 'unit' ? withoutEntities(withoutEntities(text)) : Number(text);
      if (value !== '' && !Number.isNaN(value)) bands.set(band, { ...bands.get(band), [member]: value });
    } else if (!/^(STATISTICS_|LAYER_TYPE$|COLORINTERP$)/.test(name) && !structure.has(domain) && name !== '')
      others.add(withoutEntities(name));
  }
  return { bands: bands as Map<number, BandMetadata>, others: [...others] };
}

/** The content of the tag: UTF-8 as a binary (latin1) string; empty without metadata. Escapes twice, as GDAL does. */
export function formatGdalMetadata(bands: readonly Band[]): string {
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
