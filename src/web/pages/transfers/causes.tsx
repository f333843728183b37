import { api, type ListedTransfer } from '../../client/api.ts';
import { formatTime } from '../../client/format.ts';
import { useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Note } from '../../parts/page-head.tsx';
import { transferTexts as words } from '../../texts/transfers.ts';
import { retryAll } from './actions.tsx';
import { isCancelled } from './state.tsx';

const DAYS = 7;
const MOST = 200;
const SHOWN = 3;

/** Failures of the last days that have the same cause, with one way on for all of them. */
export function Causes({ isMine }: { isMine: (transfer: ListedTransfer) => boolean }) {
  const { data } = useQuery(
    'transfers of the week',
    (signal) => {
      const from = new Date(Date.now() - DAYS * 86_400_000).toISOString();
      return api('GET /api/conversion/transfer/list', { query: { from, limit: MOST }, signal });
    },
    { changes: ['transfer'] },
  );
  const groups = groupsOf(data?.data.filter(isMine) ?? []);
  if (groups.length === 0) return null;
  return (
    <section class="causes" aria-label={words.causes}>
      {groups.slice(0, SHOWN).map((group) => (
        <Note kind="bad" key={group[0]!.id}>
          <div class="cause">
            <div class="grow">
              <b>{words.sameCause(group.length)}</b>
              <p>{group[0]!.errorMessage}</p>
              <p class="small">{words.last(formatTime(group[0]!.createdAt), namesOf(group))}</p>
            </div>
            <Button small onClick={() => retryAll(group)}>
              {words.retryAll}
            </Button>
          </div>
        </Note>
      ))}
    </section>
  );
}

/** Failures that were not retried, several of one cause, the most frequent first. */
function groupsOf(transfers: readonly ListedTransfer[]): ListedTransfer[][] {
  const retried = new Set(transfers.map(({ retryOf }) => retryOf));
  const failed = transfers.filter((transfer) => {
    const { id, status } = transfer;
    return status === 'Error' && !isCancelled(transfer) && !retried.has(id);
  });
  const groups = Object.values(Object.groupBy(failed, ({ errorMessage }) => causeOf(errorMessage ?? '')));
  return groups.filter((group): group is ListedTransfer[] => group !== undefined && group.length > 1).sort(byLength);
}

const byLength = (one: readonly unknown[], other: readonly unknown[]) => other.length - one.length;

/** A sentence without what differs from file to file: quoted names, numbers, ids. */
const causeOf = (sentence: string): string =>
  sentence
    .replace(/'[^']*'|"[^"]*"|“[^”]*”|‘[^’]*’/g, '…')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '…')
    .replace(/\d[\d.,]*/g, '0');

const namesOf = (group: readonly ListedTransfer[]) => {
  const names = group.slice(0, SHOWN).map(({ name }) => name);
  return `${names.join(', ')}${group.length > SHOWN ? ' …' : ''}`;
};
