import { randomUUID } from 'node:crypto';
import type { Database, Reads } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { visibleSchema, writeSeries } from './dataset.ts';
import type { NewSeries, Series } from './definitions.ts';
import { checkValue } from './property-values.ts';
import { deleteSeries, findSeries, insertSeries, listSeries, type SeriesRow, updateProperties } from './queries.ts';

/** Address of a series. */
export interface SeriesAddress {
  id: string;
  tsId: string;
}

export const toSeries = ({ id, item, properties, dataFields }: SeriesRow): Series => ({
  id,
  item,
  properties,
  dataFields,
});

export async function addSeries(
  db: Database,
  caller: Caller,
  datasetId: string,
  newSeries: NewSeries,
): Promise<Series> {
  return writeSeries(db, caller, datasetId, async (tx, schema) => {
    const { id = randomUUID(), item, properties = {}, dataFields = [] } = newSeries;
    for (const [name, value] of Object.entries(properties)) checkValue(schema, name, value, 'properties');
    const series = { id, item, properties, dataFields };
    const made = await insertSeries(tx, datasetId, series);
    if (made === null)
      throw conflict(`The dataset already has a time series '${id}'. Use another id, or leave it out.`);
    return series;
  });
}

export async function allSeries(db: Reads, caller: Caller, datasetId: string): Promise<Series[]> {
  await visibleSchema(db, caller, datasetId);
  return (await listSeries(db, datasetId)).map(toSeries);
}

/** The series, or `notFound`; first the dataset. */
export async function visibleSeries(db: Reads, caller: Caller, { id, tsId }: SeriesAddress): Promise<SeriesRow> {
  const [found] = await Promise.all([findSeries(db, id, tsId), visibleSchema(db, caller, id)]);
  return found ?? lackingSeries(tsId);
}

export async function knownSeries(db: Reads, { id, tsId }: SeriesAddress): Promise<SeriesRow> {
  return (await findSeries(db, id, tsId)) ?? lackingSeries(tsId);
}

function lackingSeries(id: string): never {
  throw notFound('Time series', id);
}

export const removeSeries = (db: Database, caller: Caller, address: SeriesAddress): Promise<void> =>
  writeSeries(db, caller, address.id, async (tx) => {
    await deleteSeries(tx, (await knownSeries(tx, address)).key);
  });

/** Replaces all properties. */
export const replaceProperties = (
  db: Database,
  caller: Caller,
  address: SeriesAddress,
  properties: Record<string, unknown>,
): Promise<void> =>
  writeSeries(db, caller, address.id, async (tx, schema) => {
    for (const [name, value] of Object.entries(properties)) checkValue(schema, name, value, 'properties');
    await updateProperties(tx, (await knownSeries(tx, address)).key, properties);
  });

/** Sets one property. */
export const setProperty = (
  db: Database,
  caller: Caller,
  address: SeriesAddress,
  { property, value }: { property: string; value: unknown },
): Promise<void> =>
  writeSeries(db, caller, address.id, async (tx, schema) => {
    checkValue(schema, property, value, 'value');
    const { key, properties } = await knownSeries(tx, address);
    await updateProperties(tx, key, { ...properties, [property]: value });
  });
