import { useState } from 'preact/hooks';
import { type ApiKey, api, type MyTenant } from '../../client/api.ts';
import { formatTime, formatWholeTime, parseTime } from '../../client/format.ts';
import { usePeople } from '../../client/people.ts';
import { refresh, useList } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { CreateButton } from '../../parts/create-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { SecretDialog } from '../../parts/secret.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { keyTexts as words } from '../../texts/tenant.ts';
import { texts } from '../../texts.ts';
import { ForOwners } from './frame.tsx';

/** API keys of the tenant. */
export default function KeysPage() {
  return <ForOwners title={words.title}>{(own) => <Keys own={own} />}</ForOwners>;
}

const ROLES = ['Reader', 'Contributor', 'Owner'] as const;

function Keys({ own }: { own: MyTenant }) {
  const list = useList(
    `keys ${own.id}`,
    async (query, signal) => (await api('GET /api/iam/key', { query, signal })).data,
  );
  const people = usePeople(list.data?.map(({ createdBy }) => createdBy) ?? [], words.you);
  const create = <CreateButton dialog={(close) => <NewKeyDialog close={close} />}>{words.create}</CreateButton>;
  return (
    <>
      <PageHead title={words.title} actions={list.data !== undefined && list.data.length > 0 && create}>
        {words.about}
      </PageHead>
      <section class="card">
        <QueryTable
          query={list}
          none={[words.none, words.noneWhy]}
          icon="key"
          actions={create}
          label={words.title}
          columns={columnsOf(people)}
          id={({ id }) => id}
        />
      </section>
    </>
  );
}

const columnsOf = (people: ReadonlyMap<string, string>): readonly Column<ApiKey>[] => [
  {
    key: 'name',
    title: words.name,
    cell: ({ name, allowedNetworks }) => (
      <>
        <b>{name}</b>
        {allowedNetworks && allowedNetworks.length > 0 && <div class="small quiet">{allowedNetworks.join(', ')}</div>}
      </>
    ),
  },
  { key: 'role', title: words.role, cell: ({ role }) => <Tag>{texts.roles[role] ?? role}</Tag> },
  {
    key: 'expires',
    title: words.expires,
    cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
    phoneLabel: words.expires,
  },
  {
    key: 'maker',
    title: words.madeBy,
    cell: ({ createdBy }) => people.get(createdBy) ?? <span class="quiet">{words.makerGone}</span>,
    phoneLabel: words.madeBy,
  },
  {
    key: 'used',
    title: words.lastUsed,
    cell: ({ lastUsedAt, lastUsedFrom }) =>
      lastUsedAt === undefined ? (
        <span class="quiet">{words.unused}</span>
      ) : (
        <span title={formatWholeTime(lastUsedAt)}>{words.used(formatTime(lastUsedAt), lastUsedFrom)}</span>
      ),
    phoneLabel: words.lastUsed,
  },
  actionsColumn((key) => (
    <Button small kind="bad" label={`${words.revoke} ${key.name}`} onClick={() => askRevoke(key)}>
      {words.revoke}
    </Button>
  )),
];

function Expiry({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="quiet">{words.never}</span>;
  const time = parseTime(at);
  // an expiry is shown as it was sent, if it is no time
  if (Number.isNaN(time.getTime())) return <>{at}</>;
  if (time < new Date()) return <Tag kind="bad">{words.expired}</Tag>;
  return <When at={at} />;
}

function askRevoke({ id, name }: ApiKey): void {
  confirm({
    title: words.revokeTitle(name),
    children: words.revokeWhy,
    action: words.revoke,
    async run() {
      await api('DELETE /api/iam/key/{id}', { params: { id } });
      refresh('keys ');
      toast(words.revoked(name));
    },
  });
}

function NewKeyDialog({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number]>('Reader');
  const [expiresAt, setExpiresAt] = useState(inDays(90));
  const [networks, setNetworks] = useState('');
  const [key, setKey] = useState<string>();

  async function create() {
    const allowedNetworks = networks.split(/[\s,]+/).filter(Boolean);
    const made = await api('POST /api/iam/key', {
      body: {
        name,
        role,
        ...(expiresAt !== '' && { expiresAt }),
        ...(allowedNetworks.length > 0 && { allowedNetworks }),
      },
    });
    setKey(made.key);
    refresh('keys ');
  }
  if (key !== undefined)
    return (
      <SecretDialog title={name} label={words.secret} value={key} close={close}>
        {words.secretHint} <code>svc-open-api-key</code>, {words.serviceHint} <code>svc-service-id: metadata</code>
      </SecretDialog>
    );
  return (
    <Dialog title={words.createTitle} onClose={close}>
      <EntryForm submit={words.create} onCancel={close} onSubmit={create} disabled={name.trim() === ''}>
        {({ fields }) => (
          <>
            <Field
              label={words.name}
              value={name}
              onInput={setName}
              hint={words.nameHint}
              error={fields.name}
              maxLength={255}
              required
            />
            <Field
              label={words.role}
              value={role}
              onInput={(value) => setRole(value as typeof role)}
              options={ROLES.map((value) => ({ value, name: words.roleHints[value]! }))}
              error={fields.role}
            />
            <Field
              label={words.expires}
              type="date"
              value={expiresAt}
              onInput={setExpiresAt}
              hint={words.expiresHint}
              error={fields.expiresAt}
              optional
            />
            <Field
              label={words.networks}
              lines
              value={networks}
              onInput={setNetworks}
              hint={words.networksHint}
              error={fields.allowedNetworks}
              optional
            />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
