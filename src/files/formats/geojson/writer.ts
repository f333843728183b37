import type { Crs } from '../../data/crs-reference.ts';
import { strideOf } from '../../data/dimensions.ts';
import { FormatError } from '../../errors.ts';
import { crsName, describeCrs, kindOf, resolveCrs, sameCrs, sridOf, wgs84 } from '../../geo/crs/crs.ts';
import type { Context, Write } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { keysOf, putFeature, unwritable } from './feature-writer.ts';
import { degreeDecimals, GeometryWriter } from './geometry-writer.ts';
import type { writeParameters } from './parameters.ts';

export const write: Write<typeof writeParameters, 'features'> = async (data, _parameters, sink, context) => {
  const { member, degrees } = await crsMember(data.crs, context);
  if (data.hasM) context.reportLoss('GeoJSON cannot store measures (M); they were dropped.', 'measures');
  const out = new BufferedWriter(sink);
  const geometryWriter = new GeometryWriter(out, {
    stride: strideOf(data),
    hasZ: data.hasZ,
    precision: degrees ? degreeDecimals : 'fifteen',
  });
  const keys = keysOf(data.fields);
  const name = data.name === undefined ? '' : `"name":${JSON.stringify(data.name)},\n`;
  out.text(`{"type":"FeatureCollection",\n${name}${member}"features":[\n`);
  let number = 0;
  let first = true;
  for await (const chunk of data.chunks()) {
    for (const feature of chunk) {
      number++;
      const wrong = feature.geometry === undefined ? undefined : unwritable(feature.geometry, strideOf(data));
      if (wrong !== undefined) {
        const reason = new FormatError(`Feature ${number} has the coordinate ${wrong}. GeoJSON cannot store it.`);
        context.reportBadRecord({ number, reason });
        continue;
      }
      if (!first) out.text(',\n');
      first = false;
      putFeature(out, feature, data.fields, keys, geometryWriter);
    }
    await out.drain();
  }
  out.text(first ? ']}\n' : '\n]}\n');
  await out.end();
};

async function crsMember(crs: Crs | undefined, { reportLoss }: Context): Promise<{ member: string; degrees: boolean }> {
  if (crs === undefined) {
    reportLoss('The coordinate system is not known. Programs will read the coordinates as WGS 84.');
    return { member: '', degrees: false };
  }
  if (crs.code === undefined && (await resolveCrs(crs)) === undefined) {
    reportLoss(
      `The coordinate system '${crsName(crs)}' is not known. Coordinates were kept, but programs will read them as WGS 84.`,
      'crs',
    );
    return { member: '', degrees: false };
  }
  if (sridOf(crs) === 'EPSG:4979' || (await sameCrs(crs, wgs84))) return { member: '', degrees: true };
  const degrees = crs.code === undefined ? (await describeCrs(crs)).geographic : kindOf(crs).startsWith('geographic');
  if (crs.code === undefined) {
    reportLoss(
      'The coordinate system has no code for a crs member. Coordinates were kept, but programs will read them as WGS 84.',
      'crs',
    );
    return { member: '', degrees };
  }
  const name = `urn:ogc:def:crs:${crs.authority ?? 'EPSG'}::${crs.code}`;
  reportLoss(
    `The coordinates are in ${sridOf(crs)}, named by a crs member. RFC 7946 allows only WGS 84, and some programs ignore the member.`,
  );
  return { member: `"crs":{"type":"name","properties":{"name":"${name}"}},\n`, degrees };
}
