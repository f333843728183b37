import { api, type Delivery } from '../../../client/api.ts';
import { useCursorList } from '../../../client/query.ts';
import { Tag } from '../../../parts/page-head.tsx';
import { Loaded } from '../../../parts/states.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { When } from '../../../parts/when.tsx';
import { webhookTexts as words } from '../../../texts/webhooks.ts';
import { useEvery } from '../../admin/frame.tsx';

const EVERY_MS = 5000;

/** What was sent to a webhook, newest first. */
export function Deliveries({ id }: { id: string }) {
  const list = useCursorList(`deliveries ${id}`, (query, signal) =>
    api('GET /api/eventing/webhook/{id}/delivery/list', { params: { id }, query, signal }),
  );
  useEvery(EVERY_MS, list);
  return (
    <Loaded query={list} rows={1}>
      {(rows) =>
        rows.length === 0 ? (
          <p class="quiet">{words.noDeliveries}</p>
        ) : (
          <Table
            label={words.deliveries}
            columns={columns}
            rows={rows}
            id={({ eventId }) => eventId}
            {...(list.more && { onEnd: list.more })}
          />
        )
      }
    </Loaded>
  );
}

const columns: readonly Column<Delivery>[] = [
  { key: 'event', title: words.event, cell: ({ type }) => shortType(type) },
  {
    key: 'state',
    title: words.state,
    cell: ({ state, status, attempts, error }) => (
      <>
        <Tag kind={state === 'Delivered' ? 'ok' : state === 'Failed' ? 'bad' : undefined}>{words.delivery[state]}</Tag>{' '}
        <span class="small quiet">{[status, words.attempts(attempts), error].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  {
    key: 'time',
    title: words.time,
    number: true,
    cell: ({ updatedAt }) => <When at={updatedAt} />,
    phone: 'quiet',
  },
];

/** `svc.platform.events.transferfinishedevent` → `transferfinished`. */
export const shortType = (type: string): string => type.replace(/^svc\.platform\.events\./, '').replace(/event$/, '');
