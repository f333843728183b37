import { randomUUID } from 'node:crypto';
import { nameTwice, SERIES_FORMAT } from 'hydrofiles/series';
import { idleDataset, visibleDataset } from '../datasets/access.ts';
import { insertDataset, type VisibleDataset } from '../datasets/queries.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { conflict, invalid, invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { requireCapability } from '../projects/access.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { Item, SeriesProperty } from './definitions.ts';

import { findSchema, insertSchema, listSeries, raiseGeneration, updateDataset, updateSchema } from './queries.ts';

export interface SeriesDataset {
  id: string;
  /** Definitions of the series, without repetitions. */
  items: Item[];
  timeSeriesProperties: readonly SeriesProperty[];
  metadata: Record<string, unknown>;
}

export interface NewSeriesDataset {
  projectId: string;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  properties?: Record<string, unknown> | undefined;
  schema: readonly SeriesProperty[];
}

export async function createSeriesDataset(
  db: Database,
  caller: Caller,
  newDataset: NewSeriesDataset,
): Promise<SeriesDataset> {
  const { schema, metadata = {}, ...rest } = newDataset;
  refuseTwice(schema, 'timeSeriesSchema.properties');
  return db.transaction(async (tx) => {
    await lockProjectTrees(tx, newDataset.projectId);
    const project = await visibleProject(tx, caller, newDataset.projectId);
    requireCapability(project, 'canCreateContent');
    const row = {
      datasetType: 'timeseries',
      datasetFormat: SERIES_FORMAT,
      storageSize: 0,
      userId: caller.userId,
    } as const;
    const { id } = await insertDataset(tx, { ...rest, metadata, ...row, id: randomUUID(), projectId: project.id });
    await insertSchema(tx, id, schema);
    return { id, items: [], timeSeriesProperties: schema, metadata };
  });
}

export async function getSeriesDataset(db: Reads, caller: Caller, id: string): Promise<SeriesDataset> {
  const { schema, metadata } = await visibleSchema(db, caller, id);
  return { id, items: distinctItems(await listSeries(db, id)), timeSeriesProperties: schema, metadata };
}

/** Each item once, in the order of the series. */
function distinctItems(series: readonly { item: Item }[]): Item[] {
  const items = new Map(series.map(({ item }) => [JSON.stringify(item), item]));
  return [...items.values()];
}

/** The properties that series of a dataset may have. Throws `invalid` for a dataset of another type. */
export async function visibleSchema(db: Reads, caller: Caller, id: string) {
  // together: what is not visible is refused first
  const [dataset, found] = await Promise.all([visibleDataset(db, caller, id), findSchema(db, id)]);
  if (!found) throw noSeries(dataset);
  return { ...found, dataset };
}

const noSeries = ({ id, datasetFormat }: VisibleDataset) =>
  invalid(
    `Dataset '${id}' has the format '${datasetFormat}', so it holds no time series. Send the id of one with 'ts'.`,
  );

/** Runs a write of time series in one transaction, in which no other writer has the dataset. */
export async function writeSeries<T>(
  db: Database,
  caller: Caller,
  id: string,
  write: (tx: Transaction, schema: readonly SeriesProperty[]) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const dataset = await idleDataset(tx, caller, { id }, 'canUpdateContent');
    const found = await findSchema(tx, dataset.id);
    if (!found) throw noSeries(dataset);
    const result = await write(tx, found.schema);
    await updateDataset(tx, dataset.id, caller.userId);
    await raiseGeneration(tx, dataset.id);
    return result;
  });
}

/** Adds properties; a known one may come again with the same type. */
export async function addProperties(
  db: Database,
  caller: Caller,
  id: string,
  added: readonly SeriesProperty[],
): Promise<void> {
  refuseTwice(added, 'properties');
  await writeSeries(db, caller, id, async (tx, schema) => {
    for (const { name, dataType } of added) {
      const known = schema.find((one) => one.name === name);
      if (known && known.dataType !== dataType)
        throw conflict(
          `Property '${name}' has the type ${known.dataType}, not ${dataType}. The type of a property cannot change.`,
        );
    }
    const more = added.filter(({ name }) => !schema.some((one) => one.name === name));
    await updateSchema(tx, id, [...schema, ...more]);
  });
}

function refuseTwice(definitions: readonly SeriesProperty[], path: string) {
  const twice = nameTwice(definitions);
  if (twice !== undefined) throw invalidMember(path, `${path} contains two properties with the name '${twice}'.`);
}
