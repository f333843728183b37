import type { Command } from 'commander';
import { isUuid, moment, UsageError } from 'hydrofiles/terminal';
import type { FoundItem } from '../src/datasets/find.queries.ts';
import type { GroupAnswer } from '../src/groups/routes.ts';
import type { CursorPage, List, OffsetPage } from '../src/http/rules/paging.ts';
import type { Key } from '../src/keys/routes.ts';
import type { Job } from '../src/operations/jobs/queries.ts';
import type { BinItem } from '../src/recycle-bin/record.ts';
import type { Series } from '../src/series/definitions.ts';
import type { Tenant } from '../src/tenants/routes.ts';
import type { ListedTransfer } from '../src/transfers/views/list.queries.ts';
import { Refused } from './errors.ts';
import type { Io } from './io.ts';
import { JOB, JOB_STATES } from './jobs.ts';
import { allPages } from './pages.ts';
import { pathSegment } from './paths.ts';

/** Kinds of objects that can be given by name instead of id. */
type Kind = 'project' | 'dataset' | 'series' | 'tenant' | 'key' | 'group' | 'deleted' | 'transfer' | 'job';

interface Candidate {
  id: string;
  /** Name or path that distinguishes it from the others. */
  shown: string;
}

/** Kind by the placeholder of an argument or option. */
const BY_PLACEHOLDER: Record<string, Kind> = {
  project: 'project',
  target: 'project',
  dataset: 'dataset',
  series: 'series',
  tenant: 'tenant',
};
/** Kind by the name of an option with the placeholder `<id>`. */
const BY_OPTION: Record<string, Kind> = {
  '--project': 'project',
  '--parent': 'project',
  '--tenant': 'tenant',
  '--to-tenant': 'tenant',
};
/** Kind of arguments `<id>`, by the noun of the command. */
const BY_NOUN: Record<string, Kind> = {
  project: 'project',
  dataset: 'dataset',
  tenant: 'tenant',
  key: 'key',
  group: 'group',
  'recycle-bin': 'deleted',
  transfer: 'transfer',
  job: 'job',
};
const NOUNS: Record<Kind, string> = {
  project: 'project',
  dataset: 'dataset',
  series: 'time series',
  tenant: 'tenant',
  key: 'API key',
  group: 'group',
  deleted: 'project or dataset in the recycle bin',
  transfer: 'transfer',
  job: 'job',
};

const MAX_SHOWN = 10;

/**
 * Lets a command take names and paths in place of ids, and resolves them before its action runs. An ambiguous name is
 * refused with all candidates. Options are resolved in the tenant that another option of the command names, if it does.
 */
export function acceptNames(command: Command, noun: string, io: Io): void {
  const options = command.options.flatMap((option) => {
    const placeholder = /<([^>]+)>/.exec(option.flags)?.[1] ?? '';
    const kind = placeholder === 'id' ? BY_OPTION[option.long ?? ''] : BY_PLACEHOLDER[placeholder];
    return kind === undefined || option.hidden ? [] : [{ name: option.attributeName(), kind }];
  });
  const given = command.registeredArguments.flatMap((argument, at) => {
    const kind = argument.name() === 'id' ? BY_NOUN[noun] : BY_PLACEHOLDER[argument.name()];
    if (kind === undefined || (argument.variadic && kind !== 'job' && kind !== 'series')) return [];
    if (kind === 'job' || kind === 'transfer') argument.description ||= 'id, or its last 6 digits or more';
    if (kind === 'project' || kind === 'dataset')
      argument.description ||= 'id, name, or path such as /Valley/raw/depth';
    argument.description ||= 'id or name';
    return [{ at, kind }];
  });
  if (options.length + given.length === 0) return;
  // the tenant first, because the others are resolved in it
  options.sort((one, other) => Number(other.kind === 'tenant') - Number(one.kind === 'tenant'));
  command.hook('preAction', async () => {
    let there: string | undefined;
    for (const { name, kind } of options) {
      const value: unknown = command.getOptionValue(name);
      if (typeof value !== 'string') continue;
      const id = await findId(io, kind, value, there);
      command.setOptionValue(name, id);
      if (kind === 'tenant') there = id;
    }
    let dataset: string | undefined;
    for (const { at, kind } of given) {
      const value: unknown = command.processedArgs[at];
      const within = kind === 'series' ? dataset : undefined;
      if (Array.isArray(value)) {
        const ids: string[] = [];
        for (const one of value as string[]) ids.push(await findId(io, kind, one, within));
        command.processedArgs[at] = ids;
      }
      if (typeof value !== 'string') continue;
      const id = await findId(io, kind, value, within);
      command.processedArgs[at] = id;
      if (kind === 'dataset') dataset = id;
    }
  });
}

