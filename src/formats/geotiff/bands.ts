import type { Band } from '../../data/grid.ts';
import { isFloat, sampleArrays } from '../../data/samples.ts';
import type { Context } from '../define.ts';
import { parseNumber } from '../io/number-word.ts';
import type { Directory } from './directory.ts';
import { tag } from './directory.ts';
import { readNotes } from './gdal-metadata.ts';
import type { Layout } from './layout.ts';

/** What the tags say of each band: its type, the value for "nothing here", name, unit, and what it is in a picture. */
export async function readBands(directory: Directory, layout: Layout, context: Context): Promise<Band[]> {
  const { type, samples, integer64 } = layout;
  const nodata = readNodata(await directory.text(tag.gdalNodata), layout, context);
  const { bands: notes } = readNotes(await directory.text(tag.gdalMetadata, 'utf8'));
  const roles = await rolesOf(directory, layout, context);
  const shared = { type, ...nodata, ...(integer64 === undefined ? {} : { integer64 }) };
  return Array.from({ length: samples }, (_, n) => ({ ...shared, ...notes.get(n), ...roles[n] }));
}

/** The value of GDAL's own tag, as a number of the samples' type. */
function readNodata(
  given: string,
  { type, integer64 }: Layout,
  { lost }: Context,
): Pick<Band, 'nodata' | 'exactNodata'> {
  const text = given.trim();
  if (text === '') return {};
  const ignored = () => {
    lost(
      `The image declares '${text.slice(0, 40)}' as its value for cells without data, which no sample can have; it is ignored.`,
    );
    return {};
  };
  if (integer64 !== undefined) {
    const exact = exactInteger(text);
    if (exact === undefined) return ignored();
    const held = integer64 === 'Int64' ? BigInt.asIntN(64, exact) : BigInt.asUintN(64, exact);
    return held === exact ? { nodata: Number(exact), exactNodata: exact } : ignored();
  }
  const value = parseNumber(text);
  if (value === undefined) return ignored();
  // The largest number, with fifteen digits, is rounded up beyond itself.
  const finite = type === 'Float64' && /^-?1\.79769313486232/.test(text) ? Math.sign(value) * Number.MAX_VALUE : value;
  const held = new sampleArrays[type](1).fill(finite)[0]!;
  return isFloat(type) || held === value ? { nodata: held } : ignored();
}

function exactInteger(text: string): bigint | undefined {
  if (/^[+-]?\d{1,20}$/.test(text)) return BigInt(text.replace('+', ''));
  const value = parseNumber(text);
  return Number.isInteger(value) ? BigInt(value!) : undefined;
}

/** Alpha in the list of extra samples: multiplied into the colours already, or not. */
const alphas = [1, 2];

/** What colours stand for, where nobody here carries it on. */
const meanings: Readonly<Record<number, string>> = {
  0: 'The lowest value of the image is white and the highest black',
  5: 'The bands are printing inks (cyan, magenta, yellow, black)',
  8: 'The bands are brightness and two hues (CIE L*a*b*)',
  9: 'The bands are brightness and two hues (ICC L*a*b*)',
  10: 'The bands are brightness and two hues (ITU L*a*b*)',
};

async function rolesOf(directory: Directory, { samples, type }: Layout, { lost }: Context): Promise<Partial<Band>[]> {
  const photometric = await directory.number(tag.photometric, 1);
  const extra = await directory.numbers(tag.extraSamples, Math.min(directory.count(tag.extraSamples), samples));
  const roles: Partial<Band>[] = Array.from({ length: samples }, () => ({}));
  // JPEG gives red, green and blue for colours that were stored as brightness and hue.
  if ((photometric === 2 || photometric === 6) && samples >= 3)
    for (const [n, role] of (['red', 'green', 'blue'] as const).entries()) roles[n] = { role };
  if (photometric === 3 && directory.has(tag.colorMap) && (type === 'UInt8' || type === 'UInt16'))
    roles[0] = { role: 'palette', palette: [...(await directory.numbers(tag.colorMap))] };
  const unsaid = meanings[photometric];
  if (unsaid !== undefined) lost(`${unsaid}, which is not said any more.`);
  extra.forEach((kind, n) => {
    if (alphas.includes(kind)) roles[samples - extra.length + n] = { role: 'alpha' };
  });
  return roles;
}
