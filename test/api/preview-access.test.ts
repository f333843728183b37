import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { tileServer } from '../http/tile-server.ts';
import { overHttp } from '../world/client.ts';
import { newDataset } from '../world/content.ts';
import { GRID_TILE, gridFile, WELLS } from '../world/previews.ts';
import { randomOf } from '../world/random.ts';
import { newProject, sharePath } from '../world/transfers.ts';
import { type Answer, type User, world } from '../world.ts';

const w = world(test);

/** 10,000 checks: `PREVIEW_ACCESS_CHECKS=10000 npm exec -- ava --timeout=20m test/api/preview-access.test.ts`. */
const CHECKS = Number(process.env.PREVIEW_ACCESS_CHECKS ?? 400);
const SEED = Number(process.env.PREVIEW_ACCESS_SEED ?? 40);
/** A link is changed after so many checks. */
const CHANGE_EVERY = 10;

interface Dataset {
  readonly id: string;
  readonly projectId: string;
  readonly owner: User;
  readonly kind: string;
  /** Name of the dataset, and in its content. */
  readonly mark: string;
}

interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly sees: readonly Dataset[];
  readonly refused: readonly number[];
}

interface Share {
  readonly id: string;
  /** Path of the link. */
  readonly link: string;
  readonly dataset: Dataset;
  readonly downloads: string;
  readonly creator: User;
  /** For good. */
  ended: boolean;
  expired: boolean;
}

/** What changes during the test. */
interface State {
  readonly deleted: Set<Dataset>;
  /** Creators who are no Owners of the project any more. */
  readonly demoted: Set<User>;
}

/** Below a preview, with data and without, right and wrong. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  all: [
    '',
    '/table?limit=3',
    '/table?format=csv',
    '/statistics',
    '/statistics?item=0&format=csv',
    '/series',
    '/values?point=9.03,54.15',
    '/values?point=9.03,54.15&format=csv',
    '/profile?line=9.01,54.15;9.03,54.16&n=5',
    '/0/0/0.vector.pbf',
    '/0/0/0.png',
    '/12/0/0.png',
    '/0/0/0.png?item=none',
    '/0/0/0.gif',
    '/values',
  ],
  grid: [`/${GRID_TILE}.png`, `/${GRID_TILE}@2x.webp`, `/${GRID_TILE}.values`, `/${GRID_TILE}.png?min=3&max=9`],
};

/** What a link has beside its preview. */
const BESIDE = ['', '/thumbnail', '/download', `/convert/${randomUUID()}`];
const UNKNOWN = '/api/share/AAAAAAAAAAAAAAAAAAAAAA';

async function newOf(kind: string, { projectId, user, mark }: { projectId: string; user: User; mark: string }) {
  const content =
    kind === 'grid' ? await gridFile(1) : kind === 'features' ? WELLS.replaceAll('well', mark) : `no image of ${mark}`;
  const datasetFormat = kind === 'features' ? 'geojson' : 'geotiff';
  const id = await newDataset(w, projectId, user, { name: mark, datasetFormat, content });
  return { id, projectId, owner: user, kind, mark };
}

