import { api, type Project, type ProjectAccess } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { Tag } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { peopleTexts as words } from '../../texts/people.ts';
import { texts } from '../../texts.ts';

type Reason = ProjectAccess['reasons'][number];

/** Which rule gives or denies each capability of a member. */
export function openWhy({ id }: Pick<Project, 'id'>, userId: string, name: string): void {
  openDialog((close) => (
    <Dialog title={words.whyTitle(name)} onClose={close} wide>
      <Why id={id} userId={userId} />
    </Dialog>
  ));
}

function Why({ id, userId }: { id: string; userId: string }) {
  const access = useQuery(
    `project ${id} access ${userId}`,
    (signal) => api('GET /api/metadata/project/{id}/access', { params: { id }, query: { userId }, signal }),
    { changes: ['members', 'project'] },
  );
  return (
    <Loaded query={access}>
      {({ reasons }) => <Table label={words.why} columns={columns} rows={reasons} id={(one) => one.capability} />}
    </Loaded>
  );
}

const columns: readonly Column<Reason>[] = [
  {
    key: 'capability',
    title: words.capabilityTitle,
    cell: ({ capability }) => words.capability[capability] ?? capability,
  },
  {
    key: 'allowed',
    title: words.allowed,
    narrow: true,
    cell: ({ allowed }) => (
      <Tag {...(allowed && { kind: 'ok' as const })} icon={allowed ? 'check' : 'lock'}>
        {allowed ? words.may : words.mayNot}
      </Tag>
    ),
  },
  {
    key: 'why',
    title: words.why,
    cell: ({ rules }) =>
      rules.length === 0 ? (
        <span class="quiet">{words.noRule}</span>
      ) : (
        <ul class="plain">
          {rules.map((rule) => (
            <li key={JSON.stringify(rule)}>{ruleText(rule)}</li>
          ))}
        </ul>
      ),
  },
];

function ruleText({ rule, effect, role, principal, operation }: Reason['rules'][number]): string {
  const details = [role && texts.roles[role], operation, principal].filter(Boolean).join(', ');
  const text = `${words.rule[rule] ?? rule}${details === '' ? '' : `: ${details}`}`;
  return effect === 'Denies' ? `${text} (${words.denies})` : text;
}
