import type { OffsetPage } from '../src/http/rules/paging.ts';
import type { Io } from './io.ts';

/** Reads all pages of a list with offsets. */
export async function allPages<Row>(io: Io, path: string, query: Record<string, string> = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = { ...query, limit: 1000, offset: rows.length };
    const { body } = await io.api.call<OffsetPage<Row>>('GET', path, { query: page });
    rows.push(...body.data);
    if (body.data.length === 0 || rows.length >= body.totalCount) return rows;
  }
}
