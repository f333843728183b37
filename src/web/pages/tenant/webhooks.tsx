import { place, setView } from '../../app/router.ts';
import { api, type MyTenant, type Webhook } from '../../client/api.ts';
import { formatTime } from '../../client/format.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { CreateButton } from '../../parts/create-button.tsx';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import type { Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { webhookTexts as words } from '../../texts/webhooks.ts';
import { texts } from '../../texts.ts';
import { ForOwners } from './frame.tsx';
import { NewWebhookDialog } from './webhooks/create.tsx';
import { Deliveries } from './webhooks/deliveries.tsx';

/** Webhooks of the tenant with their deliveries. */
export default function WebhooksPage() {
  return <ForOwners title={words.title}>{(own) => <Webhooks own={own} />}</ForOwners>;
}

function Webhooks({ own }: { own: MyTenant }) {
  const list = useQuery(
    `webhooks ${own.id}`,
    async (signal) => (await api('GET /api/eventing/webhook', { signal })).data,
  );
  const create = <CreateButton dialog={(close) => <NewWebhookDialog close={close} />}>{words.create}</CreateButton>;
  const opened = place.value.view.get('webhook');
  return (
    <>
      <PageHead title={words.title} actions={list.data !== undefined && list.data.length > 0 && create}>
        {words.about}
      </PageHead>
      <section class="card">
        <QueryTable
          query={list}
          none={[words.none, words.noneWhy]}
          icon="hook"
          actions={create}
          label={words.title}
          columns={columnsOf(opened)}
          id={({ id }) => id}
          below={({ id }) => (id === opened ? <Deliveries id={id} /> : undefined)}
        />
      </section>
    </>
  );
}

const columnsOf = (opened: string | null): readonly Column<Webhook>[] => [
  {
    key: 'url',
    title: words.url,
    cell: ({ url, types }) => (
      <>
        <b>{url}</b>
        <div class="small quiet" title={types.join('\n')}>
          {words.types(types.length)}
        </div>
      </>
    ),
  },
  {
    key: 'state',
    title: words.state,
    cell: ({ status, failingSince }) => (
      <span class="row">
        <Tag kind={status === 'Active' ? 'ok' : status === 'Failing' ? 'warn' : 'bad'}>{words.states[status]}</Tag>
        {failingSince && <span class="small quiet">{words.since(formatTime(failingSince))}</span>}
      </span>
    ),
  },
  {
    key: 'actions',
    title: texts.more,
    hiddenTitle: true,
    cell: (webhook) => <Actions webhook={webhook} opened={webhook.id === opened} />,
  },
];

const Actions = ({ webhook: { id, url }, opened }: { webhook: Webhook; opened: boolean }) => (
  <span class="row end">
    <Button small label={`${words.test} ${url}`} onClick={() => test(id)}>
      {words.test}
    </Button>
    <Button
      small
      label={`${opened ? words.hide : words.deliveries} ${url}`}
      onClick={() => setView({ webhook: opened ? undefined : id })}
    >
      {opened ? words.hide : words.deliveries}
    </Button>
    <Button small kind="bad" label={`${texts.delete} ${url}`} onClick={() => askDelete(id, url)}>
      {texts.delete}
    </Button>
  </span>
);

async function test(id: string): Promise<void> {
  const { status, milliseconds, error } = await api('POST /api/eventing/webhook/{id}/test', { params: { id } });
  refresh('webhooks ', 'deliveries ');
  if (error !== undefined || status === undefined) throw new Error(words.notDelivered(error ?? ''));
  toast(words.answered(status, milliseconds));
}

function askDelete(id: string, url: string): void {
  confirm({
    title: words.deleteTitle,
    children: words.deleteWhy(url),
    action: texts.delete,
    async run() {
      await api('DELETE /api/eventing/webhook/{id}', { params: { id } });
      refresh('webhooks ');
      toast(words.deleted);
    },
  });
}
