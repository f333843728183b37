import { pageExists, place, setQuery, setView } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type ListedTransfer } from '../client/api.ts';
import { formatNumber } from '../client/format.ts';
import { usePeople } from '../client/people.ts';
import { useList, useQuery } from '../client/query.ts';
import { account } from '../client/session.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { Whose } from '../parts/whose.tsx';
import { formatName } from '../texts/formats.ts';
import { transferTexts as words } from '../texts/transfers.ts';
import { cancelTransfer, retryTransfer } from './transfers/actions.tsx';
import { Causes } from './transfers/causes.tsx';
import { isOpen, ProjectLink, State, Why } from './transfers/state.tsx';

/** States of the API by filter of the page. */
const STATES: Record<string, ListedTransfer['status'][]> = {
  all: [],
  running: ['InProgress'],
  waiting: ['Pending', 'None'],
  failed: ['Error'],
  done: ['Completed'],
};
const FILTERS = Object.keys(STATES);

/** All transfers that the reader may see, newest first. Filters stand in the query of the address. */
export default function TransfersPage() {
  const { query } = place.value;
  const filter = FILTERS.find((one) => one === query.get('state')) ?? 'all';
  const mine = query.get('whose') === 'mine';
  const project = query.get('project') ?? undefined;
  const dataset = query.get('dataset') ?? undefined;
  const subject = { ...(project && { projectId: project }), ...(dataset && { datasetId: dataset }) };
  const isMine = ({ createdBy }: ListedTransfer) => !mine || createdBy === account.value?.userId;
  const list = useList(
    `transfers ${filter} ${project ?? ''} ${dataset ?? ''}`,
    async (range, signal) => {
      const status = STATES[filter]!;
      const asked = { ...range, ...subject, ...(status.length > 0 && { status }) };
      return (await api('GET /api/conversion/transfer/list', { query: asked, signal })).data;
    },
    { changes: ['transfer'] },
  );
  return (
    <>
      <PageHead
        title={words.title}
        actions={<Whose mine={mine} label={words.whose} all={words.everyone} own={words.mine} />}
      >
        {words.intro}
      </PageHead>
      <Filters current={filter} subject={subject} />
      {(filter === 'all' || filter === 'failed') && project === undefined && dataset === undefined && (
        <Causes isMine={isMine} />
      )}
      <section class="card" aria-label={words.title}>
        <Loaded query={list}>
          {(all) => {
            const rows = all.filter(isMine);
            const plain = filter === 'all' && !mine && project === undefined && dataset === undefined;
            return rows.length === 0 ? <None plain={plain} /> : <Transfers rows={rows} onEnd={list.more} />;
          }}
        </Loaded>
      </section>
    </>
  );
}

function Filters({ current, subject }: { current: string; subject: { projectId?: string; datasetId?: string } }) {
  const { data } = useQuery(
    `transfers counted ${Object.values(subject)}`,
    (signal) =>
      Promise.all(
        FILTERS.map(async (filter) => {
          const status = STATES[filter]!;
          const query = { limit: 1, ...subject, ...(status.length > 0 && { status }) };
          return (await api('GET /api/conversion/transfer/list', { query, signal })).totalCount;
        }),
      ),
    { changes: ['transfer'] },
  );
  const address = (filter: string) => {
    const query = new URLSearchParams(place.value.query);
    if (filter === 'all') query.delete('state');
    else query.set('state', filter);
    const text = query.toString();
    return to(`/transfers${text === '' ? '' : `?${text}`}`);
  };
  return (
    <nav class="pills" aria-label={words.states}>
      {FILTERS.map((filter, index) => (
        <a key={filter} href={address(filter)} aria-current={filter === current ? 'page' : undefined}>
          {words.filters[filter]}
          {data !== undefined && <span class="quiet">{formatNumber(data[index]!)}</span>}
        </a>
      ))}
      {Object.keys(subject).length > 0 && (
        <Button small kind="ghost" icon="cross" onClick={() => setQuery({ project: undefined, dataset: undefined })}>
          {words.everyProject}
        </Button>
      )}
    </nav>
  );
}

