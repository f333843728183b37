import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { type ClusterSettings, type ClusterView, packNodes, type StoredNodes, unpackNodes } from './cluster-view.ts';

const StoredView = z.object({
  digest: z.string(),
  settings: z.custom<ClusterSettings>(),
  /** Absent if the dispatcher may not list them, or if the view is known. */
  nodes: z.custom<StoredNodes>().optional(),
  trouble: z.string().optional(),
});

/** SQL condition: a dispatcher has written the view a short while ago. Others say nothing any more. */
export const isFresh = sql.fragment`cluster_views.seen_at > now() - interval '1 minute'`;

/** Of the last answer, by digest: a view is read again when it has changed. */
let known: ReadonlyMap<string, ClusterView> = new Map();

/** What dispatchers know of their clusters now. The same object as long as a view is the same. */
export async function listClusterViews(db: Reads): Promise<ClusterView[]> {
  const before = known;
  const rows = await db.any(sql.type(StoredView)`
    select digest, settings, trouble, case when digest <> all(${sql.array([...before.keys()], 'text')}) then nodes end as nodes
    from cluster_views where ${isFresh} order by name`);
  known = new Map(
    rows.map(({ digest, settings, nodes }) => [
      digest,
      before.get(digest) ?? { settings, nodes: nodes && unpackNodes(nodes) },
    ]),
  );
  return rows.map(({ digest, settings, trouble }) =>
    trouble === undefined ? known.get(digest)! : { settings, nodes: undefined, trouble },
  );
}

/** Of which cluster a view is, and with which settings. */
export interface ViewKey {
  /** Of server, namespace and settings: dispatchers of one name share the view. */
  readonly name: string;
  /** Server and namespace. */
  readonly cluster: string;
}

/**
 * Stores what a dispatcher knows of its cluster; the last of concurrent writers wins. Without a change this
 * writes no nodes. Dispatchers store it every few seconds.
 */
export async function storeClusterView(
  tx: Transaction,
  { name, cluster }: ViewKey,
  { settings, nodes }: ClusterView,
): Promise<void> {
  const stored = nodes === undefined ? null : packNodes(nodes);
  const digest = createHash('sha256')
    .update(JSON.stringify([settings, stored]))
    .digest('hex');
  const { rowCount } = await tx.query(sql.unsafe`
    update cluster_views set cluster = ${cluster}, seen_at = now(), trouble = null where name = ${name} and digest = ${digest}`);
  if (rowCount === 0)
    await tx.query(sql.unsafe`
      insert into cluster_views (name, cluster, settings, nodes, digest)
      values (${name}, ${cluster}, ${sql.jsonb(settings as never)}, ${stored === null ? null : sql.jsonb(stored as never)}, ${digest})
      on conflict (name) do update set cluster = excluded.cluster, settings = excluded.settings, nodes = excluded.nodes,
        digest = excluded.digest, seen_at = excluded.seen_at, trouble = null`);
  // after its own row, and none that another writer holds: two writers never wait for each other
  await tx.query(sql.unsafe`
    delete from cluster_views where name in (
      select name from cluster_views where seen_at < now() - interval '1 hour' for update skip locked)`);
}

/** Stores that a dispatcher does not hear its cluster, unless another one has stored a view a short while ago. */
export const storeClusterTrouble = (
  tx: Transaction,
  { name, cluster }: ViewKey,
  settings: ClusterSettings,
  trouble: string,
) =>
  tx.query(sql.unsafe`
    insert into cluster_views as v (name, cluster, settings, digest, trouble)
    values (${name}, ${cluster}, ${sql.jsonb(settings as never)}, '', ${trouble})
    on conflict (name) do update set cluster = excluded.cluster, trouble = excluded.trouble, seen_at = now()
      where v.trouble is not null or v.seen_at < now() - interval '12 seconds'`);

const Reached = z.object({ cluster: z.string(), up: z.boolean() });

/** Whether dispatchers hear their clusters, by server and namespace. */
export const listReachedClusters = (db: Reads) =>
  db.any(sql.type(Reached)`
    select cluster, bool_and(trouble is null) as up from cluster_views where cluster is not null and ${isFresh} group by 1 order by 1`);
