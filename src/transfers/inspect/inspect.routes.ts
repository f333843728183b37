import { z } from 'zod';
import { invalid, invalidMember } from '../../errors.ts';
import { clientLeft } from '../../http/answers/client-left.ts';
import type { Caller } from '../../http/caller.ts';
import { type App, Routes } from '../../http/route.ts';
import { component, flag, textUpTo } from '../../http/rules/members.ts';
import { shareOf } from '../../http/rules/signed-link.ts';
import type { AnyInspection } from '../children/messages.ts';
import { originalFileName, Parameters, readerName } from '../starts/bodies.ts';
import { checkReader } from '../starts/check.ts';
import { datasetInput, type InputParts, type InspectInput, remoteInput, uploadInput } from './input.ts';
import { InspectionForm } from './inspection-form.ts';
import { type Inspector, LIMITS } from './inspector.ts';

export interface InspectParts extends InputParts {
  readonly inspector: Inspector;
}

const Body = component('InspectBody', {
  uploadUrl: textUpTo(
    8192,
    'Upload address of this platform to which a file was sent.',
    'https://platform.example/api/blob/staging/3f1e8a7c',
  ).optional(),
  datasetId: z.guid().toLowerCase().optional().describe('Id of a dataset.'),
  url: textUpTo(8192, 'Address of a file on another server.', 'https://data.example/valley.asc').optional(),
  originalFileName: originalFileName.optional(),
  size: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
    description: 'Bytes of the whole file, of which `uploadUrl` has the start so far. Not with `statistics`.',
    example: 48_318_382,
  }),
  readerName: readerName.optional().describe('Reader. Default: the one that the content asks for.'),
  readerParameters: Parameters.describe('Parameters of the reader.'),
  statistics: flag('Whether to read all values, for their statistics. Default: only the header is read.').optional(),
});
type Body = z.output<typeof Body>;

export async function inspectRoutes(app: App, parts: InspectParts) {
  const routes = new Routes(app, { access: 'signedIn', service: 'conversion', tags: ['transfers'] });

  routes.post('/api/conversion/inspect', {
    operationId: 'inspect',
    summary: 'Tells what an uploaded, stored or remote file contains, and what writers would keep and lose of it',
    description: [
      'Send one of `uploadUrl`, `datasetId` and `url`. Nothing is stored, and an upload can still be replaced.',
      'With `size` the upload may be the start of the file: `needsMore` says what else the reader needs.',
      'A broken file, or one that exceeds `limits`, is 422 with the sentence that a transfer would end with.',
      'If all places are taken the answer is 503 with `Retry-After`.',
    ].join(' '),
    body: Body,
    response: { 200: InspectionForm },
    config: { limit: 'heavy', repeatable: true },
    handler: async ({ caller, body }, reply) => {
      reply.header('cache-control', 'no-store');
      const statistics = body.statistics ?? false;
      const { fetch, ...input } = await inputOf(parts, caller, body);
      const size = wholeSize(body, input.size);
      const reader = checkReader(body, input.format);
      const turn = { tenant: shareOf({ caller }, ''), signal: clientLeft(reply) };
      const name = body.originalFileName ?? input.name;
      const request = {
        ...(name === undefined ? {} : { name }),
        reader: { name: reader.name ?? input.reader, parameters: reader.parameters },
        statistics,
        ...(size === undefined ? {} : { size }),
        writers: 'all',
      } as const;
      return answer(await parts.inspector.inspect(turn, request, fetch));
    },
  });
}

function inputOf(
  parts: InputParts,
  caller: Caller,
  { uploadUrl, datasetId, url, statistics = false }: Body,
): Promise<InspectInput> | InspectInput {
  if ([uploadUrl, datasetId, url].filter((one) => one !== undefined).length !== 1)
    throw invalid('Send one of uploadUrl, datasetId and url.');
  if (uploadUrl !== undefined) return uploadInput(parts, caller, uploadUrl);
  if (datasetId !== undefined) return datasetInput(parts, caller, datasetId, { statistics });
  return remoteInput(parts, url!);
}

/** The size of the whole file if only its start was uploaded. */
function wholeSize({ size, uploadUrl, statistics = false }: Body, uploaded: number | undefined): number | undefined {
  if (size === undefined) return undefined;
  if (uploadUrl === undefined) throw invalidMember('size', 'size belongs to uploadUrl.');
  if (statistics) throw invalidMember('statistics', 'Statistics need the whole file. Upload it, and leave size out.');
  if (uploaded !== undefined && size < uploaded)
    throw invalidMember('size', `${uploaded} bytes were uploaded, which is more than ${size}.`);
  return size === uploaded ? undefined : size;
}

const answer = (inspection: AnyInspection): z.input<typeof InspectionForm> => ({
  ...(inspection as unknown as z.input<typeof InspectionForm>),
  limits: { seconds: LIMITS.timeMs / 1000, memoryMb: LIMITS.memoryMb, sizeGb: LIMITS.scratchGb },
});
