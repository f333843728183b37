import type { Read } from '../define.ts';
import { readDialect } from '../io/table/dialect.ts';
import { readTable } from '../io/table/read-table.ts';
import type { readParameters } from './parameters.ts';

export const read: Read<typeof readParameters> = async (source, parameters, context) =>
  readTable(source, await readDialect(source, parameters, context), parameters, context);
