import type { SeriesDefinition } from 'hydrofiles/series';
import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';
import type { DataField, Item, SeriesProperty } from './definitions.ts';

const json = (value: unknown) => sql.jsonb(value as never);
const Definition = <Type>() => z.custom<Type>(() => true);

const SeriesRow = z.object({
  key: z.number(),
  id: z.string(),
  item: Definition<Item>(),
  properties: z.record(z.string(), z.unknown()),
  dataFields: z.array(Definition<DataField>()),
});
export type SeriesRow = z.infer<typeof SeriesRow>;
const seriesColumns = sql.fragment`s.key, s.id, s.item, s.properties, s.data_fields`;

const DatasetRow = z.object({
  metadata: z.record(z.string(), z.unknown()),
  schema: z.array(Definition<SeriesProperty>()),
});

/** Undefined for a dataset without time series. */
export const findSchema = (db: Reads, datasetId: string) =>
  db.maybeOne(sql.prepared('schema of series', DatasetRow)`
    select d.metadata, t.schema from ts_datasets t join datasets d on d.id = t.dataset_id where t.dataset_id = ${datasetId}`);

export const insertSchema = (tx: Transaction, datasetId: string, schema: readonly SeriesProperty[]) =>
  tx.query(sql.unsafe`insert into ts_datasets (dataset_id, schema) values (${datasetId}, ${json(schema)})`);

export const updateSchema = (tx: Transaction, datasetId: string, schema: readonly SeriesProperty[]) =>
  tx.query(sql.unsafe`update ts_datasets set schema = ${json(schema)} where dataset_id = ${datasetId}`);

/** All series of a dataset, the oldest first. */
export const listSeries = (db: Reads, datasetId: string) =>
  db.any(sql.type(SeriesRow)`
    select ${seriesColumns} from ts_series s where s.dataset_id = ${datasetId} order by s.key`);

export const findSeries = (db: Reads, datasetId: string, id: string) =>
  db.maybeOne(sql.prepared('time series', SeriesRow)`
    select ${seriesColumns} from ts_series s where s.dataset_id = ${datasetId} and s.id = ${id}`);

/** The series with these ids; unknown ids are left out. */
export const listSeriesById = (db: Reads, datasetId: string, ids: readonly string[]) =>
  db.any(sql.type(SeriesRow)`
    select ${seriesColumns} from ts_series s where s.dataset_id = ${datasetId} and s.id = any(${sql.array([...ids], 'text')})`);

/** Null if the id is taken. */
export const insertSeries = (tx: Transaction, datasetId: string, series: SeriesDefinition & { id: string }) =>
  tx.maybeOneFirst(sql.write(z.object({ key: z.number() }))`
    insert into ts_series (dataset_id, id, item, properties, data_fields)
    values (${datasetId}, ${series.id}, ${json(series.item)}, ${json(series.properties)}, ${json(series.dataFields)})
    on conflict (dataset_id, id) do nothing returning key`);

export const updateProperties = (tx: Transaction, key: number, properties: Record<string, unknown>) =>
  tx.query(sql.unsafe`update ts_series set properties = ${json(properties)} where key = ${key}`);

export const deleteSeries = (tx: Transaction, key: number) =>
  tx.query(sql.unsafe`delete from ts_series where key = ${key}`);

export const deleteAllSeries = (tx: Transaction, datasetId: string) =>
  tx.query(sql.unsafe`delete from ts_series where dataset_id = ${datasetId}`);

/** Leaves the check that the dataset of new series exists to the end of the transaction. */
export const deferDatasetCheck = (tx: Transaction) =>
  tx.query(sql.unsafe`set constraints ts_datasets_dataset_id_fkey deferred`);

/** Invalidates all cached answers of the dataset. Last in its transaction, because other writers wait for the row. */
export const raiseGeneration = (tx: Transaction, datasetId: string) =>
  tx.query(sql.unsafe`
    insert into cache_generations as c (resource, generation) values (${`timeseries:${datasetId}`}, 1)
    on conflict (resource) do update set generation = c.generation + 1`);

/** Size and period of the dataset, from those of its series. */
export const updateDataset = (tx: Transaction, datasetId: string, userId: string) =>
  tx.query(sql.unsafe`
    update datasets d set storage_size = s.bytes, row_version = row_version + 1, updated_at = now(), updated_by = ${userId},
      temporal_information = ${period}
    from (${extentOf(datasetId)}) s where d.id = ${datasetId}`);

/**
 * The same for a dataset that a transfer has just written: the rest of its row is up to date.
 * @param grown the period is not that of the transfer's result
 */
export const updateSize = (tx: Transaction, datasetId: string, grown: boolean) =>
  tx.query(sql.unsafe`
    update datasets d set storage_size = s.bytes,
      temporal_information = case when ${grown} or d.temporal_information is null then ${period} else d.temporal_information end
    from (${extentOf(datasetId)}) s where d.id = ${datasetId}`);

const extentOf = (datasetId: string) => sql.fragment`
  select coalesce(sum(bytes), 0)::bigint as bytes, min(first) as first, max(last) as last
  from ts_series where dataset_id = ${datasetId}`;

const wireTime = (micros: Fragment): Fragment => sql.fragment`
  to_char(timestamp '1970-01-01' + (${micros} / 86400000000) * interval '1 day' + (${micros} % 86400000000) * interval '1 microsecond',
    'YYYY-MM-DD"T"HH24:MI:SS.US"0"')`;
const period = sql.fragment`case when s.first is not null then
  jsonb_build_object('startTime', ${wireTime(sql.fragment`s.first`)}, 'endTime', ${wireTime(sql.fragment`s.last`)}) end`;
