import type { Database } from '../../src/db.ts';
import { ClusterUnreachable } from '../../src/kubernetes/errors.ts';
import { runAll } from '../../src/platform/async/run-all.ts';
import {
  disconnectWorker,
  forget,
  type HandedOver,
  handOver,
  keep,
  listCandidates,
  listDrainedHosts,
  listHandedOver,
  type Reasons,
  refuse,
  setReasons,
  type Withdrawal,
  withdraw,
} from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import { failed } from '../../src/transfers/ends/outcome.ts';
import { settle } from '../../src/transfers/ends/settle.ts';
import { couldRun } from '../../src/transfers/queue/queue-status.ts';
import { listLiveWorkers, listWaiting } from '../../src/transfers/queue/waiting-requirements.queries.ts';
import type { Cluster } from './cluster.ts';
import type { JobView } from './cluster-view.ts';
import { type Decision, decide, decideUnserved, pauseAfter, type Sight } from './decide.ts';
import type { DispatchCounts } from './dispatch-counts.ts';
import { elapsed } from './elapsed.ts';
import { type JobSettings, jobName, jobProblem, makeJob, type TransferNeeds } from './job.ts';
import { Share } from './share.ts';

export interface DispatchOptions {
  db: Database;
  cluster: Cluster;
  /** Server and namespace. */
  place: string;
  settings: JobSettings;
  counts: DispatchCounts;
  /** `rest`: only what no live worker could take. */
  takes: 'all' | 'rest';
  /** Jobs of equal needs that have no node yet. */
  maxPending: number;
  log: Record<'info' | 'warn', (details: object, message: string) => void>;
  announce(id: string): void;
  /** Whether an operator lets this dispatcher hand nothing over. */
  isDraining(): boolean;
}

/** Calls to the API server at a time. */
const CALLS_AT_ONCE = 24;
/** Transfers that one round hands over. */
const MOST_AT_ONCE = 500;
/** A Job that no row names is deleted when it was seen so long: its row is written before it is made. */
const STRAY_MS = 15_000;
/** A transfer whose pods were killed this often for their memory is not tried again. */
const MAX_OOM_KILLS = 2;

/**
 * Compares waiting transfers and Jobs, both ways. Postgres decides: a round may be repeated, and dispatchers may take
 * rounds side by side, since each change names the number of the Job that it was decided on.
 */
export class Dispatch {
  readonly #options: DispatchOptions;
  /** `performance.now()` when the pod of a Job was first seen lost, or its transfer released, by name of the Job. */
  readonly #lostSince = new Map<string, number>();
  readonly #releasedSince = new Map<string, number>();
  readonly #straySince = new Map<string, number>();
  readonly #share: Share;
  /** Jobs that were asked to go and may still be seen. */
  readonly #deleted = new Set<string>();

  constructor(options: DispatchOptions) {
    this.#options = options;
    this.#share = new Share(options.place);
  }

  /** One round. */
  async run(): Promise<void> {
    const { db } = this.#options;
    const all = await listHandedOver(db);
    const rows = await this.#share.select(db, all);
    const known = all.filter(({ ageMs }) => ageMs !== undefined);
    await this.#reconcile(rows, new Set(known.map(({ transferId, number }) => jobName(transferId, number))));
    await this.#handOver(rows);
  }