/** Resolves the name or id of a tenant. */
export const findTenantId = (io: Io, given: string): Promise<string> => findId(io, 'tenant', given, undefined);

/** Resolves the id, name or path of a dataset. */
export const findDatasetId = (io: Io, given: string): Promise<string> => findId(io, 'dataset', given, undefined);

/**
 * Resolves an id, name or path. Throws if nothing matches; a `UsageError` if several do.
 * @param within id of the tenant, or of the dataset of a series
 */
async function findId(io: Io, kind: Kind, given: string, within: string | undefined): Promise<string> {
  if (isUuid(given)) return given;
  const found = await FIND[kind](io, given, within);
  const [only, another] = found;
  if (only === undefined) throw new Error(`There is no ${NOUNS[kind]} '${given}', or you may not see it.`);
  if (another !== undefined) throw ambiguous(given, kind, found);
  return only.id;
}

function ambiguous(given: string, kind: Kind, found: readonly Candidate[]): UsageError {
  const shown = found.slice(0, MAX_SHOWN).map(({ id, shown }) => `${shown} (${id})`);
  const more = found.length > MAX_SHOWN ? ' and more' : '';
  // two root projects may have the same name, and then the same path
  const distinct = new Set(found.map((one) => one.shown)).size === found.length;
  const byPath = (kind === 'project' || kind === 'dataset') && distinct;
  const way = byPath ? 'Use the id, or the whole path.' : 'Use the id.';
  return new UsageError(`'${given}' could be ${shown.join(', ')}${more}. ${way}`);
}

/** Projects or datasets at a path, relative to a project if one is given, else to the tenant. */
export async function findAt(
  io: Io,
  query: { path: string; itemType?: FoundItem['itemType']; projectId?: string },
  tenant?: string,
): Promise<FoundItem[]> {
  const headers: Record<string, string> = tenant === undefined ? {} : { 'svc-tenant-id': tenant };
  const from = { query: { ...query, limit: MAX_SHOWN + 1 }, headers };
  return (await io.api.call<List<FoundItem>>('GET', '/api/metadata/find', from)).body.data;
}

/** The only item at a path below a project. Throws if there is none or more than one. */
export async function itemAt(
  io: Io,
  projectId: string,
  path: string,
  itemType?: FoundItem['itemType'],
): Promise<FoundItem> {
  const found = await findAt(io, { path, projectId, ...(itemType === undefined ? {} : { itemType }) });
  const [only, another] = found;
  if (only === undefined) throw new Error(`There is no '${path}' in the project, or you may not see it.`);
  if (another === undefined) return only;
  const shown = found.map((one) => ({ id: one.id, shown: `${one.itemType.toLowerCase()} ${one.path}` }));
  throw ambiguous(path, 'key', shown);
}

/** The only project or dataset with this name or path. */
export async function findItem(io: Io, given: string): Promise<FoundItem> {
  let found = await findAt(io, { path: given });
  // the text may be a name that contains a slash
  if (found.length === 0 && given.includes('/')) found = await findAt(io, { path: pathSegment(given) });
  const [only, another] = found;
  if (only === undefined) throw new Error(`There is no project or dataset '${given}', or you may not see it.`);
  if (another === undefined) return only;
  const shown = found.map((one) => ({ id: one.id, shown: `${one.itemType.toLowerCase()} ${one.path}` }));
  throw ambiguous(given, 'key', shown);
}

