import { z } from 'zod';
import type { Crs } from '../../data/crs-reference.ts';
import type { Feature, FeatureCollection, Field, Geometry } from '../../data/feature-collection.ts';
import { strideOf } from '../../data/feature-statistics.ts';
import { FormatError } from '../../errors.ts';
import { describeCrs, kindOf, sameCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { defineWriter } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putShortest } from '../io/number-text.ts';
import { GeometryText } from './geometry-writer.ts';

export const geoJsonWriter = defineWriter({
  name: 'GeoJsonWriter',
  description:
    'Features as GeoJSON (RFC 7946). Coordinates of another system than WGS 84 are kept as they are, with a crs member.',
  format: 'geojson',
  accepts: ['features'],
  extension: '.geojson',
  mediaType: 'application/geo+json',
  appends: { declared: false },
  parameters: z.object({}),
  async write(data, _parameters, sink, context) {
    const { member, degrees } = await crsMember(data.crs, context);
    if (data.hasM) context.lost('GeoJSON has no place for measures (M); they were dropped.');
    const out = new BufferedWriter(sink);
    const geometryText = new GeometryText(out, strideOf(data), data.hasZ, degrees);
    const keys = data.fields.map(({ name }, n) => Buffer.from(`${n === 0 ? '' : ','}${JSON.stringify(name)}:`));
    const name = data.name === undefined ? '' : `"name":${JSON.stringify(data.name)},\n`;
    out.text(`{"type":"FeatureCollection",\n${name}${member}"features":[\n`);
    let number = 0;
    let first = true;
    for await (const chunk of data.chunks()) {
      for (const feature of chunk) {
        number++;
        const wrong = feature.geometry === undefined ? undefined : unwritable(feature.geometry, strideOf(data));
        if (wrong !== undefined) {
          const reason = new FormatError(`Feature ${number} has the coordinate ${wrong}, which GeoJSON cannot hold.`);
          context.badRecord({ number, reason });
          continue;
        }
        if (!first) out.text(',\n');
        first = false;
        putFeature(out, feature, data.fields, keys, geometryText);
      }
      await out.drain();
    }
    out.text(first ? ']}\n' : '\n]}\n');
    await out.end();
  },
});

const start = Buffer.from('{"type":"Feature",');
const properties = Buffer.from('"properties":{');
const geometryKey = Buffer.from('},"geometry":');

function putFeature(
  out: BufferedWriter,
  feature: Feature,
  fields: FeatureCollection['fields'],
  keys: Buffer[],
  text: GeometryText,
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

const nothing = Buffer.from('null');

function putValue(out: BufferedWriter, value: unknown, field: Field): void {
  if (typeof value === 'number' && Number.isFinite(value)) {
    out.reserve(longestNumber);
    const start = out.at;
    out.at = putShortest(out.bytes, start, value, field.decimals ?? 0);
    // A reader that goes by the text shall take it for a real number, as the field is one.
    if (field.type === 'real' && Number.isInteger(value) && !out.bytes.subarray(start, out.at).includes(101))
      out.text('.0');
  } else if (typeof value === 'string' && field.type !== 'json') out.string(value);
  else if (value === null || value === undefined || typeof value === 'number') out.raw(nothing);
  else out.text(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** A coordinate that is not finite. */
function unwritable({ coordinates, members }: Geometry, stride: number): number | undefined {
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

async function crsMember(crs: Crs | undefined, { lost }: Context): Promise<{ member: string; degrees: boolean }> {
  if (crs === undefined) {
    lost('The coordinate system is not known; programs will take the coordinates of the GeoJSON for WGS 84.');
    return { member: '', degrees: false };
  }
  if (sridOf(crs) === 'EPSG:4979' || (await sameCrs(crs, wgs84))) return { member: '', degrees: true };
  const degrees = crs.code === undefined ? (await describeCrs(crs)).geographic : kindOf(crs).startsWith('geographic');
  if (crs.code === undefined) {
    lost(
      'The coordinates keep their coordinate system, which has no number that a crs member could name; programs will take them for WGS 84.',
    );
    return { member: '', degrees };
  }
  const name = `urn:ogc:def:crs:${crs.authority ?? 'EPSG'}::${crs.code}`;
  lost(
    `The coordinates keep their system ${sridOf(crs)}, named by a crs member; RFC 7946 knows WGS 84 only, and some programs will not look at it.`,
  );
  return { member: `"crs":{"type":"name","properties":{"name":"${name}"}},\n`, degrees };
}
