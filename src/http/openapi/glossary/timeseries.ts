import type { Glossary } from './entry.ts';

const item = { name: 'Water level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
const station = { name: 'station', dataType: 'Text' };
const series = { id: 'ribe', item, properties: { station: 'Ribe' }, dataFields: [] };

/** Items of series, in requests and answers. */
const itemMembers = (schema: string): Glossary => ({
  [`${schema}.name`]: ['Name of the item.', item.name],
  [`${schema}.unit`]: ['Identifier of the EUM unit.', item.unit],
  [`${schema}.item`]: ['Identifier of the EUM item.', item.item],
  [`${schema}.dataType`]: ['`Text`, `Date`, `Int16`, `Int32`, `Int64`, `Single` or `Double`.', item.dataType],
  [`${schema}.timeSeriesType`]: [
    'How a value relates to its time: `Instantaneous` (default), `Accumulated`, `StepAccumulated`, `MeanStepBackward` or `MeanStepForward`.',
    'Instantaneous',
  ],
  [`${schema}.noDataValue`]: ['Value that means no data in files.', -1e-35],
  [`${schema}.hasLayers`]: ['Whether the values have layers.', false],
});
const fieldMembers = (schema: string): Glossary => ({
  [`${schema}.name`]: ['Name of the field.', 'quality'],
  [`${schema}.dataType`]: ['`DateTime`, `Single`, `Double`, `Flag` or `Text`.', 'Text'],
  [`${schema}.flags`]: ['Flags that a value may have; only for `Flag`.', []],
});
const propertyMembers = (schema: string): Glossary => ({
  [`${schema}.name`]: ['Name of the property.', station.name],
  [`${schema}.dataType`]: ['`DateTime`, `Long`, `Double`, `Boolean` or `Text`.', station.dataType],
});

/** Time series. */
export const TIME_SERIES: Glossary = {
  ...itemMembers('TimeSeriesItem'),
  ...itemMembers('NewTimeSeriesItem'),
  ...fieldMembers('TimeSeriesDataField'),
  ...fieldMembers('NewTimeSeriesDataField'),
  ...propertyMembers('TimeSeriesProperty'),
  ...propertyMembers('NewTimeSeriesProperty'),
  timeSeriesSchema: 'Properties that the series of the dataset may have.',
  datasetProperties: 'Record of the dataset.',
  'TimeSeriesFlag.id': ['Id of the flag, a whole number or a text.', 1],
  'TimeSeriesFlag.level': ['How serious the flag is.', 0],
  dataFields: ['Further values of each row, such as a quality flag.', []],
  conditions: 'Conditions that all must be met.',
  'TimeSeriesCondition.type': ['`AttributeQueryCondition`.', 'AttributeQueryCondition'],
  'TimeSeriesCondition.name': ['`Item` for the name of the item, else the name of a property.', 'Item'],
  'TimeSeriesCondition.operator': [
    '`Equal`, `NotEqual`, `GreaterThan`, `LessThan`, `GreaterThanOrEqual`, `LessThanOrEqual`, `Contains` or `StartsWith`.',
    'StartsWith',
  ],
  'TimeSeriesCondition.value': ['Value to compare with, of the type of the property.', 'Water'],
  TimeSeries: ['A time series without its values.', series],
  NewTimeSeries: ['A time series to add.', series],
  TimeSeriesDataset: [
    'A dataset of time series.',
    { id: '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10', items: [item], timeSeriesProperties: [station], metadata: {} },
  ],
  NewTimeSeriesDataset: [
    'A dataset of time series to create.',
    { timeSeriesSchema: { properties: [station] }, datasetProperties: { name: 'Gauges' } },
  ],
  ChangedTimeSeriesSchema: ['Properties to add.', { properties: [station] }],
  ChangedTimeSeries: ['New properties, which replace all.', { properties: { station: 'Ribe' } }],
  ChangedTimeSeriesProperty: ['A property and its new value.', { property: 'station', value: 'Ribe' }],
  TimeSeriesQuery: [
    'Conditions that all must be met, in an object or as a list.',
    { conditions: [{ type: 'AttributeQueryCondition', name: 'Item', operator: 'StartsWith', value: 'Water' }] },
  ],
  TimeSeriesIds: ['Ids of time series.', ['ribe', 'esbjerg']],
  TimeSeriesValues: [
    'Rows of time, value and data fields, in the order of time.',
    { data: [['2026-01-24T08:00:00.0000000', 1.25]] },
  ],
  ValuesOfTimeSeries: [
    'A list of rows for each id of the request, in its order.',
    { data: [[['2026-01-24T08:00:00.0000000', 1.25]], []] },
  ],
  'NewTimeSeries.item': 'What the values are: name, type, unit.',
  'TimeSeries.item': 'What the values are: name, type, unit.',
  'NewTimeSeries.properties': ['Values of the properties, by name.', { station: 'Ribe' }],
  'TimeSeries.properties': ['Values of the properties, by name.', { station: 'Ribe' }],
  'ChangedTimeSeries.properties': ['Values of all properties, by name.', { station: 'Ribe' }],
  'TimeSeriesSchema.properties': 'Properties that the series may have: name and type.',
  'ChangedTimeSeriesSchema.properties': 'Properties to add: name and type.',
};