function Transfers({ rows, onEnd }: { rows: readonly ListedTransfer[]; onEnd: (() => void) | undefined }) {
  const people = usePeople(
    rows.map(({ createdBy }) => createdBy),
    words.you,
  );
  const why = place.value.view.get('why') ?? undefined;
  return (
    <Table
      label={words.title}
      columns={columnsFor(people, why)}
      rows={rows}
      id={({ id }) => id}
      below={(transfer) =>
        transfer.id === why && isOpen(transfer) ? (
          <div class="card padded">
            <Why id={transfer.id} />
          </div>
        ) : undefined
      }
      {...(onEnd && { onEnd })}
    />
  );
}

const columnsFor = (people: ReadonlyMap<string, string>, why: string | undefined): Column<ListedTransfer>[] => [
  {
    key: 'name',
    title: words.what,
    cell: ({ id, name, type, createdBy }) => (
      <>
        <a class="name" href={to(`/transfers/${id}`)}>
          {name}
        </a>
        <div class="small quiet">{[words.types[type] ?? type, people.get(createdBy)].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  {
    key: 'where',
    title: words.where,
    phone: 'quiet',
    cell: ({ format, projectId }) => (
      <span class="quiet">
        {formatName(format)}
        <div class="small">
          <ProjectLink id={projectId} />
        </div>
      </span>
    ),
  },
  { key: 'state', title: words.state, cell: (transfer) => <State transfer={transfer} /> },
  {
    key: 'started',
    title: words.started,
    number: true,
    phone: 'hide',
    cell: ({ createdAt }) => <When at={createdAt} quiet />,
  },
  {
    key: 'actions',
    title: words.actions,
    hiddenTitle: true,
    narrow: true,
    cell: (transfer) => <Actions transfer={transfer} why={transfer.id === why} />,
  },
];

function Actions({ transfer, why }: { transfer: ListedTransfer; why: boolean }) {
  const { id, name, status, type } = transfer;
  return (
    <div class="row transfer-actions">
      {(status === 'Pending' || status === 'None') && (
        <Button
          small
          label={why ? words.hideWhy : words.whyOf(name)}
          onClick={() => setView({ why: why ? undefined : id })}
        >
          {why ? words.hideWhy : words.why}
        </Button>
      )}
      {isOpen(transfer) && (
        <Button small label={words.cancelOf(name)} onClick={() => cancelTransfer(transfer)}>
          {words.cancel}
        </Button>
      )}
      {status === 'Error' && (
        <Button small label={words.retryOf(name)} onClick={() => retryTransfer(transfer)}>
          {words.retry}
        </Button>
      )}
      {status === 'Completed' && type === 'Export' && (
        <Button small icon="download" onClick={() => download(id)}>
          {words.download}
        </Button>
      )}
    </div>
  );
}

/** The address of a file is signed for an hour, so it is asked for at the click. */
async function download(id: string): Promise<void> {
  const { downloadPath } = await api('GET /api/conversion/transfer/{id}', { params: { id } });
  if (downloadPath !== undefined) window.location.assign(downloadPath);
}

const None = ({ plain }: { plain: boolean }) =>
  plain ? (
    <Empty
      title={words.none}
      icon="transfer"
      actions={
        pageExists('/upload') && (
          <ButtonLink kind="main" icon="upload" href={to('/upload')}>
            {words.upload}
          </ButtonLink>
        )
      }
    >
      {words.noneWhy}
    </Empty>
  ) : (
    <Empty
      title={words.noneFound}
      icon="transfer"
      actions={
        <Button
          onClick={() => setQuery({ state: undefined, whose: undefined, project: undefined, dataset: undefined })}
        >
          {words.clear}
        </Button>
      }
    />
  );
