import type { ComponentChildren } from 'preact';
import type { Query } from '../client/query.ts';
import type { IconName } from './icons.tsx';
import { Empty, Loaded } from './states.tsx';
import { Table, type TableProps } from './table.tsx';

interface QueryTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'onEnd'> {
  query: Query<readonly Row[]> & { readonly more?: (() => void) | undefined };
  /** Of an empty list: its title, and what to do first. Absent: it never is. */
  none?: readonly [title: string, why: ComponentChildren];
  icon?: IconName;
  /** Of an empty list. */
  actions?: ComponentChildren;
}

/** The answer of a query as a table that grows as it is scrolled; before it a skeleton, without rows an empty state. */
export function QueryTable<Row>({ query, none, icon, actions, ...table }: QueryTableProps<Row>) {
  return (
    <Loaded query={query}>
      {(rows) =>
        none !== undefined && rows.length === 0 ? (
          <Empty title={none[0]} icon={icon} actions={actions}>
            {none[1]}
          </Empty>
        ) : (
          <Table {...table} rows={rows} onEnd={query.more} />
        )
      }
    </Loaded>
  );
}
