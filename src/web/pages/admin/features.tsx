import { place, setView } from '../../app/router.ts';
import { api, type FeatureDefinition } from '../../client/api.ts';
import { refresh, useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { confirm } from '../../parts/confirm.tsx';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { useDraft } from '../../parts/draft.tsx';
import { EntryForm, Field } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { QueryTable } from '../../parts/query-table.tsx';
import { actionsColumn, type Column } from '../../parts/table.tsx';
import { toast } from '../../parts/toast.tsx';
import { featureTexts as words } from '../../texts/features.ts';
import { texts } from '../../texts.ts';
import { featureColumns } from './features/columns.tsx';
import { Licences } from './features/licences.tsx';
import { ForAdministrators } from './frame.tsx';

/** Definitions of features, and the tenants that have licensed them; the open one stands in the address. */
export default function FeaturesPage() {
  return <ForAdministrators title={words.title}>{() => <Features />}</ForAdministrators>;
}

type Type = FeatureDefinition['type'];

const readFeatures = async (signal?: AbortSignal) =>
  (await api('GET /api/admin/feature', { ...(signal && { signal }) })).data;

function Features() {
  const list = useQuery('admin features', readFeatures);
  const opened = place.value.view.get('feature');
  const create = (
    <Button kind="main" icon="plus" onClick={() => edit()}>
      {words.create}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title} actions={list.data !== undefined && list.data.length > 0 && create}>
        {words.aboutAll}
      </PageHead>
      <section class="card">
        <QueryTable
          query={list}
          none={[words.noneDefined, words.noneDefinedWhy]}
          icon="flag"
          actions={create}
          label={words.title}
          columns={columnsOf(opened)}
          id={({ featureId }) => featureId}
          below={(feature) => (feature.featureId === opened ? <Licences feature={feature} /> : undefined)}
        />
      </section>
    </>
  );
}

const columnsOf = (opened: string | null): readonly Column<FeatureDefinition>[] => [
  ...featureColumns,
  {
    key: 'tenants',
    title: words.tenants,
    hiddenTitle: true,
    narrow: true,
    cell: ({ featureId: id, name }) => (
      <Button
        small
        label={`${id === opened ? words.hide : words.tenants}: ${name}`}
        onClick={() => setView({ feature: id === opened ? undefined : id })}
      >
        {id === opened ? words.hide : words.tenants}
      </Button>
    ),
  },
  actionsColumn((feature) => (
    <Menu
      label={texts.actionsFor(feature.name)}
      small
      items={[
        { name: texts.edit, icon: 'edit', run: () => edit(feature) },
        { name: texts.delete, icon: 'bin', bad: true, line: true, run: () => askDelete(feature) },
      ]}
    />
  )),
];

const edit = (feature?: FeatureDefinition): void =>
  void openDialog((close) => <FeatureDialog feature={feature} close={close} />);

const NEW: Omit<FeatureDefinition, 'featureId'> = { name: '', type: 'Service', rowVersion: '' };

function FeatureDialog({ feature, close }: { feature: FeatureDefinition | undefined; close: () => void }) {
  const draft = useDraft<typeof NEW, 'name' | 'type' | 'url' | 'responseUrl'>(feature ?? NEW, {
    toTexts: ({ name, type, url = '', responseUrl = '' }) => ({ name, type, url, responseUrl }),
    async write({ rowVersion }, { name, type, url, responseUrl }) {
      const body = { name, type: type as Type, ...(url && { url }), ...(responseUrl && { responseUrl }) };
      if (feature === undefined) return api('POST /api/admin/feature', { body });
      const params = { id: feature.featureId };
      return api('PUT /api/admin/feature/{id}', { params, body: { ...body, rowVersion } });
    },
    read: async () => (await readFeatures()).find((one) => one.featureId === feature?.featureId) ?? NEW,
  });
  const { name } = draft.shown;
  async function save() {
    if (!(await draft.save())) return;
    refresh('admin features', 'licences ');
    toast(words.savedFeature(name));
    close();
  }
  const submit = feature === undefined ? words.create : texts.save;
  return (
    <Dialog title={feature?.name ?? words.create} onClose={close}>
      {draft.note}
      <EntryForm submit={submit} onCancel={close} onSubmit={save} disabled={!draft.isChanged || name.trim() === ''}>
        {({ fields }) => (
          <>
            <Field label={words.name} {...draft.field('name')} error={fields.name} maxLength={255} required />
            {draft.choice('name', words.name)}
            <Field
              label={words.type}
              {...draft.field('type')}
              options={Object.entries(words.types).map(([value, text]) => ({ value, name: text }))}
              hint={words.typeHint}
            />
            {draft.choice('type', words.type, (type) => words.types[type] ?? type)}
            <Field label={words.url} type="url" {...draft.field('url')} error={fields.url} optional />
            {draft.choice('url', words.url)}
            <Field
              label={words.responseUrl}
              type="url"
              {...draft.field('responseUrl')}
              error={fields.responseUrl}
              optional
            />
            {draft.choice('responseUrl', words.responseUrl)}
          </>
        )}
      </EntryForm>
    </Dialog>
  );
}

function askDelete({ featureId: id, name }: FeatureDefinition): void {
  confirm({
    title: texts.deleteTitle(name),
    children: words.deleteWhy,
    action: texts.delete,
    name,
    async run() {
      await api('DELETE /api/admin/feature/{id}', { params: { id } });
      refresh('admin features', 'licences ');
      toast(texts.deleted(name));
    },
  });
}
