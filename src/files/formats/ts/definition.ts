import type { Kind } from './rows.ts';

/** Types of values, as a series' item names them. */
export const VALUE_TYPES = ['Text', 'Date', 'Int16', 'Int32', 'Int64', 'Single', 'Double'] as const;
export const FIELD_TYPES = ['DateTime', 'Single', 'Double', 'Flag', 'Text'] as const;
export const PROPERTY_TYPES = ['DateTime', 'Long', 'Double', 'Boolean', 'Text'] as const;
/** How a value relates to its time, in the order of `VALUE_KINDS`. */
export const SERIES_TYPES = [
  'Instantaneous',
  'Accumulated',
  'StepAccumulated',
  'MeanStepBackward',
  'MeanStepForward',
] as const;
/** Maximum number of properties that a dataset's series may have. */
export const MAX_PROPERTIES = 200;
/** Maximum number of characters of a name. */
export const MAX_NAME = 255;

type ValueType = (typeof VALUE_TYPES)[number];
type FieldType = (typeof FIELD_TYPES)[number];

/** Quantity of the values of a series; `unit` and `item` are EUM identifiers. */
export interface SeriesItem {
  name: string;
  unit: string;
  item: string;
  dataType: ValueType;
  timeSeriesType?: (typeof SERIES_TYPES)[number] | undefined;
  noDataValue?: number | undefined;
  hasLayers?: boolean | undefined;
}

/** Extra columns of each value. */
export interface SeriesField {
  name: string;
  dataType: FieldType;
  flags?: { id: number | string; name: string }[] | undefined;
}

export interface SeriesDefinition {
  /** Absent for a new series. */
  id?: string;
  item: SeriesItem;
  properties: Record<string, unknown>;
  dataFields: readonly SeriesField[];
}

/** A property that the series of a dataset may have. */
export interface PropertyDefinition {
  name: string;
  dataType: (typeof PROPERTY_TYPES)[number];
}

export const KINDS: Readonly<Record<ValueType | FieldType, Kind>> = {
  Text: 'text',
  Date: 'i64',
  DateTime: 'i64',
  Int16: 'i16',
  Int32: 'i32',
  Int64: 'i64',
  Single: 'f32',
  Double: 'f64',
  Flag: 'i32',
};

/** The columns of a series: its value, then its data fields. */
export const kindsOf = ({ item, dataFields }: Pick<SeriesDefinition, 'item' | 'dataFields'>): Kind[] =>
  [item, ...dataFields].map(({ dataType }) => KINDS[dataType]);

/** Whether the values of a series are numbers. */
export const isNumeric = ({ item: { dataType } }: Pick<SeriesDefinition, 'item'>): boolean =>
  dataType !== 'Text' && dataType !== 'Date';

/** A name that two of the definitions have. */
export const nameTwice = (definitions: readonly { name: string }[]): string | undefined => {
  const seen = new Set<string>();
  return definitions.find(({ name }) => seen.has(name) || !seen.add(name))?.name;
};
