import type { Command } from 'commander';
import { conversionMembers, type DataOptions, dataOptions, type Parametrised } from 'hydrofiles/command';
import type { List } from '../src/http/rules/paging.ts';
import type { Converter } from '../src/transfers/views/converters.routes.ts';
import type { Api } from './client.ts';
import { type ResourceOptions, resourceOptions, resourcesOf } from './resources.ts';

export const listConverters = (api: Api, kind: 'reader' | 'writer', filter?: string) =>
  api.call<List<Converter>>('GET', `/api/conversion/${kind}/list`, { query: { filter } });

export interface ConversionOptions extends DataOptions, ResourceOptions {}

/** Adds the options of all transfers that convert. */
export const conversionOptions = (command: Command): Command =>
  resourceOptions(dataOptions(command)).option(
    '--dry-run',
    'only check whether it could be started, and estimate the result; sends and starts nothing',
  );

/** Members of a request to convert. */
export const readConversion = (
  options: ConversionOptions,
  reader: Parametrised | undefined,
  writer: Parametrised | undefined,
) => ({
  ...conversionMembers(options, reader, writer),
  ...resourcesOf(options),
});
