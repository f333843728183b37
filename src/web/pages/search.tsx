import { useEffect, useState } from 'preact/hooks';
import { pageExists, place, setQuery } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type SearchHit } from '../client/api.ts';
import { useCursorList } from '../client/query.ts';
import { tenant } from '../client/session.ts';
import { Field, FindField } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { formatName } from '../texts/formats.ts';
import { searchTexts as words } from '../texts/people.ts';

const TYPING_MS = 250;
const KINDS = ['Project', 'Dataset'] as const;

const columns: readonly Column<SearchHit>[] = [
  {
    key: 'name',
    title: words.name,
    cell: ({ type, id, name }) => {
      const path = type === 'Project' ? `/projects/${id}` : `/datasets/${id}`;
      return (
        <span class="row">
          <Icon name={type === 'Project' ? 'folder' : 'layers'} />
          {pageExists(path) ? (
            <a class="name" href={to(path)}>
              {name}
            </a>
          ) : (
            <b>{name}</b>
          )}
        </span>
      );
    },
  },
  { key: 'path', title: words.path, cell: ({ path }) => <span class="quiet">{parentOf(path)}</span> },
  { key: 'format', title: words.format, cell: ({ datasetFormat = '' }) => formatName(datasetFormat), phone: 'quiet' },
];

/** The names above, as people read them. */
const parentOf = (path: string): string => path.split('/').slice(1, -1).map(decodeURIComponent).join(' / ');

/** `/search?q=&kind=` */
export default function SearchPage() {
  const { query } = place.value;
  const q = query.get('q')?.trim() ?? '';
  const kind = KINDS.find((one) => one === query.get('kind'));
  const list = useCursorList(
    q === '' ? undefined : `search ${tenant.value?.id} ${kind} ${q}`,
    (range, signal) => api('GET /api/metadata/search', { query: { q, ...(kind && { kind }), ...range }, signal }),
    { changes: ['project', 'dataset', 'members'] },
  );
  return (
    <>
      <PageHead title={words.title} />
      <section class="card" aria-label={words.title}>
        <div class="filter-bar">
          <Words value={q} />
          <Field
            label={words.kind}
            value={kind ?? ''}
            onInput={(value) => setQuery({ kind: value === '' ? undefined : value })}
            options={[{ value: '', name: words.all }, ...KINDS.map((value) => ({ value, name: words[value] }))]}
          />
        </div>
        {q === '' ? (
          <Empty title={words.nothing} icon="search">
            {words.nothingWhy}
          </Empty>
        ) : (
          <Loaded query={list}>
            {(hits) =>
              hits.length === 0 ? (
                <Empty title={words.none(q)} icon="search">
                  {words.noneWhy}
                </Empty>
              ) : (
                <Table
                  label={words.title}
                  columns={columns}
                  rows={hits}
                  id={({ id }) => id}
                  {...(list.more && { onEnd: list.more })}
                />
              )
            }
          </Loaded>
        )}
      </section>
    </>
  );
}

/** The words go into the address when the reader pauses. */
function Words({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => setQuery({ q: text.trim() === '' ? undefined : text.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    if (text.trim() !== value) setText(value);
  }, [value]);
  return <FindField label={words.field} icon="search" value={text} onInput={setText} />;
}
