import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSink } from '../../data/bytes.ts';
import { allFinite, strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { crsName } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { copyFile } from '../io/pieces.ts';
import type { WktWriter } from '../io/wkt-writer.ts';
import { comma, endRow, putByte, putNumber, putValue } from './put-cell.ts';
import { type Plan, RowFile } from './row-file.ts';

/** Names by which `CsvReader` finds coordinates: fields of such names would be taken for them. */
const placeNames =
  /^(?:x|y|z|lon|long|longitude|lat|latitude|easting|northing|east|north|rechtswert|hochwert|height|elevation|depth)$/i;

export async function writeFeatures(data: FeatureCollection, sink: ByteSink, context: Context): Promise<void> {
  if (data.crs !== undefined)
    context.reportLoss(`A CSV file does not store its coordinate system, which is ${crsName(data.crs)}.`, 'crs');
  if (data.fields.some(({ type }) => type !== 'string'))
    context.reportLoss('A CSV file does not store the types of fields; programs guess them.');
  const path = join(context.scratch, `${randomUUID()}.csv`);
  const first: Plan = {
    place: data.geometryTypes?.every((type) => type === 'Point') ? pointsPlace(data) : 'none',
    ids: false,
  };
  const rows = new RowFile(path, data, first);
  try {
    await writeRows(data, rows, context);
    // A sink may still be writing what it has accepted.
    await rows.close();
    await copyFile(path, sink, context.signal);
  } finally {
    await rows.close();
    await rm(path, { force: true });
  }
}

function pointsPlace({ fields, hasM }: FeatureCollection): Plan['place'] {
  const letters = new Set(fields.map(({ name }) => name.toLowerCase()));
  const isTaken = fields.some(({ name }) => placeNames.test(name)) || (letters.has('e') && letters.has('n'));
  return hasM || isTaken ? 'wkt' : 'points';
}

async function writeRows(data: FeatureCollection, rows: RowFile, context: Context): Promise<void> {
  const stride = strideOf(data);
  let number = 0;
  await rows.begin();
  for await (const chunk of data.chunks()) {
    context.signal.throwIfAborted();
    for (const feature of chunk) {
      number++;
      const { geometry } = feature;
      if (geometry !== undefined && !allFinite(geometry, stride)) {
        const reason = new FormatError(`Feature ${number} has a coordinate that is not finite.`);
        context.reportBadRecord({ number, reason });
        continue;
      }
      const wanted = extendPlan(data, rows.plan, feature);
      if (wanted !== undefined) await rows.change(wanted, context);
      putFeature(rows.out, data, rows.plan, { feature, wkt: rows.wkt });
    }
    await rows.out.drain();
  }
  await rows.out.end();
  if (rows.missing > 0)
    context.reportLoss(
      `${rows.missing} vertices had no height or measure, unlike others of their geometry: it became 0.`,
    );
}

/** A plan with the columns that the feature needs; undefined if the plan has them. */
function extendPlan(data: FeatureCollection, { place, ids }: Plan, { id, geometry }: Feature): Plan | undefined {
  const isPoint = geometry?.type === 'Point' && geometry.coordinates.length > 0;
  const needed =
    geometry === undefined || place === 'wkt'
      ? place
      : isPoint
        ? place === 'none'
          ? pointsPlace(data)
          : place
        : 'wkt';
  if (needed === place && (ids || id === undefined)) return undefined;
  return { place: needed, ids: ids || id !== undefined };
}

function putFeature(
  out: BufferedWriter,
  { fields, hasZ }: FeatureCollection,
  { place, ids }: Plan,
  { feature, wkt }: { feature: Feature; wkt: WktWriter },
): void {
  const { id, geometry, values } = feature;
  let isFirst = true;
  const next = () => {
    if (!isFirst) putByte(out, comma);
    isFirst = false;
  };
  if (ids) {
    next();
    putValue(out, id, 0);
  }
  for (let n = 0; n < fields.length; n++) {
    next();
    putValue(out, values[n], fields[n]!.decimals);
  }
  if (place === 'points')
    for (let axis = 0; axis < (hasZ ? 3 : 2); axis++) {
      next();
      if (geometry !== undefined) putNumber(out, geometry.coordinates[axis] ?? Number.NaN);
    }
  else if (place === 'wkt') {
    next();
    if (geometry !== undefined) {
      putByte(out, 34);
      wkt.put(geometry);
      putByte(out, 34);
    }
  }
  // A row of one empty cell would be a blank line, which readers skip.
  if (fields.length + (ids ? 1 : 0) + (place === 'none' ? 0 : 1) <= 1 && place !== 'points') {
    const only = ids ? id : fields.length === 1 ? values[0] : geometry;
    if (only === null || only === undefined || Object.is(only, Number.NaN)) out.text('""');
  }
  endRow(out);
}
