import type { Feature, Field, Geometry } from '../../data/feature-collection.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putShortest } from '../io/number-text.ts';
import type { GeometryWriter } from './geometry-writer.ts';

/** Names of the fields as JSON text before their values. */
export const keysOf = (fields: readonly Field[]): Buffer[] =>
  fields.map(({ name }, n) => Buffer.from(`${n === 0 ? '' : ','}${JSON.stringify(name)}:`));

const start = Buffer.from('{"type":"Feature",');
const properties = Buffer.from('"properties":{');
const geometryKey = Buffer.from('},"geometry":');

/** Writes a feature. `fields`, `keys` and its values have the same order. */
export function putFeature(
  out: BufferedWriter,
  feature: Feature,
  fields: readonly Field[],
  keys: readonly Buffer[],
  text: GeometryWriter,
): void {
  out.raw(start);
  if (feature.id !== undefined) out.text(`"id":${JSON.stringify(feature.id)},`);
  out.raw(properties);
  for (let n = 0; n < keys.length; n++) {
    out.raw(keys[n]!);
    putValue(out, feature.values[n], fields[n]!);
  }
  out.raw(geometryKey);
  if (feature.geometry === undefined) out.text('null');
  else text.put(feature.geometry);
  out.text('}');
}

const nullText = Buffer.from('null');
/** A guess, for fields that do not say how many decimals they have. */
const usualDecimals = 3;

function putValue(out: BufferedWriter, value: unknown, field: Field): void {
  if (typeof value === 'number' && Number.isFinite(value)) {
    out.reserve(longestNumber);
    const start = out.at;
    out.at = putShortest(out.bytes, start, value, field.decimals || usualDecimals);
    // Write 1.0 instead of 1, so that readers that infer types take the field for a real one.
    if (field.type === 'real' && Number.isInteger(value) && !out.bytes.subarray(start, out.at).includes(101))
      out.text('.0');
  } else if (typeof value === 'string' && field.type !== 'json') out.string(value);
  else if (value === null || value === undefined || typeof value === 'number') out.raw(nullText);
  else if (typeof value === 'string') putJson(out, value);
  else out.text(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Writes JSON as it is; text that is no JSON, which other programs may have stored, as a string. */
function putJson(out: BufferedWriter, text: string): void {
  try {
    JSON.parse(text);
  } catch {
    out.string(text);
    return;
  }
  out.text(text);
}

/** The first coordinate that is not finite, if any. */
export function unwritable({ coordinates, members }: Geometry, stride: number): number | undefined {
  for (let i = 0; i < coordinates.length; i += stride) {
    if (!Number.isFinite(coordinates[i]!)) return coordinates[i];
    if (!Number.isFinite(coordinates[i + 1]!)) return coordinates[i + 1];
  }
  for (const member of members ?? []) {
    const wrong = unwritable(member, stride);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
