import { to } from '../../client/address.ts';
import { api, type LineageEdge, type LineageNode } from '../../client/api.ts';
import { formatTime, formatWholeTime } from '../../client/format.ts';
import { useQuery } from '../../client/query.ts';
import { Loaded } from '../../parts/states.tsx';
import { historyTexts } from '../../texts/dataset-pages.ts';
import { converterName, transformationName } from '../../texts/formats.ts';
import { mapTexts as words } from '../../texts/map.ts';

/** Losses that are shown here; the receipt has all. */
const MOST_LOSSES = 3;

/** The files and datasets that the content was made of, by which reader, and what was lost. */
export function SourceCard({ id }: { id: string }) {
  const lineage = useQuery(
    `dataset ${id} lineage`,
    (signal) => api('GET /api/metadata/dataset/{id}/lineage', { params: { id }, signal }),
    { changes: ['dataset', 'transfer'] },
  );
  return (
    <section class="card padded stack" aria-labelledby="source-head">
      <h2 id="source-head">{words.source}</h2>
      <Loaded query={lineage} rows={2}>
        {({ nodes, edges }) => {
          const steps = edges.filter((edge) => edge.to === id);
          if (steps.length === 0) return <p class="quiet">{historyTexts.noSources}</p>;
          const [{ transfer }] = steps as [LineageEdge];
          return (
            <>
              <ul class="stack">
                {steps.map((edge) => (
                  <SourceItem
                    key={`${edge.from} ${edge.role}`}
                    edge={edge}
                    node={nodes.find((one) => one.id === edge.from)}
                  />
                ))}
              </ul>
              {transfer && <Losses transferId={transfer.id} />}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function SourceItem({ edge: { action, role, transfer }, node }: { edge: LineageEdge; node: LineageNode | undefined }) {
  const how = [
    action,
    transfer?.reader && converterName(transfer.reader),
    ...(transfer?.transformations ?? []).map(transformationName),
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <li>
      {node === undefined || node.hidden ? (
        <span class="quiet">{historyTexts.hidden}</span>
      ) : node.kind === 'dataset' ? (
        <a href={to(`/datasets/${node.id}`)}>{node.name}</a>
      ) : (
        <b>{node.name}</b>
      )}{' '}
      {node && !node.hidden && <span class="small quiet">{historyTexts.kinds[node.kind]}</span>}
      <div class="small quiet">
        {how}
        {role === 'sideInput' && ` · ${historyTexts.side}`}
        {transfer && (
          <>
            {' · '}
            <time title={formatWholeTime(transfer.time)}>{formatTime(transfer.time)}</time>
          </>
        )}
      </div>
    </li>
  );
}

function Losses({ transferId }: { transferId: string }) {
  const transfer = useQuery(`transfer ${transferId}`, (signal) =>
    api('GET /api/conversion/transfer/{id}', { params: { id: transferId }, signal }),
  );
  const lost = transfer.data?.receipt?.lost;
  return (
    <>
      {lost !== undefined &&
        (lost.length === 0 ? (
          <p class="small">{historyTexts.nothingLost}</p>
        ) : (
          <div class="small">
            <p>{words.lost(lost.length)}</p>
            <ul class="sentences">
              {lost.slice(0, MOST_LOSSES).map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </div>
        ))}
      {transfer.data && <a href={to(`/transfers/${transferId}`)}>{words.receipt}</a>}
    </>
  );
}
