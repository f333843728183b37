import type { SampleType } from '../../../data/item.ts';

/** Numbers of the blocks of a DFS file. */
export const tag = {
  header: 10000,
  title: 10001,
  application: 10002,
  version: 10003,
  fileType: 10004,
  statisticsType: 10005,
  deleteFloat: 10006,
  deleteDouble: 10007,
  deleteByte: 10008,
  deleteInt: 10009,
  deleteUInt: 10010,
  projection: 10011,
  dataType: 10012,
  compressed: 10013,
  timeSection: 20000,
  relativeEquidistant: 20051,
  relativeNonEquidistant: 20052,
  calendarEquidistant: 20053,
  calendarNonEquidistant: 20054,
  itemSection: 30000,
  itemCount: 30001,
  regularStatistics: 30003,
  associatedStatics: 30004,
  item: 30005,
  valueKind: 30006,
  staticSection: 40000,
  staticData: 40001,
  dynamicSection: 50000,
  step: 50001,
  custom: 60000,
} as const;

/** First bytes of tokens other than typed arrays. */
export const BLOCK_BEGIN = 0xfe;
export const BLOCK_END = 0xff;

/** Element types of typed arrays by their number in the file. */
const types: readonly (SampleType | undefined)[] = [
  undefined,
  'Float32',
  'Float64',
  'Int8',
  'Int32',
  'UInt32',
  'Int16',
  'UInt16',
];

export const typeOfNumber = (number: number): SampleType | undefined => types[number];
/** 0 for a type that DFS does not have. */
export const numberOfType = (type: SampleType): number => Math.max(0, types.indexOf(type));

/** Bytes before the elements of a typed array: type and count. */
export const ARRAY_HEAD = 5;

/** Minimum and maximum of an item without values, whatever the delete values of the file are. */
export const NO_VALUE = -1e-255;
