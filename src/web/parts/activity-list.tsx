import type { ComponentChildren } from 'preact';
import { pageExists } from '../app/router.ts';
import { to } from '../client/address.ts';
import type { Activity } from '../client/api.ts';
import { usePeople } from '../client/people.ts';
import type { ListQuery } from '../client/query.ts';
import { activityTexts as words } from '../texts/people.ts';
import { Empty, Loaded } from './states.tsx';
import { type Column, Table } from './table.tsx';
import { When } from './when.tsx';

/** Who did what when, newest first. */
export function ActivityList({ list }: { list: ListQuery<Activity> }) {
  const names = usePeople(list.data?.flatMap(idsOf) ?? [], words.you);
  const nameOf = (id: string) => names.get(id) ?? id.slice(0, 8);
  const columns: readonly Column<Activity>[] = [
    {
      key: 'time',
      title: words.time,
      narrow: true,
      phone: 'quiet',
      cell: ({ time }) => <When at={time} />,
    },
    {
      key: 'what',
      title: words.what,
      cell: (entry) => (
        <>
          <b>{actionText(entry.action)}</b>
          {entry.changed && <div class="small quiet">{words.changed(entry.changed)}</div>}
        </>
      ),
    },
    { key: 'subject', title: words.subject, cell: ({ subject }) => <Subject {...subject} names={names} /> },
    { key: 'by', title: words.by, cell: ({ by }) => (by === undefined ? words.platform : nameOf(by)), phone: 'quiet' },
  ];
  return (
    <section class="card" aria-label={words.title}>
      <Loaded query={list}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title={words.none} icon="list">
              {words.noneWhy}
            </Empty>
          ) : (
            <Table
              label={words.title}
              columns={columns}
              rows={entries}
              id={({ time, action, subject }) => `${time} ${action} ${subject.id}`}
              {...(list.more && { onEnd: list.more })}
            />
          )
        }
      </Loaded>
    </section>
  );
}

/** Of the people of an entry. */
const idsOf = ({ by, subject }: Activity): string[] => [
  ...(by === undefined ? [] : [by]),
  ...(subject.kind === 'account' ? [subject.id] : []),
];

function Subject({
  id,
  kind,
  names,
  name = names.get(id) ?? id.slice(0, 8),
}: Activity['subject'] & { names: ReadonlyMap<string, string> }): ComponentChildren {
  const path = `/${kind}s/${id}`;
  return kind !== 'account' && pageExists(path) ? <a href={to(path)}>{name}</a> : name;
}

/** `dataset.change` → `Dataset change`. */
function actionText(action: string): string {
  const text = action.replaceAll(/[.-]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
