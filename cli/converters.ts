import type { Command } from 'commander';
import { conversionMembers, type DataOptions, dataOptions, type Parametrised } from 'hydrofiles/command';
import type { List } from '../src/http/rules/paging.ts';
import type { Converter } from '../src/transfers/views/converters.routes.ts';
import type { Api } from './client.ts';
import type { Io } from './io.ts';
import { type ResourceOptions, resourceOptions, resourcesOf } from './resources.ts';
import { type SentFiles, sendSideFiles } from './side-files.ts';

export const listConverters = (api: Api, kind: 'reader' | 'writer', filter?: string) =>
  api.call<List<Converter>>('GET', `/api/conversion/${kind}/list`, { query: { filter } });

export interface ConversionOptions extends DataOptions, ResourceOptions {
  dryRun?: boolean;
}

/** Adds the options of all transfers that convert. */
export const conversionOptions = (command: Command): Command =>
  resourceOptions(dataOptions(command)).option(
    '--dry-run',
    'only check whether it could be started, and estimate the result; sends and starts nothing',
  );

/**
 * Members of a request to convert. Uploads the local files that transformations name, unless it is a dry run.
 * @param sent those that were uploaded before
 */
export async function readConversion(
  io: Io,
  options: ConversionOptions,
  reader: Parametrised | undefined,
  writer: Parametrised | undefined,
  sent?: SentFiles,
) {
  const { transformations, ...members } = conversionMembers(options, reader, writer);
  return {
    ...members,
    transformations: await sendSideFiles(io, transformations, options.dryRun === true, sent),
    ...resourcesOf(options),
  };
}
