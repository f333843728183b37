import { api, type CreditDetail, type ExtendedCreditDetail, type MyTenant } from '../../client/api.ts';
import { formatNumber } from '../../client/format.ts';
import { useList, useQuery } from '../../client/query.ts';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import type { Column } from '../../parts/table.tsx';
import { When } from '../../parts/when.tsx';
import { creditTexts as words } from '../../texts/credits.ts';
import { ForecastChart } from './credits/forecast.tsx';
import { ForOwners } from './frame.tsx';

/** Balance, lots, forecast and ledger of the tenant. */
export default function CreditsPage() {
  return <ForOwners title={words.title}>{(own) => <Credits own={own} />}</ForOwners>;
}

const CHANGES = { changes: ['credits'] };

function Credits({ own: { id } }: { own: MyTenant }) {
  const balance = useQuery(
    `credits ${id} balance`,
    (signal) => api('GET /api/iam/credit/{tenantId}', { params: { tenantId: id }, signal }),
    CHANGES,
  );
  return (
    <>
      <PageHead title={words.title} />
      <Loaded query={balance}>
        {({ data }) => (
          <div class="stack sections">
            <dl class="figures" aria-label={words.balance}>
              {Object.entries(words.statuses).map(([status, name]) => (
                <div key={status} class="card">
                  <dt>{name}</dt>
                  <dd class="figure">{formatNumber(data.find((one) => one.status === status)?.credits ?? 0)}</dd>
                  <dd class="small quiet">{words.statusHints[status]}</dd>
                </div>
              ))}
            </dl>
            <div class="columns">
              <Forecast id={id} />
              <Lots id={id} />
            </div>
            <Ledger id={id} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Forecast({ id }: { id: string }) {
  const forecast = useQuery(
    `credits ${id} forecast`,
    (signal) => api('GET /api/iam/credit/{tenantId}/forecast', { params: { tenantId: id }, signal }),
    CHANGES,
  );
  return (
    <section class="card" aria-labelledby="forecast">
      <div class="section-head">
        <h2 id="forecast">{words.forecast}</h2>
        {forecast.data && <span class="small quiet">{words.pace(forecast.data.spentPerDay)}</span>}
      </div>
      <Loaded query={forecast}>{(data) => <ForecastChart forecast={data} />}</Loaded>
    </section>
  );
}

function Lots({ id }: { id: string }) {
  const lots = useList(
    `credits ${id} lots`,
    async (range, signal) =>
      (
        await api('POST /api/iam/credit/details', {
          query: { ...range, filter: ['Available'] },
          body: { tenantId: id },
          signal,
        })
      ).data,
    CHANGES,
  );
  return (
    <section class="card" aria-labelledby="lots">
      <div class="section-head">
        <h2 id="lots">{words.lots}</h2>
      </div>
      <QueryTable
        query={lots}
        none={[words.noLots, words.noLotsWhy]}
        icon="coin"
        label={words.lots}
        columns={lotColumns}
        id={(lot) => JSON.stringify(lot)}
      />
    </section>
  );
}

const credits: Column<CreditDetail | ExtendedCreditDetail> = {
  key: 'credits',
  title: words.credits,
  number: true,
  cell: ({ credits: amount }) => formatNumber(amount),
  phoneLabel: words.credits,
};

const lotColumns: readonly Column<CreditDetail>[] = [
  {
    key: 'order',
    title: words.order,
    cell: ({ salesOrderId, billingReference: { billingReference, billingReferenceTag } }) => (
      <>
        <b>{salesOrderId}</b>
        <div class="small quiet">{[billingReference, billingReferenceTag].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  {
    key: 'expires',
    title: words.expires,
    cell: ({ expiresAt }) => <When at={expiresAt} />,
    phoneLabel: words.expires,
  },
  credits,
];

function Ledger({ id }: { id: string }) {
  const ledger = useList(
    `credits ${id} ledger`,
    async (range, signal) =>
      (
        await api('POST /api/iam/credit/details/extended', {
          query: { ...range, filter: ['Reserved', 'Spent', 'Expired'] },
          body: { tenantId: id },
          signal,
        })
      ).data,
    CHANGES,
  );
  return (
    <section class="card" aria-labelledby="ledger">
      <div class="section-head">
        <h2 id="ledger">{words.ledger}</h2>
      </div>
      <QueryTable
        query={ledger}
        none={[words.noLedger, words.noLedgerWhy]}
        icon="list"
        label={words.ledger}
        columns={ledgerColumns}
        id={(entry) => JSON.stringify(entry)}
      />
    </section>
  );
}

const ledgerColumns: readonly Column<ExtendedCreditDetail>[] = [
  {
    key: 'what',
    title: words.what,
    cell: ({ projectName, operationId, salesOrderId }) => (
      <>
        <b>{projectName ?? operationId ?? salesOrderId}</b>
        {projectName && operationId && <div class="small quiet">{operationId}</div>}
      </>
    ),
  },
  {
    key: 'status',
    title: words.status,
    cell: ({ status }) => (
      <Tag kind={status === 'Reserved' ? 'run' : status === 'Expired' ? 'warn' : undefined}>
        {words.statuses[status]}
      </Tag>
    ),
  },
  {
    key: 'time',
    title: words.time,
    cell: ({ createdAt }) => <When at={createdAt} />,
    phone: 'quiet',
  },
  credits,
];
