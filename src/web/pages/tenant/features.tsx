import { api, type LicensedFeature, type MyTenant } from '../../client/api.ts';
import { ApiError } from '../../client/problem.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { featureTexts as words } from '../../texts/features.ts';
import { featureColumns } from '../admin/features/columns.tsx';
import { ForOwners } from './frame.tsx';

/** Features that are licensed to the tenant. */
export default function FeaturesPage() {
  return <ForOwners title={words.title}>{(own) => <Features own={own} />}</ForOwners>;
}

function Features({ own: { id } }: { own: MyTenant }) {
  const list = useQuery(`licences ${id}`, (signal) => readLicensed(id, signal));
  return (
    <>
      <PageHead title={words.title}>{words.about}</PageHead>
      <section class="card">
        <QueryTable
          query={list}
          none={[words.none, words.noneWhy]}
          icon="flag"
          label={words.title}
          columns={columnsOf(id)}
          id={({ featureId }) => featureId}
        />
      </section>
    </>
  );
}

const columnsOf = (tenantId: string): readonly Column<LicensedFeature>[] => [
  ...featureColumns,
  {
    key: 'state',
    title: words.state,
    cell: ({ enabled }) => <Tag kind={enabled ? 'ok' : undefined}>{enabled ? words.enabled : words.disabled}</Tag>,
  },
  actionsColumn((feature) => (
    <Button
      small
      label={`${feature.enabled ? words.disable : words.enable} ${feature.name}`}
      onClick={() => change(tenantId, feature)}
    >
      {feature.enabled ? words.disable : words.enable}
    </Button>
  )),
];

const readLicensed = async (tenantId: string, signal?: AbortSignal) =>
  (
    await api('GET /api/admin/feature/tenant/list', {
      headers: { 'svc-project-id': tenantId },
      ...(signal && { signal }),
    })
  ).data;

/** @throws Error if somebody else has switched the feature since it was read, and it is not as wanted now */
async function change(tenantId: string, { featureId: id, name, enabled, rowVersion }: LicensedFeature): Promise<void> {
  const params = { id, tenantId };
  try {
    await api('PATCH /api/admin/feature/{id}/tenant/{tenantId}', { params, body: { enabled: !enabled, rowVersion } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'StaleRowVersion') throw error;
    const now = (await readLicensed(tenantId)).find(({ featureId }) => featureId === id);
    if (now?.enabled !== !enabled) throw new Error(words.changedMeanwhile(name, enabled));
  } finally {
    refresh('licences ');
  }
  toast(enabled ? words.disabledNow(name) : words.enabledNow(name));
}
