import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedFormat, contentType, type VALUE_FILES as Files, VALUE_FILES } from '../datasets/files/file-formats.ts';
import { dispositionOf, type FileThreads } from '../datasets/files/file-threads.ts';
import type { ServedDataset } from '../datasets/served.queries.ts';
import { servedDataset } from '../datasets/served.ts';
import { invalidMember } from '../errors.ts';
import { whenClosed } from '../http/answers/client-left.ts';
import { sendPieces } from '../http/answers/pieces.ts';
import { vary } from '../http/answers/vary.ts';
import { readAsker, shareOf } from '../http/rules/signed-link.ts';
import type { Timestamp } from '../platform/text/time.ts';
import { type Coverage, readCoverages } from './coverage.ts';
import { covJson } from './covjson.ts';
import { type StoreParts, withDataset } from './dataset.ts';
import { dataInput } from './files/data-input.ts';
import { tableInput } from './files/table-input.ts';
import { parseChoice, type Where } from './query.ts';
import type { OpenDataset } from './stores.ts';
import { csvTable, jsonTable } from './value-table.ts';

export interface ValueParts extends StoreParts {
  /** Writes answers as files. */
  readonly files: FileThreads;
}

export const JSON_TYPES = {
  json: 'application/json; charset=utf-8',
  covjson: 'application/prs.coverage+json',
} as const;
type Format = keyof typeof JSON_TYPES | (typeof Files)[number];

interface ValuesQuery extends Where {
  readonly item?: readonly string[] | undefined;
  readonly from?: Timestamp | undefined;
  readonly to?: Timestamp | undefined;
  readonly f?: Format | undefined;
  readonly format?: Format | undefined;
}

/** How each format of a file is written. */
const FILES = {
  parquet: { module: new URL('./files/write-table.ts', import.meta.url), prepare: tableInput },
  netcdf: { module: new URL('./files/write-data.ts', import.meta.url), prepare: dataInput },
} as const;

/** Sends the values that a request asks for: text in pieces, or a file that a thread writes. */
export async function sendValues(
  parts: ValueParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { params: { id }, query }: { params: { id: string }; query: ValuesQuery },
): Promise<never> {
  vary(reply, 'Accept');
  const format = formatOf(query, request.headers.accept);
  const stopped = new AbortController();
  whenClosed(reply, () => stopped.abort());
  const asker = readAsker(request);
  const read = <T>(use: (dataset: OpenDataset, coverages: Coverage[], record: ServedDataset) => T) =>
    withDataset(parts, asker, id, (dataset, record) =>
      parts.stores.reading(async () => use(dataset, await coveragesOf(dataset, query, stopped.signal), record)),
    );
  if (format === 'netcdf' || format === 'parquet') {
    const { dataset } = await servedDataset(parts, asker, id);
    const { module, prepare } = FILES[format];
    return parts.files.send<unknown>(reply, {
      format,
      tenant: shareOf(asker, dataset.id),
      name: dataset.name,
      module,
      prepare: () => read<ReturnType<typeof tableInput> | ReturnType<typeof dataInput>>(prepare),
    });
  }
  const { pieces, name } = await read((dataset, coverages, record) => ({
    name: record.name,
    pieces:
      format === 'covjson'
        ? covJson(dataset, coverages)
        : format === 'csv'
          ? csvTable(coverages)
          : jsonTable(coverages),
  }));
  if (format !== 'csv') return sendPieces(reply, pieces, JSON_TYPES[format]);
  reply.header('content-disposition', dispositionOf(name, format));
  return sendPieces(reply, pieces, contentType(format));
}

async function coveragesOf(
  dataset: OpenDataset,
  { item: items, from, to, f: _, format: __, ...where }: ValuesQuery,
  signal: AbortSignal,
): Promise<Coverage[]> {
  const wish = { ...(await parseChoice(where, dataset)), ...(items === undefined ? {} : { items }), from, to };
  return readCoverages(dataset, wish, signal);
}

function formatOf({ f, format }: ValuesQuery, accept: string | undefined): Format {
  if (f !== undefined && format !== undefined && f !== format)
    throw invalidMember('format', `f=${f} and format=${format} are different. Send one of them.`);
  return f ?? format ?? acceptedFormat(accept, VALUE_FILES) ?? 'json';
}
