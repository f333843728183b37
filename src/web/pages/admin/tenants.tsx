import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, type Tenant } from '../../client/api.ts';
import { refresh, useList, useQuery } from '../../client/query.ts';
import { enter } from '../../client/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { CreateButton } from '../../parts/create-button.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.tsx';
import { Check, EntryForm, Field } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { When } from '../../parts/when.tsx';
import { creditTexts } from '../../texts/credits.ts';
import { tenantListTexts as words } from '../../texts/tenants.ts';
import { texts } from '../../texts.ts';
import { ForAdministrators } from './frame.tsx';
import { CreditsDialog } from './tenants/credits.tsx';

/** All tenants and their licences. */
export default function TenantsPage() {
  return <ForAdministrators title={words.title}>{() => <Tenants />}</ForAdministrators>;
}

function Tenants() {
  const list = useList(
    'admin tenants',
    async (query, signal) => (await api('GET /api/iam/tenant', { query, signal })).data,
  );
  return (
    <>
      <PageHead
        title={words.title}
        actions={<CreateButton dialog={(close) => <NewTenantDialog close={close} />}>{words.create}</CreateButton>}
      />
      <section class="card">
        <QueryTable query={list} label={words.title} columns={columns} id={({ id }) => id} />
      </section>
    </>
  );
}

const open = (content: (close: () => void) => ComponentChildren) => () => void openDialog(content);

const columns: readonly Column<Tenant>[] = [
  {
    key: 'name',
    title: words.name,
    cell: ({ name, id }) => (
      <>
        <b>{name}</b>
        <div class="small quiet">{id}</div>
      </>
    ),
  },
  {
    key: 'made',
    title: words.made,
    cell: ({ createdAt }) => <When at={createdAt} />,
    phoneLabel: words.made,
  },
  actionsColumn((tenant) => (
    <Menu
      label={texts.actionsFor(tenant.name)}
      small
      items={[
        {
          name: texts.rename,
          icon: 'edit',
          run: open((close) => <RenameDialog tenant={tenant} close={close} />),
        },
        {
          name: words.licences,
          icon: 'flag',
          run: open((close) => <LicencesDialog tenant={tenant} close={close} />),
        },
        {
          name: creditTexts.title,
          icon: 'coin',
          run: open((close) => <CreditsDialog tenant={tenant} close={close} />),
        },
        { name: texts.delete, icon: 'bin', bad: true, line: true, run: () => askDelete(tenant) },
      ]}
    />
  )),
];

/** The tenants of the bar change too. */
async function changed(said: string): Promise<void> {
  refresh('admin tenants');
  await enter();
  toast(said);
}

function askDelete({ id, name }: Tenant): void {
  confirm({
    title: texts.deleteTitle(name),
    children: words.deleteWhy,
    action: texts.delete,
    name,
    async run() {
      await api('DELETE /api/iam/tenant/{id}', { params: { id } });
      await changed(texts.deleted(name));
    },
  });
}

interface DialogProps {
  close: () => void;
}

function NewTenantDialog({ close }: DialogProps) {
  const [name, setName] = useState('');
  const [owner, setOwner] = useState('');
  async function create() {
    const id = owner.trim();
    const ownerUserId = id === '' ? undefined : (await api('GET /api/accounts/{id}', { params: { id } })).userId;
    await api('POST /api/iam/tenant', { body: { name, ...(ownerUserId && { ownerUserId }) } });
    await changed(words.created(name));
    close();
  }
  return (
    <Dialog title={words.create} onClose={close}>
      <EntryForm submit={words.create} onCancel={close} onSubmit={create} disabled={name.trim() === ''}>
        {({ fields }) => (
          <>
            <Field label={words.name} value={name} onInput={setName} error={fields.name} maxLength={255} required />
            <Field label={words.owner} value={owner} onInput={setOwner} autocomplete="off" optional />
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function RenameDialog({ tenant, close }: DialogProps & { tenant: Tenant }) {
  const params = { id: tenant.id };
  const draft = useDraft<Tenant, 'name'>(tenant, {
    toTexts: ({ name }) => ({ name }),
    write: ({ rowVersion }, { name }) => api('PUT /api/iam/tenant/{id}', { params, body: { name, rowVersion } }),
    read: () => api('GET /api/iam/tenant/{id}', { params }),
  });
  async function rename() {
    if (!(await draft.save())) return;
    await changed(words.renamed);
    close();
  }
  return (
    <Dialog title={`${texts.rename} ${tenant.name}`} onClose={close}>
      {draft.note}
      <EntryForm
        submit={texts.rename}
        onCancel={close}
        onSubmit={rename}
        disabled={!draft.isChanged || draft.shown.name.trim() === ''}
      >
        {({ fields }) => (
          <>
            <Field label={words.name} {...draft.field('name')} error={fields.name} maxLength={255} required />
            {draft.choice('name', words.name)}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function LicencesDialog({ tenant, close }: DialogProps & { tenant: Tenant }) {
  const query = useQuery(`admin licences ${tenant.id}`, async (signal) => {
    const headers = { 'svc-project-id': tenant.id };
    const [all, own] = await Promise.all([
      api('GET /api/admin/feature', { signal }),
      api('GET /api/admin/feature/tenant/list', { headers, signal }),
    ]);
    return { all: all.data, own: own.data.map(({ featureId }) => featureId) };
  });
  const [changes, setChanges] = useState<Record<string, boolean>>({});
  async function save(own: readonly string[]) {
    for (const [id, on] of Object.entries(changes)) {
      const params = { id, tenantId: tenant.id };
      if (on && !own.includes(id)) await api('PUT /api/admin/feature/{id}/tenant/{tenantId}/license', { params });
      if (!on && own.includes(id)) await api('DELETE /api/admin/feature/{id}/tenant/{tenantId}/license', { params });
    }
    refresh('licences ');
    toast(words.saved);
    close();
  }
  return (
    <Dialog title={words.licencesOf(tenant.name)} onClose={close}>
      <Loaded query={query}>
        {({ all, own }) => (
          <EntryForm submit={texts.save} onCancel={close} onSubmit={() => save(own)} disabled={all.length === 0}>
            {() => (
              <fieldset>
                <legend class="visually-hidden">{words.licences}</legend>
                {all.length === 0 && <p class="quiet">{words.noFeatures}</p>}
                {all.map(({ featureId, name }) => (
                  <Check
                    key={featureId}
                    label={name}
                    checked={changes[featureId] ?? own.includes(featureId)}
                    onChange={(on) => setChanges({ ...changes, [featureId]: on })}
                  />
                ))}
              </fieldset>
            )}
          </EntryForm>
        )}
      </Loaded>
    </Dialog>
  );
}
