import { place, setView } from '../../app/router.ts';
import { api, type Setting } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { Check, FindField } from '../../parts/field.tsx';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { settingTexts as words } from '../../texts/accounts.ts';
import { ForAdministrators } from './frame.tsx';

/** The settings of the process that answers, to read. */
export default function SettingsPage() {
  return <ForAdministrators title={words.title}>{() => <Settings />}</ForAdministrators>;
}

function Settings() {
  const settings = useQuery('admin settings', (signal) => api('GET /api/admin/settings', { signal }));
  const q = place.value.view.get('q') ?? '';
  const changed = place.value.view.has('changed');
  return (
    <>
      <PageHead title={words.title}>{words.about}</PageHead>
      <section class="card">
        <Loaded query={settings}>
          {({ data }) => {
            const found = data.filter((one) => fits(one, q) && (!changed || one.source !== 'default'));
            return (
              <>
                <div class="filter-bar">
                  <FindField
                    label={words.find(data.length)}
                    value={q}
                    onInput={(value) => setView({ q: value || undefined })}
                  />
                  <Check
                    label={words.changedOnly}
                    checked={changed}
                    onChange={(on) => setView({ changed: on ? '1' : undefined })}
                  />
                </div>
                {found.length === 0 ? (
                  <Empty title={words.noneFound} icon="search">
                    {words.noneFoundWhy}
                  </Empty>
                ) : (
                  <Table label={words.title} columns={columns} rows={found} id={({ name }) => name} />
                )}
              </>
            );
          }}
        </Loaded>
      </section>
    </>
  );
}

const fits = ({ name, variable }: Setting, q: string): boolean =>
  `${name} ${variable}`.toLowerCase().includes(q.trim().toLowerCase());

const columns: readonly Column<Setting>[] = [
  {
    key: 'name',
    title: words.name,
    cell: ({ name, variable }) => (
      <div class="setting-name">
        <b>{name}</b>
        <div class="small quiet">{variable}</div>
      </div>
    ),
  },
  {
    key: 'value',
    title: words.value,
    cell: ({ value, hidden }) => {
      if (value === undefined || value === null)
        return <span class="quiet">{hidden ? words.hidden : words.unset}</span>;
      return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
    },
  },
  {
    key: 'source',
    title: words.source,
    narrow: true,
    cell: ({ source }) => <Tag kind={source === 'default' ? undefined : 'run'}>{words.sources[source]}</Tag>,
  },
];
