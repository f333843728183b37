import { useState } from 'preact/hooks';
import { api, type FeatureDefinition, type FeatureTenant } from '../../../client/api.ts';
import { refresh, useList } from '../../../client/query.ts';
import { Button } from '../../../parts/button.tsx';
import { confirm } from '../../../parts/confirm.tsx';
import { Dialog, openDialog } from '../../../parts/dialog.tsx';
import { EntryForm } from '../../../parts/field.tsx';
import { Tag } from '../../../parts/page-head.tsx';
import { QueryTable } from '../../../parts/query-table.tsx';
import { actionsColumn, type Column } from '../../../parts/table.tsx';
import { toast } from '../../../parts/toast.tsx';
import { When } from '../../../parts/when.tsx';
import { featureTexts as words } from '../../../texts/features.ts';
import { findTenant, TenantField } from '../tenants/tenant-field.tsx';

/** The tenants that a feature is licensed to, and whether they use it. */
export function Licences({ feature }: { feature: FeatureDefinition }) {
  const { featureId: id, name } = feature;
  const list = useList(
    `licences of ${id}`,
    async (query, signal) => (await api('GET /api/admin/feature/{id}/tenant', { params: { id }, query, signal })).data,
  );
  const grant = (
    <Button small icon="plus" onClick={() => void openDialog((close) => <Grant feature={feature} close={close} />)}>
      {words.grant}
    </Button>
  );
  return (
    <>
      <QueryTable
        query={list}
        none={[words.noTenants(name), words.noTenantsWhy]}
        icon="grid"
        actions={grant}
        label={words.tenantsOf(name)}
        columns={columnsOf(feature)}
        id={({ tenantId }) => tenantId}
      />
      {(list.data ?? []).length > 0 && grant}
    </>
  );
}

const columnsOf = ({ featureId, name: feature }: FeatureDefinition): readonly Column<FeatureTenant>[] => [
  { key: 'name', title: words.tenant, cell: ({ name }) => <b>{name}</b> },
  {
    key: 'state',
    title: words.state,
    cell: ({ enabled }) => <Tag kind={enabled ? 'ok' : undefined}>{enabled ? words.enabled : words.disabled}</Tag>,
  },
  { key: 'since', title: words.since, cell: ({ licensedAt }) => <When at={licensedAt} />, phoneLabel: words.since },
  actionsColumn(({ tenantId, name }) => (
    <Button
      small
      label={`${words.end}: ${name}`}
      onClick={() =>
        confirm({
          title: words.endTitle(feature, name),
          children: words.endWhy,
          action: words.end,
          async run() {
            const params = { id: featureId, tenantId };
            await api('DELETE /api/admin/feature/{id}/tenant/{tenantId}/license', { params });
            refresh('licences ');
            toast(words.endedNow(feature, name));
          },
        })
      }
    >
      {words.end}
    </Button>
  )),
];

function Grant({ feature: { featureId: id, name }, close }: { feature: FeatureDefinition; close: () => void }) {
  const [tenant, setTenant] = useState('');
  async function license() {
    const { id: tenantId, name: to } = await findTenant(tenant);
    await api('PUT /api/admin/feature/{id}/tenant/{tenantId}/license', { params: { id, tenantId } });
    refresh('licences ');
    toast(words.granted(name, to));
    close();
  }
  return (
    <Dialog title={words.grantTitle(name)} onClose={close}>
      <EntryForm submit={words.grant} onCancel={close} onSubmit={license} disabled={tenant.trim() === ''}>
        {() => <TenantField value={tenant} onInput={setTenant} />}
      </EntryForm>
    </Dialog>
  );
}
