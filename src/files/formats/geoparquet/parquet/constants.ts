/** Numbers of parquet.thrift. */

export const physical = {
  boolean: 0,
  int32: 1,
  int64: 2,
  int96: 3,
  float: 4,
  double: 5,
  bytes: 6,
  fixed: 7,
} as const;

export const codecs = {
  none: 0,
  snappy: 1,
  gzip: 2,
  lzo: 3,
  brotli: 4,
  /** LZ4 blocks with Hadoop's lengths before them, or without. */
  lz4: 5,
  zstd: 6,
  lz4Raw: 7,
} as const;

export const encodings = {
  plain: 0,
  plainDictionary: 2,
  rle: 3,
  bitPacked: 4,
  deltaBinaryPacked: 5,
  deltaLengthByteArray: 6,
  deltaByteArray: 7,
  rleDictionary: 8,
  byteStreamSplit: 9,
} as const;

export const pageTypes = { data: 0, index: 1, dictionary: 2, data2: 3 } as const;

export const repetitions = { required: 0, optional: 1, repeated: 2 } as const;

/** The older annotation of types. */
export const converted = {
  utf8: 0,
  map: 1,
  mapKeyValue: 2,
  list: 3,
  enum: 4,
  decimal: 5,
  date: 6,
  timeMillis: 7,
  timeMicros: 8,
  timestampMillis: 9,
  timestampMicros: 10,
  uint8: 11,
  uint16: 12,
  uint32: 13,
  uint64: 14,
  int8: 15,
  int16: 16,
  int32: 17,
  int64: 18,
  json: 19,
  bson: 20,
  interval: 21,
} as const;

/** Fields of the union LogicalType. */
export const logical = {
  string: 1,
  map: 2,
  list: 3,
  enum: 4,
  decimal: 5,
  date: 6,
  time: 7,
  timestamp: 8,
  integer: 10,
  unknown: 11,
  json: 12,
  bson: 13,
  uuid: 14,
  float16: 15,
  variant: 16,
  geometry: 17,
  geography: 18,
} as const;

/** Units of times, as fields of the union TimeUnit. */
export const timeUnits = { millis: 1, micros: 2, nanos: 3 } as const;

export const magic = Buffer.from('PAR1');
