import type { Command } from 'commander';
import { isUuid, moment } from 'hydrofiles/terminal';
import type { Activity } from '../../src/datasets/activity.routes.ts';
import type { CursorPage } from '../../src/http/rules/paging.ts';
import { changesIn } from '../changes.ts';
import type { Answer } from '../client.ts';
import { Refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { findItem } from '../names.ts';
import { limit } from '../options.ts';
import { lookUpPrincipals } from '../principals.ts';

interface Query {
  limit: number;
  cursor?: string;
}

export function activityCommand(activity: Command, io: Io): void {
  activity
    .argument('<item>', 'project or dataset: id, name, or path such as /Valley/raw/depth')
    .option('--limit <count>', 'maximum number', limit, 50)
    .option('--cursor <cursor>', 'continue after the previous page')
    .action((item, query) => showActivity(io, item, query));
}

async function showActivity(io: Io, item: string, query: Query): Promise<void> {
  const answer = await listActivity(io, item, query);
  const { data, cursor } = answer.body;
  const people = await lookUpPrincipals(
    io,
    data.flatMap(({ by, subject: { id, kind } }) => [by, ...(kind === 'account' ? [id] : [])]),
  );
  io.list(answer, ['TIME', 'WHO', 'ACTION', 'WHAT', 'CHANGED'], ({ time, by, action, subject, ...changes }) => [
    moment(time),
    people.displayName(by),
    action,
    subject.name ?? people.displayName(subject.id),
    changesIn(changes),
  ]);
  if (cursor !== undefined && !io.json) io.note(`More entries: --cursor ${cursor}`);
}

async function listActivity(io: Io, item: string, query: Query): Promise<Answer<CursorPage<Activity>>> {
  const of = (kind: 'project' | 'dataset', id: string) =>
    io.api.call<CursorPage<Activity>>('GET', `/api/metadata/${kind}/${id}/activity`, { query: { ...query } });
  if (!isUuid(item)) {
    const { id, itemType } = await findItem(io, item);
    return of(itemType === 'Project' ? 'project' : 'dataset', id);
  }
  try {
    return await of('project', item);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    return of('dataset', item);
  }
}
