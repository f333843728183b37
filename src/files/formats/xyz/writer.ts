import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Context, Write } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putShortest } from '../io/number-text.ts';
import type { writeParameters } from './parameters.ts';

/** First guess at the number of decimals, right for most coordinates. */
const usualDecimals = 3;
const [blank, lineFeed] = [32, 10];

export const write: Write<typeof writeParameters, 'features'> = async (data, _parameters, sink, context) => {
  if (!data.hasZ) throw new ConversionError('The points have no height (z). An XYZ file needs one for each point.');
  const columns = numberColumns(data, context);
  if (data.crs !== undefined)
    context.reportLoss(`An XYZ file does not store its coordinate system, which is ${crsName(data.crs)}.`, 'crs');
  if (data.hasM) context.reportLoss('An XYZ file cannot store measures (M); they were dropped.', 'measures');
  const out = new BufferedWriter(sink);
  if (columns.length > 0) out.text(`${['x', 'y', 'z', ...columns.map(({ name }) => name)].join(' ')}\n`);
  const stride = strideOf(data);
  let number = 0;
  for await (const chunk of data.chunks()) {
    for (const feature of chunk) {
      number++;
      const reason = unwritable(feature, number, stride);
      if (reason !== undefined) context.reportBadRecord({ number, reason });
      else putPoints(out, feature, stride, columns);
    }
    await out.drain();
  }
  await out.end();
};

interface NumberColumn {
  readonly name: string;
  readonly index: number;
}

/** The fields of numbers, with names that are one word each. */
function numberColumns({ fields }: FeatureCollection, { reportLoss }: Context): NumberColumn[] {
  const isNumber = (type: string) => type === 'integer' || type === 'real' || type === 'integer64';
  const texts = fields.filter(({ type }) => !isNumber(type)).map(({ name }) => `'${name}'`);
  if (texts.length > 0) reportLoss(`An XYZ file holds numbers only; the fields ${texts.join(', ')} were left out.`);
  return fields.flatMap(({ name, type }, index) =>
    isNumber(type) ? [{ name: name.replace(/[\s,;"]+/g, '_'), index }] : [],
  );
}

function unwritable({ geometry }: Feature, number: number, stride: number): FormatError | undefined {
  if (geometry === undefined || (geometry.type !== 'Point' && geometry.type !== 'MultiPoint'))
    return new FormatError(`Feature ${number} is a ${geometry?.type ?? 'row without geometry'}, not a point.`);
  const { coordinates } = geometry;
  for (let i = 0; i < coordinates.length; i += stride)
    for (const value of [coordinates[i]!, coordinates[i + 1]!])
      if (!Number.isFinite(value)) return new FormatError(`Feature ${number} has the coordinate ${value}.`);
  return undefined;
}

/** One line per point; all points of a feature have its values. */
function putPoints(out: BufferedWriter, feature: Feature, stride: number, columns: readonly NumberColumn[]): void {
  const { coordinates } = feature.geometry!;
  for (let i = 0; i < coordinates.length; i += stride) {
    out.reserve((3 + columns.length) * (longestNumber + 1));
    for (let axis = 0; axis < 3; axis++) put(out, coordinates[i + axis]!, axis === 0);
    for (const { index } of columns) put(out, Number(feature.values[index] ?? Number.NaN), false);
    out.bytes[out.at++] = lineFeed;
  }
}

/** The caller must reserve room for the text. */
function put(out: BufferedWriter, value: number, first: boolean): void {
  if (!first) out.bytes[out.at++] = blank;
  if (Number.isFinite(value)) out.at = putShortest(out.bytes, out.at, value, usualDecimals);
  else out.utf8(String(value).toLowerCase());
}
