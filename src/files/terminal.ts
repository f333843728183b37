/*
 * What commands of a terminal share: input and output of a process, tables, progress, errors, parsers of options.
 */

export { endBatch, inBatch } from './command/batch.ts';
export { INTERRUPTED, Interrupted, OutputFailed, UsageError } from './command/errors.ts';
export { type Io, ProcessIo, type Streams } from './command/io.ts';
export { count, integer, repeated, srid, wideOption } from './command/options.ts';
export type { Progress } from './command/progress.ts';
export { bytes, isUuid, layOut, moment, plain, record, type Shown, type Table, table } from './command/table.ts';