async function scene() {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const [reader, member, creator] = [
    await w.account({ tenantId }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const other = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const common = await newProject(w.as(owner), 'Project of secrets', [
    { user: reader, role: 'Reader' },
    { user: creator, role: 'Owner' },
  ]);
  const [closed, away] = [await newProject(w.as(owner), 'Closed'), await newProject(w.as(other), 'Away')];
  const make = (kind: string, projectId: string, user: User) =>
    newOf(kind, { projectId, user, mark: `mark${randomUUID().slice(0, 8)}` });
  const shared: Dataset[] = [];
  const [hidden, beyond]: [Dataset[], Dataset[]] = [[], []];
  for (const kind of ['grid', 'features', 'damaged']) {
    shared.push(await make(kind, common, owner), await make(kind, common, owner));
    hidden.push(await make(kind, closed, owner));
    beyond.push(await make(kind, away, other));
  }
  const gone = await make('grid', common, owner);
  const link = async (dataset: Dataset, more = '') => {
    const query = `projectId=${dataset.projectId}&resourceId=${dataset.id}&readOnly=true${more}`;
    return (await w.as(owner).get(`/api/security/sastoken?${query}`)).body.data as string;
  };
  const key = async (user: User) => (await w.as(user).post('/api/iam/key', { name: 'robot', role: 'Reader' })).body.key;
  const [signed, expired, revoked] = [
    await link(shared[0]!),
    await link(shared[0]!, '&expiration=0:00:00.001'),
    await link(hidden[0]!),
  ];
  const revoking = await w.as(owner).post(`/api/metadata/dataset/${hidden[0]!.id}/revoke-grants`, {});
  const deleting = await w.as(owner).delete(`/api/metadata/dataset/${gone.id}`);
  if (revoking.status >= 300 || deleting.status >= 300) throw new Error(`${revoking.status} ${deleting.status}`);
  const bearer = async (user: User) => ({ authorization: `Bearer ${await w.tokenOf(user)}` });
  const own = [...shared, ...hidden];
  const keys = { 'svc-service-id': 'tiles' };
  const callers: Caller[] = [
    { name: 'owner', headers: await bearer(owner), sees: own, refused: [404] },
    { name: 'reader', headers: await bearer(reader), sees: shared, refused: [404] },
    { name: 'member without a role', headers: await bearer(member), sees: [], refused: [404] },
    { name: 'other tenant', headers: await bearer(other), sees: beyond, refused: [404] },
    { name: 'administrator', headers: await bearer(await w.administrator()), sees: [], refused: [404] },
    { name: 'nobody', headers: {}, sees: [], refused: [401] },
    { name: 'key', headers: { ...keys, 'svc-open-api-key': await key(owner) }, sees: own, refused: [404] },
    { name: 'key of others', headers: { ...keys, 'svc-open-api-key': await key(other) }, sees: beyond, refused: [404] },
    { name: 'signed link', headers: {}, query: signed, sees: [shared[0]!], refused: [403, 404] },
    { name: 'expired signed link', headers: {}, query: expired, sees: [], refused: [403, 404] },
    { name: 'revoked signed link', headers: {}, query: revoked, sees: [], refused: [403, 404] },
    { name: 'forged link', headers: {}, query: `${signed.slice(0, -6)}AAAAAA`, sees: [], refused: [403, 404] },
  ];
  return { owner, creator, common, shared, callers, all: [...own, ...beyond, gone] };
}

/** A body without what is of one request. */
const plain = (text: string, path: string) =>
  text
    .replaceAll(path.split('?')[0]!, '')
    .replace(/"traceId":"[^"]*"/, '')
    .replace(/"instance":"[^"]*"/, '');

/** Sequences of the test, of one seed. */
class Draws {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  path({ kind }: Dataset): string {
    return this.of([...ASKED.all!, ...(ASKED[kind] ?? []), ...(ASKED[kind] ?? [])]);
  }
}

async function newShare(t: ExecutionContext, dataset: Dataset, creator: User, downloads: string): Promise<Share> {
  const made = await w.as(creator).post(`/api/metadata/dataset/${dataset.id}/share`, { downloads });
  t.is(made.status, 201, JSON.stringify(made.body));
  const link = sharePath(made.body.url);
  return { id: made.body.id, link, dataset, downloads, creator, ended: false, expired: false };
}

test('previews are told to those who may see them, and links that are not open are one and the same 404 at once', async (t) => {
  const draws = new Draws(SEED);
  const { owner, creator, common, shared, callers, all } = await scene();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  t.teardown(() => agent.destroy());
  const servers = [await overHttp(await w.listen(), agent), (await tileServer(t, w)).get];
  const state: State = { deleted: new Set(), demoted: new Set() };
  const shares: Share[] = [];
  /** ETags by address. */
  const known = new Map<string, string>();
  const counts = { seen: 0, refused: 0, opened: 0, closed: 0, changes: 0 };
  const isOpen = ({ ended, expired, dataset, creator: by }: Share) =>
    !ended && !expired && !state.deleted.has(dataset) && !state.demoted.has(by);
  const nothing = new Map<string, Answer>();
  const secrets = (dataset: Dataset, share: Share) => [
    dataset.id,
    dataset.projectId,
    share.id,
    'Project of secrets',
    owner.userId,
    owner.id,
    creator.userId,
    creator.id,
    owner.tenantId,
  ];

  async function change(): Promise<void> {
    counts.changes++;
    const share = draws.of(shares);
    const { dataset } = share;
    const kind = draws.below(6);
    if (kind === 0 && !share.ended) {
      // a dataset in the bin has links that can be ended, too
      t.is((await w.as(owner).delete(`/api/metadata/share/${share.id}`)).status, 204);
      share.ended = true;
    } else if (kind === 1) {
      share.expired = !share.expired;
      await w.sql(`update dataset_shares set expires_at = now() + $2::interval where id = $1`, [
        share.id,
        share.expired ? '-1 ms' : '1 day',
      ]);
    } else if (kind === 2 || kind === 3) {
      const isDeleted = state.deleted.has(dataset);
      const answer = isDeleted
        ? await w.as(owner).put(`/api/recycle-bin/dataset/${dataset.id}/restore`)
        : await w.as(owner).delete(`/api/metadata/dataset/${dataset.id}`);
      t.true(answer.status < 300, JSON.stringify(answer.body));
      if (isDeleted) state.deleted.delete(dataset);
      else state.deleted.add(dataset);
    } else if (kind === 4) {
      const isDemoted = state.demoted.has(creator);
      await w.sql('update project_members set role = $3 where project_id = $1 and user_id = $2', [
        common,
        creator.userId,
        isDemoted ? 'Owner' : 'Contributor',
      ]);
      if (isDemoted) state.demoted.delete(creator);
      else state.demoted.add(creator);
    } else if (!state.deleted.has(dataset))
      shares.push(await newShare(t, dataset, owner, draws.of(['None', 'Original', 'Formats'])));
  }

  async function checkShare(n: number): Promise<void> {
    const share = draws.of(shares);
    const { dataset, link } = share;
    const end = draws.below(4) === 0 ? draws.of(BESIDE) : `/preview${draws.path(dataset)}`;
    const get = draws.of(servers);
    const etag = draws.below(3) === 0 ? known.get(link + end) : undefined;
    const answer = await get(link + end, etag === undefined ? {} : { 'if-none-match': etag });
    const text = answer.raw.toString();
    const what = `check ${n} of seed ${SEED}: share ${end}: ${answer.status}`;
    if (answer.headers.etag !== undefined) known.set(link + end, String(answer.headers.etag));
    const told = JSON.stringify(answer.headers) + text;
    for (const secret of secrets(dataset, share)) if (told.includes(secret)) t.fail(`${what} tells ${secret}: ${text}`);
    if (isOpen(share)) {
      counts.opened++;
      if (answer.status >= 500 || (answer.status === 404 && answer.body.code === 'ShareNotFound'))
        t.fail(`${what} of an open link: ${text}`);
      return;
    }
    counts.closed++;
    const wanted = nothing.get(end) ?? (await get(UNKNOWN + end));
    nothing.set(end, wanted);
    // the form of a request is looked at before the link
    if (answer.status !== wanted.status || ![404, 400].includes(answer.status))
      t.fail(`${what} of a link that is not open: ${text}`);
    t.is(answer.status === 400, end === '/preview/values', what);
    t.deepEqual(Object.keys(answer.headers).sort(), Object.keys(wanted.headers).sort(), what);
    t.is(plain(text, link + end), plain(wanted.raw.toString(), UNKNOWN + end), what);
  }

  async function checkDataset(n: number): Promise<void> {
    const [caller, dataset] = [draws.of(callers), draws.of(all)];
    // what it was before the change
    if (state.deleted.has(dataset)) return;
    const end = draws.path(dataset);
    const get = draws.of(servers);
    const ask = (id: string) => {
      const path = `/api/preview/dataset/${id}${end}`;
      return get(
        caller.query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${caller.query}`,
        caller.headers,
      );
    };
    const answer = await ask(dataset.id);
    const text = answer.raw.toString();
    const what = `check ${n} of seed ${SEED}: ${caller.name}, ${dataset.kind}${end}: ${answer.status}`;
    if (caller.sees.includes(dataset)) {
      counts.seen++;
      if ([401, 403, 500].includes(answer.status)) t.fail(`${what} ${text}`);
      if (answer.status === 404 && !['NoPreview', 'OutOfRange'].includes(answer.body.code) && !/tiles/.test(text))
        t.fail(`${what} ${text}`);
      return;
    }
    counts.refused++;
    const refused = end === '/values' ? [400, 401] : caller.refused;
    if (!refused.includes(answer.status) || answer.headers.etag !== undefined) t.fail(`${what} ${text}`);
    if (text.includes(dataset.mark) || text.includes(dataset.projectId)) t.fail(`${what} tells of it: ${text}`);
    const unknown = randomUUID();
    const none = await ask(unknown);
    t.is(none.status, answer.status, what);
    const same = (body: string, id: string) => plain(body, '').replaceAll(id, 'ID');
    t.is(same(text, dataset.id), same(none.raw.toString(), unknown), what);
  }

  for (const dataset of shared)
    for (const by of [owner, creator]) shares.push(await newShare(t, dataset, by, draws.of(['None', 'Formats'])));
  for (let n = 0; n < CHECKS; n++) {
    if (n % CHANGE_EVERY === CHANGE_EVERY - 1) await change();
    if (draws.below(2) === 0) await checkShare(n);
    else await checkDataset(n);
  }
  t.log(counts);
  t.true(counts.opened > CHECKS / 20 && counts.closed > CHECKS / 10, JSON.stringify(counts));
  t.true(counts.seen > CHECKS / 20 && counts.refused > CHECKS / 10, JSON.stringify(counts));
});