type Named = { id: string; name: string };

const named = (rows: readonly Named[], given: string): Candidate[] =>
  rows.filter(({ name }) => name === given).map(({ id, name }) => ({ id, shown: name }));

const atPath = (itemType: FoundItem['itemType']) => async (io: Io, given: string, tenant?: string) => {
  let found = await findAt(io, { path: given, itemType }, tenant);
  // the text may be a name that contains a slash
  if (found.length === 0 && given.includes('/'))
    found = await findAt(io, { path: pathSegment(given), itemType }, tenant);
  return found.map((one) => ({ id: one.id, shown: one.path }));
};

/** The series with this id, else those whose item has this name. */
async function findSeries(io: Io, given: string, dataset: string | undefined): Promise<Candidate[]> {
  const at = `/api/ts/dataset/${dataset}/timeseries`;
  if (SERIES_ID.test(given)) {
    const same = await io.api.call<Series>('GET', `${at}/${given}`).catch((error: unknown) => {
      if (error instanceof Refused && error.status === 404) return undefined;
      throw error;
    });
    if (same !== undefined) return [{ id: same.body.id, shown: same.body.item.name }];
  }
  const body = [{ type: 'AttributeQueryCondition', name: 'Item', operator: 'Equal', value: given }];
  const found = (await io.api.call<List<Series>>('POST', `${at}/query`, { body })).body.data;
  return found.map(({ id, item }) => ({ id, shown: item.name }));
}
/** The end of a UUID that is long enough to be told from others. */
const ID_ENDING = /^[0-9a-f-]{0,29}[0-9a-f]{6}$/i;
/** An id of dots alone is excluded, because URLs drop such path segments. */
const SERIES_ID = /^(?!\.+$)[A-Za-z0-9._~-]{1,128}$/;

const FIND: Record<Kind, (io: Io, given: string, within: string | undefined) => Promise<Candidate[]>> = {
  project: atPath('Project'),
  dataset: atPath('Dataset'),
  series: findSeries,
  tenant: async (io, given) => named((await io.api.call<List<Tenant>>('GET', '/api/iam/tenant')).body.data, given),
  key: async (io, given) => named((await io.api.call<List<Key>>('GET', '/api/iam/key')).body.data, given),
  group: async (io, given) => {
    const groups = (await io.api.call<GroupAnswer[]>('GET', '/api/usergroups')).body;
    const same = groups.find(({ id }) => id.toLowerCase() === given.toLowerCase());
    if (same) return [{ id: same.id, shown: same.name }];
    const found = named(groups, given);
    // the server refuses an unknown id
    return found.length === 0 ? [{ id: given, shown: given }] : found;
  },
  transfer: async (io, given) => {
    if (!ID_ENDING.test(given)) return [{ id: given, shown: given }];
    const query = { idEnding: given, limit: MAX_SHOWN + 1 };
    const { data } = (await io.api.call<OffsetPage<ListedTransfer>>('GET', '/api/conversion/transfer/list', { query }))
      .body;
    return data.map(({ id, name }) => ({ id, shown: name }));
  },
  job: async (io, given) => {
    // other jobs than transfers have numbers
    if (!ID_ENDING.test(given)) return [{ id: given, shown: given }];
    const query = { idEnding: given, limit: MAX_SHOWN + 1, state: JOB_STATES };
    const { data } = (await io.api.call<CursorPage<Job>>('GET', JOB, { query })).body;
    return data.map(({ id, name, task }) => ({ id, shown: name ?? task }));
  },
  deleted: async (io, given) => {
    const items = await allPages<BinItem>(io, '/api/recycle-bin/all-deleted-items');
    const same = items.filter(({ name }) => name === given);
    return same.map(({ id, itemType, deletedAt }) => ({ id, shown: `${itemType} deleted ${moment(deletedAt)}` }));
  },
};
