import { useEffect, useId, useState } from 'preact/hooks';
import { place, setQuery } from '../../../app/router.ts';
import { type AuditEntry, api } from '../../../client/api.ts';
import { csvFile, saveFile } from '../../../client/csv.ts';
import { useCursorList } from '../../../client/query.ts';
import { Button } from '../../../parts/button.tsx';
import { FindField } from '../../../parts/field.tsx';
import { PageHead } from '../../../parts/page-head.tsx';
import { QueryTable } from '../../../parts/query-table.tsx';
import type { Column } from '../../../parts/table.tsx';
import { When } from '../../../parts/when.tsx';
import { auditTexts as words } from '../../../texts/audit.ts';
import { texts } from '../../../texts.ts';

/** What is typed is asked for after a pause. */
const PAUSE_MS = 400;
const AT_ONCE = 1000;
/** Entries that are saved at most. */
const MOST = 100_000;

interface Filter {
  tenantId?: string;
  account?: string;
  action?: string;
  /** Days of the reader's time zone: `2026-01-24`. */
  after?: string;
  until?: string;
}

/** The audit trail of the platform, or of a tenant; filters stand in the address. */
export function AuditTrail({ tenantId, about }: { tenantId?: string; about: string }) {
  const filter: Filter = { ...Object.fromEntries(place.value.query), ...(tenantId !== undefined && { tenantId }) };
  const list = useCursorList(`audit ${JSON.stringify(filter)}`, (range, signal) => read(filter, range, signal));
  const rows = list.data ?? [];
  return (
    <>
      <PageHead
        title={words.title}
        actions={
          <Button icon="download" onClick={() => save(filter)}>
            {texts.csv}
          </Button>
        }
      >
        {about}
      </PageHead>
      <section class="card">
        <div class="filter-bar">
          <Typed name="account" label={words.account} />
          <Typed name="action" label={words.actionFilter} proposals={familiesOf(rows)} />
          <Day name="after" label={words.after} />
          <Day name="until" label={words.until} />
        </div>
        <QueryTable
          query={list}
          none={[words.none, words.noneWhy]}
          icon="list"
          label={words.title}
          columns={columns}
          id={({ id }) => String(id)}
        />
      </section>
    </>
  );
}

function read(filter: Filter, range: { cursor?: string; limit: number }, signal?: AbortSignal) {
  const { tenantId, account, action, after, until } = filter;
  return api('GET /api/audit/list', {
    query: {
      ...range,
      ...(tenantId && { tenantId }),
      ...(account && { account }),
      ...(action && { action }),
      ...(after && { after: startOf(after, 0) }),
      ...(until && { before: startOf(until, 1) }),
    },
    ...(signal && { signal }),
  });
}

/** The start of a day, or of one after it, in the reader's time zone. */
function startOf(day: string, later: number): string {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
}

/** The actions of entries, and what they begin with: `key`, `key.create`. */
const familiesOf = (rows: readonly AuditEntry[]) =>
  [...new Set(rows.flatMap(({ action }) => [action.replace(/\.[^.]*$/, ''), action]))].sort();

async function save(filter: Filter): Promise<void> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(filter, { limit: AT_ONCE, ...(cursor !== undefined && { cursor }) });
    entries.push(...page.data);
    cursor = page.cursor;
    if (entries.length >= MOST && cursor !== undefined) throw new Error(words.tooMany(MOST));
  } while (cursor !== undefined);
  const lines = entries.map(({ details, ...entry }) => [
    ...MEMBERS.map((name) => inert(entry[name])),
    JSON.stringify(details),
  ]);
  saveFile(csvFile([[...MEMBERS, 'details'], ...lines]), 'audit.csv');
}

const MEMBERS = [
  'time',
  'accountId',
  'accountName',
  'action',
  'subject',
  'subjectName',
  'tenantId',
  'reason',
  'address',
  'agent',
  'requestId',
] as const;

/** Others wrote these texts: spreadsheets run those that begin like a formula. */
const inert = (text: string | undefined) => (text !== undefined && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function Typed({ name, label, proposals }: { name: keyof Filter; label: string; proposals?: readonly string[] }) {
  const value = place.value.query.get(name) ?? '';
  const [typed, setTyped] = useState(value);
  const id = useId();
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() || undefined }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <FindField label={label} value={typed} onInput={setTyped} list={proposals && id} />
      {proposals && (
        <datalist id={id}>
          {proposals.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

const Day = ({ name, label }: { name: keyof Filter; label: string }) => (
  <label class="day small quiet">
    {label}
    <input
      class="input"
      type="date"
      value={place.value.query.get(name) ?? ''}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined })}
    />
  </label>
);

const isNested = (value: unknown) => typeof value === 'object' && value !== null;
const plainOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .flatMap(([name, value]) => (isNested(value) ? [] : [`${name}: ${value}`]))
    .join(' · ');

/** The name of a thing, if there is one, with its id. */
const Named = ({ id, name }: { id: string; name: string | undefined }) => (
  <>
    {name ?? id}
    {name !== undefined && <div class="small quiet">{id}</div>}
  </>
);

const columns: readonly Column<AuditEntry>[] = [
  {
    key: 'action',
    title: words.action,
    cell: ({ action, details, reason }) => (
      <>
        <b>{action}</b>
        {reason && <div class="small">{reason}</div>}
        <div class="small quiet">{plainOf(details)}</div>
        {Object.values(details).some(isNested) && (
          <details class="small">
            <summary class="quiet" aria-label={words.details(action)}>
              {words.show}
            </summary>
            <pre>{JSON.stringify(details, undefined, 1)}</pre>
          </details>
        )}
      </>
    ),
  },
  {
    key: 'subject',
    title: words.subject,
    cell: ({ subject, subjectName }) => <Named id={subject} name={subjectName} />,
    phoneLabel: words.subject,
  },
  {
    key: 'by',
    title: words.by,
    cell: ({ accountId, accountName, address, agent }) => (
      <>
        {accountId === undefined ? (
          <span class="quiet">{words.nobody}</span>
        ) : (
          <Named id={accountId} name={accountName} />
        )}
        {address && (
          <div class="small quiet" title={agent}>
            {address}
          </div>
        )}
      </>
    ),
    phoneLabel: words.by,
  },
  {
    key: 'time',
    title: words.time,
    number: true,
    cell: ({ time }) => <When at={time} />,
    phone: 'quiet',
  },
];
