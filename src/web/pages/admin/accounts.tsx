import { useRef } from 'preact/hooks';
import { place, setView } from '../../app/router.ts';
import { type Account, api } from '../../client/api.ts';
import { useList } from '../../client/query.ts';
import { useSettled } from '../../client/settled.ts';
import { CreateButton } from '../../parts/create-button.tsx';
import { openDialog } from '../../parts/dialog.tsx';
import { FindField } from '../../parts/field.tsx';
import { Menu } from '../../parts/menu.tsx';
import { PageHead, Tag } from '../../parts/page-head.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { actionsColumn, type Column, Table } from '../../parts/table.tsx';
import { When } from '../../parts/when.tsx';
import { accountTexts as words } from '../../texts/accounts.ts';
import { texts } from '../../texts.ts';
import { askDelete, askDisable, askResetFactor, enable, sendMail, unlock } from './accounts/actions.tsx';
import { EditDialog, GroupsDialog, NewAccountDialog } from './accounts/dialogs.tsx';
import { ForAdministrators } from './frame.tsx';

type State = keyof typeof words.states;

/** All accounts of the platform. */
export default function AccountsPage() {
  return <ForAdministrators title={words.title}>{() => <Accounts />}</ForAdministrators>;
}

function Accounts() {
  const q = place.value.view.get('q') ?? '';
  const state = (Object.keys(words.states) as State[]).find((one) => one === place.value.view.get('state'));
  const settled = useSettled(q);
  const list = useList(`admin accounts ${state ?? ''} ${settled}`, (range, signal) =>
    api('GET /api/accounts', { query: { ...range, ...(settled && { q: settled }), ...(state && { state }) }, signal }),
  );
  // the former rows stay until those of another filter are there, with what is open or has the focus in them
  const former = useRef(list);
  if (list.data !== undefined || list.error !== undefined) former.current = list;
  return (
    <>
      <PageHead
        title={words.title}
        actions={<CreateButton dialog={(close) => <NewAccountDialog close={close} />}>{words.create}</CreateButton>}
      />
      <section class="card">
        <div class="filter-bar">
          <FindField label={words.find} value={q} onInput={(value) => setView({ q: value || undefined })} />
          <select
            class="input"
            aria-label={words.show}
            value={state ?? ''}
            onChange={(event) => setView({ state: event.currentTarget.value || undefined })}
          >
            <option value="">{words.all}</option>
            {Object.entries(words.states).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Loaded query={former.current.data === undefined ? list : former.current}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty title={words.noneFound} icon="search">
                {words.noneFoundWhy}
              </Empty>
            ) : (
              <Table
                label={words.title}
                columns={columns}
                rows={rows}
                id={({ userId }) => userId}
                {...(list.more && { onEnd: list.more })}
              />
            )
          }
        </Loaded>
      </section>
    </>
  );
}

const columns: readonly Column<Account>[] = [
  {
    key: 'account',
    title: words.account,
    cell: ({ id, name, email }) => (
      <>
        <b>{name}</b>
        <div class="small quiet">{[id !== name && id, email].filter(Boolean).join(' · ')}</div>
      </>
    ),
  },
  {
    key: 'groups',
    title: words.groups,
    cell: ({ userGroups }) =>
      userGroups.length > 0 && (
        <span class="row">
          {userGroups.map((group) => (
            <Tag key={group}>{group}</Tag>
          ))}
        </span>
      ),
  },
  {
    key: 'state',
    title: words.state,
    cell: ({ enabled, locked, activated, secondFactor }) => (
      <span class="row">
        {enabled && !locked && activated && <Tag kind="ok">{words.active}</Tag>}
        {!enabled && <Tag kind="bad">{words.disabled}</Tag>}
        {locked && <Tag kind="warn">{words.locked}</Tag>}
        {!activated && <Tag kind="warn">{words.notActivated}</Tag>}
        {secondFactor === 'registered' && <Tag icon="lock">{words.factor}</Tag>}
      </span>
    ),
  },
  {
    key: 'last',
    title: words.lastLogin,
    cell: ({ lastLoginAt }) =>
      lastLoginAt === undefined ? <span class="quiet">{words.never}</span> : <When at={lastLoginAt} />,
    phoneLabel: words.lastLogin,
  },
  actionsColumn((account) => (
    <Menu
      label={texts.actionsFor(account.id)}
      small
      items={[
        {
          name: texts.edit,
          icon: 'edit',
          run: () => void openDialog((close) => <EditDialog account={account} close={close} />),
        },
        account.enabled
          ? { name: words.disable, icon: 'cross', run: () => askDisable(account) }
          : { name: words.enable, icon: 'check', run: () => enable(account) },
        account.locked && { name: words.unlock, icon: 'lock', run: () => unlock(account) },
        { name: words.sendMail, icon: 'key', run: () => sendMail(account) },
        {
          name: words.changeGroups,
          icon: 'people',
          run: () => void openDialog((close) => <GroupsDialog account={account} close={close} />),
        },
        account.secondFactor === 'registered' && {
          name: words.resetFactor,
          icon: 'lock',
          run: () => askResetFactor(account),
        },
        { name: texts.delete, icon: 'bin', bad: true, line: true, run: () => askDelete(account) },
      ]}
    />
  )),
];
