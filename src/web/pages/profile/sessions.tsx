import { api, type Logins } from '../../client/api.ts';
import { formatTime } from '../../client/format.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Tag } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { actionsColumn, type Column, Table } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { profileTexts as words } from '../../texts/profile.ts';

type Login = Logins['data'][number];

const KEY = 'sessions';

/** Where the account is signed in. */
export function SessionsCard() {
  const list = useQuery(KEY, (signal) => api('GET /api/tokens/family', { signal }));
  const others = list.data?.data.filter(({ current }) => !current) ?? [];
  return (
    <section class="card" aria-labelledby="sessions">
      <div class="filter-bar">
        <div class="grow">
          <h2 id="sessions">{words.sessionsTitle}</h2>
          <p class="quiet">{words.sessionsHint}</p>
        </div>
        {others.length > 0 && <Button onClick={() => endOthers(others)}>{words.endOthers}</Button>}
      </div>
      <Loaded query={list}>
        {({ data }) => <Table label={words.sessionsTitle} columns={columns} rows={data} id={({ id }) => id} />}
      </Loaded>
    </section>
  );
}

const columns: readonly Column<Login>[] = [
  {
    key: 'device',
    title: words.device,
    cell: ({ device, current }) => (
      <>
        <b>{device ?? words.unknownDevice}</b> {current && <Tag kind="ok">{words.current}</Tag>}
      </>
    ),
  },
  { key: 'address', title: words.address, cell: ({ address, lastAddress }) => lastAddress ?? address ?? '' },
  { key: 'used', title: words.lastUsed, cell: ({ lastUsedAt }) => formatTime(lastUsedAt), phone: 'quiet' },
  actionsColumn(
    (login) =>
      !login.current && (
        <Button small label={`${words.end} ${login.device ?? words.unknownDevice}`} onClick={() => end(login)}>
          {words.end}
        </Button>
      ),
  ),
];

async function end({ id }: Login): Promise<void> {
  await api('DELETE /api/tokens/family/{id}', { params: { id } });
  refresh(KEY);
  toast(words.ended);
}

function endOthers(others: readonly Login[]): void {
  confirm({
    title: words.endOthers,
    children: words.endOthersQuestion,
    action: words.endOthers,
    async run() {
      for (const { id } of others) await api('DELETE /api/tokens/family/{id}', { params: { id } });
      refresh(KEY);
      toast(words.othersEnded);
    },
  });
}
