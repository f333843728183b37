import type { Band } from '../../data/grid.ts';
import { isFloat, sampleArrays } from '../../data/samples.ts';
import type { Context } from '../define.ts';
import { parseNumber } from '../io/number-word.ts';
import { type Directory, tag } from './directory.ts';
import { parseGdalMetadata } from './gdal-metadata.ts';
import type { Layout } from './layout.ts';

/** Reads each band from the tags: sample type, nodata value, name, unit, scale, and its role in a colour image. */
export async function readBands(directory: Directory, layout: Layout, context: Context): Promise<Band[]> {
  const { type, samples, integer64 } = layout;
  const nodata = readNodata(await directory.text(tag.gdalNodata), layout, context);
  const { bands: metadata } = parseGdalMetadata(await directory.text(tag.gdalMetadata, 'utf8'));
  const roles = await readRoles(directory, layout, context);
  const shared = { type, ...nodata, ...(integer64 === undefined ? {} : { integer64 }) };
  return Array.from({ length: samples }, (_, n) => ({ ...shared, ...metadata.get(n), ...roles[n] }));
}

/** The value of the tag GDAL_NODATA as a number of the sample type. */
function readNodata(
  given: string,
  { type, integer64 }: Layout,
  { reportLoss }: Context,
): Pick<Band, 'nodata' | 'exactNodata'> {
  const text = given.trim();
  if (text === '') return {};
  const ignored = () => {
    reportLoss(`The nodata value '${text.slice(0, 40)}' of the image was ignored, because no sample can have it.`);
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
  // The largest double, written with 15 digits, would round up to Infinity.
  const finite = type === 'Float64' && /^-?1\.79769313486232/.test(text) ? Math.sign(value) * Number.MAX_VALUE : value;
  const held = new sampleArrays[type](1).fill(finite)[0]!;
  return isFloat(type) || held === value ? { nodata: held } : ignored();
}

function exactInteger(text: string): bigint | undefined {
  if (/^[+-]?\d{1,20}$/.test(text)) return BigInt(text.replace('+', ''));
  const value = parseNumber(text);
  return Number.isInteger(value) ? BigInt(value!) : undefined;
}

/** Values of ExtraSamples for alpha: associated (premultiplied) and unassociated. */
const alphas = [1, 2];

/** Photometric interpretations that data do not keep. */
const meanings: Readonly<Record<number, string>> = {
  0: 'white is 0',
  5: 'CMYK',
  8: 'CIE L*a*b*',
  9: 'ICC L*a*b*',
  10: 'ITU L*a*b*',
};

async function readRoles(
  directory: Directory,
  { samples, type }: Layout,
  { reportLoss }: Context,
): Promise<Partial<Band>[]> {
  const photometric = await directory.number(tag.photometric, 1);
  const extra = await directory.numbers(tag.extraSamples, Math.min(directory.count(tag.extraSamples), samples));
  const roles: Partial<Band>[] = Array.from({ length: samples }, () => ({}));
  // JPEG decodes YCbCr to red, green and blue.
  if ((photometric === 2 || photometric === 6) && samples >= 3)
    for (const [n, role] of (['red', 'green', 'blue'] as const).entries()) roles[n] = { role };
  if (photometric === 3 && directory.has(tag.colorMap) && (type === 'UInt8' || type === 'UInt16'))
    roles[0] = { role: 'palette', palette: [...(await directory.numbers(tag.colorMap))] };
  const meaning = meanings[photometric];
  if (meaning !== undefined) reportLoss(`The photometric interpretation of the image (${meaning}) was left out.`);
  extra.forEach((kind, n) => {
    if (alphas.includes(kind)) roles[samples - extra.length + n] = { role: 'alpha' };
  });
  return roles;
}