  /** @param known names of the Jobs that rows name */
  async #reconcile(rows: readonly HandedOver[], known: ReadonlySet<string>) {
    const { db, cluster, settings } = this.#options;
    const withdrawals: Withdrawal[] = [];
    const ended: string[] = [];
    const frozen: string[] = [];
    const kept: HandedOver[] = [];
    const doomed: JobView[] = [];
    const reasons: Reasons[] = [];
    for (const row of rows) {
      const name = jobName(row.transferId, row.number);
      const sight = this.#sightOf(row, name);
      const decision = this.#share.isElsewhere(row) ? decideUnserved(row) : decide(row, sight);
      const { job, pod } = sight;
      if (decision.kind === 'forget') ended.push(row.transferId);
      else if (decision.kind === 'endWorker') frozen.push(decision.pool);
      else if (decision.kind === 'keep') kept.push(row);
      else if (decision.kind === 'withdraw') withdrawals.push(withdrawal(row, decision, settings.hash));
      else if (decision.kind === 'wait' && row.ageMs !== undefined) {
        const node = sight.pod?.node;
        const { reason, unscheduled } = decision;
        if (row.reason !== reason || row.unscheduled !== unscheduled || row.node !== node)
          reasons.push({ transferId: row.transferId, number: row.number, node, reason, unscheduled });
      }
      // a Job whose pod has ended ends by itself, and its log can be read for a while
      const isUseless = decision.kind === 'withdraw' || decision.kind === 'delete';
      if (isUseless && job !== undefined && !job.ended && pod?.exit === undefined) doomed.push(job);
    }
    this.#forgetTimes(known);
    doomed.push(...this.#findStrays(known));
    const deleting = doomed.filter(({ uid, deleting }) => !deleting && !this.#deleted.has(uid));
    await runAll([
      () => this.#each(deleting, (job) => this.#delete(job)),
      async () => withdrawals.length > 0 && (await this.#withdraw(withdrawals)),
      async () => reasons.length > 0 && (await db.transaction((tx) => setReasons(tx, reasons))),
      async () => kept.length > 0 && (await db.transaction((tx) => keep(tx, kept))),
      async () => ended.length > 0 && (await db.transaction((tx) => forget(tx, ended))),
      ...frozen.map((pool) => () => this.#endWorker(pool)),
    ]);
    const present = new Set(cluster.jobs.values().map(({ uid }) => uid));
    for (const uid of this.#deleted) if (!present.has(uid)) this.#deleted.delete(uid);
  }

  #sightOf({ transferId, status, ageMs, claimed }: HandedOver, name: string): Sight {
    const { cluster, settings } = this.#options;
    const job = ageMs === undefined ? undefined : cluster.jobs.get(name);
    const pod = ageMs === undefined ? undefined : cluster.findPod(name);
    const nodeReady = pod?.node === undefined ? undefined : cluster.isNodeReady(pod.node);
    const isLost = pod !== undefined && pod.exit === undefined && (pod.disrupted !== undefined || nodeReady === false);
    return {
      job: job?.transferId === transferId ? job : undefined,
      pod,
      nodeReady,
      events: cluster.eventsOf(name),
      trouble: cluster.trouble,
      outdated: job !== undefined && job.settings !== settings.hash,
      lostMs: elapsed(this.#lostSince, name, isLost),
      releasedMs: elapsed(this.#releasedSince, name, status === 'Pending' && claimed),
    };
  }

  #forgetTimes(known: ReadonlySet<string>) {
    for (const times of [this.#lostSince, this.#releasedSince])
      for (const name of times.keys()) if (!known.has(name)) times.delete(name);
  }

  /** Jobs of this platform that no transfer waits for any more: of a state that was restored, or of former numbers. */
  #findStrays(known: ReadonlySet<string>): JobView[] {
    const strays = [...this.#options.cluster.jobs.values()].filter(
      ({ name, ended, deleting }) => !ended && !deleting && !known.has(name),
    );
    const names = new Set(strays.map(({ name }) => name));
    for (const name of this.#straySince.keys()) if (!names.has(name)) this.#straySince.delete(name);
    return strays.filter(({ name }) => elapsed(this.#straySince, name, true) > STRAY_MS);
  }

  async #delete(job: JobView) {
    this.#deleted.add(job.uid);
    try {
      await this.#options.cluster.delete(job);
    } catch (error) {
      this.#deleted.delete(job.uid);
      this.#options.log.warn({ job: job.name, err: error }, 'a Job could not be deleted; the next round tries again');
    }
  }

  async #endWorker(pool: string) {
    const { db, log } = this.#options;
    log.warn({ pool }, 'the node of a running transfer is lost; its worker is disconnected');
    await db.transaction((tx) => disconnectWorker(tx, pool));
  }

  async #withdraw(withdrawals: readonly Withdrawal[]) {
    const { db, settings, counts, announce } = this.#options;
    const { withdrawn, over } = await db.transaction(async (tx) => {
      const withdrawn = await withdraw(tx, withdrawals);
      const starved = withdrawn.filter(({ oomKills, status }) => oomKills >= MAX_OOM_KILLS && status === 'Pending');
      const settled = [];
      for (const { transferId: id, attempt, memoryMb } of starved) {
        const outcome = failed(
          `It was killed ${MAX_OOM_KILLS} times because it used more memory than its pod has: ${memoryMb} MB, and ${settings.overheadMb} MB for the worker. Ask for more with memoryRequestMb.`,
        );
        settled.push(...(await settle(tx, { unheld: { id, attempt }, outcome })));
      }
      return { withdrawn, over: settled };
    });
    const gone = new Set(withdrawn.map(({ transferId }) => transferId));
    for (const one of withdrawals) if (gone.has(one.transferId)) counts.gaveUp(one);
    for (const { id } of over) announce(id);
  }

  async #handOver(rows: readonly HandedOver[]) {
    const { db, cluster, settings, place, isDraining } = this.#options;
    if (isDraining() || cluster.trouble !== undefined) return;
    const room = await this.#findRoom(rows);
    if (room.length === 0) return;
    const candidates = (await listCandidates(db, room, settings.hash)).slice(0, MOST_AT_ONCE);
    const refused = candidates.flatMap(({ id, flags }) => {
      const reason = jobProblem({ flags });
      return reason === undefined ? [] : [{ id, reason }];
    });
    if (refused.length > 0) await db.transaction((tx) => refuse(tx, refused));
    const out = new Set(refused.map(({ id }) => id));
    const chosen = new Map(candidates.filter(({ id }) => !out.has(id)).map((one) => [one.id, one]));
    if (chosen.size === 0) return;
    const drained = await listDrainedHosts(db);
    const to = { cluster: place, settings: settings.hash };
    const handed = await db.transaction((tx) => handOver(tx, [...chosen.keys()], to));
    const begun = performance.now();
    const numbered = new Map(handed.map((one) => [one.transferId, one]));
    await this.#each([...chosen.values()], async (transfer) => {
      const one = numbered.get(transfer.id);
      if (one === undefined) return;
      const isMade = await this.#create(transfer, one.number, drained);
      if (isMade && one.waitedS !== undefined)
        this.#options.counts.handedOver(one.waitedS + (performance.now() - begun) / 1000);
    });
  }

  async #create(transfer: TransferNeeds, number: number, drained: readonly string[]): Promise<boolean> {
    const { db, cluster, settings, counts, log } = this.#options;
    try {
      await cluster.create(makeJob(transfer, number, settings, drained));
      return true;
    } catch (error) {
      const reason = (error as Error).message;
      log.warn({ transferId: transfer.id, err: error }, 'a Job could not be created');
      // it may exist: the next rounds see it or not, when the cluster is heard again
      if (error instanceof ClusterUnreachable) return false;
      const delayMs = pauseAfter(2 + Math.floor(3 * Math.random()));
      const one = { transferId: transfer.id, number, oom: false, failed: true, delayMs, reason };
      await db.transaction((tx) => withdraw(tx, [one]));
      counts.gaveUp({ ...one, refused: true });
      return false;
    }
  }

  /** How many transfers of each resource request may be handed over now. */
  async #findRoom(rows: readonly HandedOver[]): Promise<{ flags: readonly string[]; most: number }[]> {
    const { db, cluster, takes, maxPending } = this.#options;
    const pending = new Map<string, number>();
    for (const { transferId, number, status, ageMs, flags } of rows) {
      if (status !== 'Pending' || ageMs === undefined || cluster.findPod(jobName(transferId, number))?.node) continue;
      const key = flags.join(' ');
      pending.set(key, (pending.get(key) ?? 0) + 1);
    }
    const waiting = await listWaiting(db);
    const workers = takes === 'rest' && waiting.length > 0 ? await listLiveWorkers(db) : [];
    return waiting
      .filter(({ flags }) => !workers.some((worker) => couldRun(worker, flags)))
      .map(({ flags }) => ({ flags, most: maxPending - (pending.get(flags.join(' ')) ?? 0) }))
      .filter(({ most }) => most > 0);
  }

  /** Calls `work` for all, some at a time, in order. */
  async #each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
    const left = all.values();
    const next = async () => {
      for (const one of left) await work(one);
    };
    await Promise.all(Array.from({ length: Math.min(CALLS_AT_ONCE, all.length) }, next));
  }
}

function withdrawal(
  { transferId, number }: HandedOver,
  decision: Extract<Decision, { kind: 'withdraw' }>,
  settings: string,
): Withdrawal {
  const { oom = false, failed: hasFailed = false, isLasting, delayMs = 0, reason, line } = decision;
  const failedWith = isLasting ? settings : undefined;
  return { transferId, number, oom, failed: hasFailed, failedWith, delayMs, reason, line };
}
