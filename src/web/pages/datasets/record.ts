import type { ChangedDataset, Dataset } from '../../client/api.ts';

/** The members of a record that people change, as the texts of fields. */
export const FIELDS = [
  'name',
  'description',
  'tags',
  'startTime',
  'endTime',
  'srid',
  'location',
  'metadata',
  'properties',
] as const;
export type FieldName = (typeof FIELDS)[number];
export type RecordTexts = Readonly<Record<FieldName, string>>;

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const json = (value: Record<string, unknown>) =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);

export function toTexts({ temporalInformation, spatialInformation, ...dataset }: Dataset): RecordTexts {
  return {
    name: dataset.name,
    description: dataset.description ?? '',
    tags: dataset.tags.join(', '),
    startTime: text(temporalInformation?.startTime),
    endTime: text(temporalInformation?.endTime),
    srid: text(spatialInformation?.srid),
    location: text(spatialInformation?.location),
    metadata: json(dataset.metadata),
    properties: json(dataset.properties),
  };
}

/** The body that changes a record to these texts; members without a field stay as they are. */
export function toBody(dataset: Dataset, texts: RecordTexts): ChangedDataset {
  const { startTime, endTime, srid, location } = texts;
  const time = withTexts(dataset.temporalInformation, { startTime, endTime });
  const place = withTexts(dataset.spatialInformation, { location, srid: srid === '' ? '' : Number(srid) });
  return {
    id: dataset.id,
    rowVersion: dataset.rowVersion,
    name: texts.name.trim(),
    ...(texts.description.trim() && { description: texts.description.trim() }),
    tags: texts.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    metadata: parseObject(texts.metadata) ?? {},
    properties: parseObject(texts.properties) ?? {},
    ...(time && { temporalInformation: time }),
    ...(place && { spatialInformation: place }),
  };
}

function withTexts(before: Record<string, unknown> | undefined, values: Record<string, string | number>) {
  const all = Object.entries({ ...before, ...values }).filter(([, value]) => value !== '');
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** A JSON object; undefined for other texts. Nothing is the object without members. */
export function parseObject(value: string): Record<string, unknown> | undefined {
  if (value.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
