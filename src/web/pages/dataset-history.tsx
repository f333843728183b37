import { type PageProps, pageExists } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type DatasetContent, type Lineage, type LineageNode } from '../client/api.ts';
import { formatSize, formatTime } from '../client/format.ts';
import { usePeople } from '../client/people.ts';
import { useCursorList, useQuery } from '../client/query.ts';
import { ActivityList } from '../parts/activity-list.tsx';
import { Button } from '../parts/button.tsx';
import { Tag } from '../parts/page-head.tsx';
import { Sentences } from '../parts/sentences.tsx';
import { copyText, Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';
import { recordTexts, historyTexts as words } from '../texts/dataset-pages.ts';
import { converterName, transformationName } from '../texts/formats.ts';
import { DatasetFrame } from './datasets/frame.tsx';

/** `/datasets/{id}/history` */
export default function DatasetHistoryPage({ params: { id = '' } }: PageProps) {
  return <DatasetFrame id={id}>{() => <History key={id} id={id} />}</DatasetFrame>;
}

function History({ id }: { id: string }) {
  const contents = useCursorList(
    `dataset ${id} history`,
    (query, signal) => api('GET /api/metadata/dataset/{id}/history', { params: { id }, query, signal }),
    { changes: ['dataset', 'transfer'] },
  );
  const lineage = useQuery(
    `dataset ${id} lineage`,
    (signal) => api('GET /api/metadata/dataset/{id}/lineage', { params: { id }, signal }),
    { changes: ['dataset', 'transfer'] },
  );
  const activity = useCursorList(
    `dataset ${id} activity`,
    (query, signal) => api('GET /api/metadata/dataset/{id}/activity', { params: { id }, query, signal }),
    { changes: ['dataset', 'transfer'] },
  );
  return (
    <div class="stack">
      <section class="card" aria-labelledby="contents">
        <h2 id="contents" class="card-head">
          {words.contents}
        </h2>
        <Loaded query={contents}>
          {(rows) => <Contents rows={rows} {...(contents.more && { more: contents.more })} />}
        </Loaded>
      </section>
      <div class="columns">
        <section class="card padded stack" aria-labelledby="lineage">
          <h2 id="lineage">{words.lineage}</h2>
          <Loaded query={lineage}>{(found) => <LineageLists id={id} lineage={found} />}</Loaded>
        </section>
        <Receipt transferId={contents.data?.find(({ current }) => current)?.transferId} />
      </div>
      <h2>{words.activity}</h2>
      <ActivityList list={activity} />
    </div>
  );
}

function Contents({ rows, more }: { rows: readonly DatasetContent[]; more?: () => void }) {
  const names = usePeople(
    rows.flatMap(({ by }) => by ?? []),
    recordTexts.you,
  );
  if (rows.length === 0)
    return (
      <Empty title={words.none} icon="clock">
        {words.noneWhy}
      </Empty>
    );
  return (
    <Table
      label={words.contents}
      rows={rows}
      id={({ time, transferId }) => `${time} ${transferId}`}
      {...(more && { onEnd: more })}
      columns={[
        {
          key: 'time',
          title: words.time,
          cell: ({ time, current }) => (
            <>
              <When at={time} /> {current && <Tag kind="ok">{words.current}</Tag>}
            </>
          ),
        },
        {
          key: 'by',
          title: words.by,
          cell: ({ by }) => (by === undefined ? words.platform : (names.get(by) ?? recordTexts.unknown)),
        },
        {
          key: 'size',
          title: words.size,
          number: true,
          cell: ({ size }) => (size === undefined ? '' : formatSize(size)),
        },
        {
          key: 'digest',
          title: words.digest,
          phone: 'hide',
          cell: ({ sha256 }) => sha256 && <Digest value={sha256} />,
        },
        {
          key: 'transfer',
          title: words.transfer,
          cell: ({ transferId }) => transferId && <a href={to(`/transfers/${transferId}`)}>{words.openTransfer}</a>,
        },
      ]}
    />
  );
}

const Digest = ({ value }: { value: string }) => (
  <span class="row">
    <code title={value}>{value.slice(0, 12)}…</code>
    <Button small kind="ghost" icon="copy" label={words.copyDigest} onClick={() => copyText(value)} />
  </span>
);

function Receipt({ transferId }: { transferId: string | undefined }) {
  const transfer = useQuery(transferId && `transfer ${transferId}`, (signal) =>
    api('GET /api/conversion/transfer/{id}', { params: { id: transferId! }, signal }),
  );
  const receipt = transfer.data?.receipt;
  return (
    <section class="card padded stack" aria-labelledby="receipt">
      <h2 id="receipt">{words.receipt}</h2>
      {receipt === undefined ? (
        <p class="quiet">{words.noReceipt}</p>
      ) : (
        <>
          <Sentences title={words.lost} sentences={receipt.lost} none={words.nothingLost} />
          {receipt.remarks.length > 0 && <Sentences title={words.remarks} sentences={receipt.remarks} />}
          <a href={to(`/transfers/${transferId}`)}>{words.openTransfer}</a>
        </>
      )}
    </section>
  );
}

/** What a dataset was made from, step by step back, and what was made of it, as two lists of indented steps. */
function LineageLists({ id, lineage }: { id: string; lineage: Lineage }) {
  return (
    <>
      <h3>{words.madeFrom}</h3>
      <Steps id={id} lineage={lineage} direction="up" none={words.noSources} />
      <h3>{words.madeOf}</h3>
      <Steps id={id} lineage={lineage} direction="down" none={words.noUses} />
      {lineage.truncated && <p class="quiet">{words.truncated}</p>}
    </>
  );
}

interface StepsProps {
  id: string;
  lineage: Lineage;
  direction: 'up' | 'down';
  none?: string;
  /** Nodes on the way here, which are not shown again. */
  seen?: readonly string[];
}

function Steps({ id, lineage, direction, none, seen = [id] }: StepsProps) {
  const [here, there] = direction === 'up' ? (['to', 'from'] as const) : (['from', 'to'] as const);
  const edges = lineage.edges.filter((edge) => edge[here] === id && !seen.includes(edge[there]));
  if (edges.length === 0) return none === undefined ? null : <p class="quiet">{none}</p>;
  return (
    <ul class="lineage">
      {edges.map((edge) => {
        const node = lineage.nodes.find((one) => one.id === edge[there]);
        const { writer, transformations = [], time } = edge.transfer ?? {};
        const how = [writer && converterName(writer), ...transformations.map(transformationName)]
          .filter(Boolean)
          .join(', ');
        return (
          <li key={`${edge.from} ${edge.to} ${edge.action} ${edge.transfer?.id}`}>
            {node && <Node node={node} />} {edge.role === 'sideInput' && <Tag>{words.side}</Tag>}
            <div class="small quiet">
              {edge.action}
              {how && ` · ${how}`}
              {time && ` · ${formatTime(time)}`}
            </div>
            <Steps id={edge[there]} lineage={lineage} direction={direction} seen={[...seen, edge[there]]} />
          </li>
        );
      })}
    </ul>
  );
}

function Node({ node: { id, kind, name = '', hidden } }: { node: LineageNode }) {
  if (hidden) return <span class="quiet">{words.hidden}</span>;
  const path = `/datasets/${id}`;
  return (
    <>
      {kind === 'dataset' && pageExists(path) ? <a href={to(path)}>{name}</a> : <b>{name}</b>}{' '}
      <span class="small quiet">{words.kinds[kind]}</span>
    </>
  );
}
