import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Icon } from './icons.tsx';

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** The title is not shown, but read. */
  hiddenTitle?: boolean;
  number?: boolean;
  /** As wide as its content. */
  narrow?: boolean;
  /** The head sorts by it: `onSort(key)`. */
  sortable?: boolean;
  /** Where it stands in a card at 360 px; absent: a line. */
  phone?: 'hide' | 'quiet' | 'corner' | 'picture';
  /** Words before the value in a card. */
  phoneLabel?: string;
}

/** The last column, of buttons or a menu. */
export const actionsColumn = <Row,>(cell: Column<Row>['cell']): Column<Row> => ({
  key: 'actions',
  title: texts.more,
  hiddenTitle: true,
  narrow: true,
  phone: 'corner',
  cell,
});

export interface Sort {
  key: string;
  descending: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Unique. */
  id: (row: Row) => string;
  /** Name of a row, for its check box. */
  name?: (row: Row) => string;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: ReadonlySet<string>) => void;
  /** A row below a row, such as details; undefined: none. */
  below?: (row: Row) => ComponentChildren | undefined;
  /** What a node of the tree gets when the link of a row is dragged onto it. */
  dragged?: (row: Row) => { type: string; data: string };
  /** Called when the last rows come into view, to load more. */
  onEnd?: (() => void) | undefined;
}

/** Longer tables draw only the rows in view. */
const WINDOWED = 150;
const AROUND = 20;

/**
 * A table that becomes cards at 360 px. Arrow keys, Home and End move between its rows. It scrolls with the page; of
 * many rows only those in view are drawn, with the height that the drawn ones have on average.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, id, sort, onSort, selected, onSelect, onEnd } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, last, height } = useWindow(body, rows.length);
  useKeptFocus(body);
  const selects = selected !== undefined && onSelect !== undefined;
  useEffect(() => {
    if (last >= rows.length) onEnd?.();
  }, [last, rows.length, onEnd]);

  function toggleAll(all: boolean) {
    onSelect?.(new Set(all ? rows.map(id) : []));
  }
  const width = columns.length + (selects ? 1 : 0);
  const pictures = columns.some(({ phone }) => phone === 'picture');
  return (
    // roles, since cards are no table for browsers
    <table
      class={pictures ? 'table cards pictures' : 'table cards'}
      role="table"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onKeyDown={moveInTable}
    >
      <thead role="rowgroup">
        <tr role="row">
          {selects && (
            <th role="columnheader" class="narrow">
              <input
                type="checkbox"
                aria-label={texts.selectAll}
                checked={rows.length > 0 && selected.size === rows.length}
                onChange={(event) => toggleAll(event.currentTarget.checked)}
              />
            </th>
          )}
          {columns.map((column) => (
            <Head key={column.key} column={column} sort={sort} onSort={onSort} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} role="rowgroup">
        {first > 0 && <Gap width={width} height={first * height} />}
        {rows.slice(first, last).map((row, index) => (
          <TableRow key={id(row)} {...props} row={row} index={first + index} width={width} />
        ))}
        {last < rows.length && <Gap width={width} height={(rows.length - last) * height} />}
      </tbody>
    </table>
  );
}

function Head<Row>({
  column: { key, title, hiddenTitle, number, narrow, sortable },
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const own = sort?.key === key ? sort : undefined;
  const kind = [number && 'number', narrow && 'narrow'].filter(Boolean).join(' ') || undefined;
  const order = own === undefined ? undefined : own.descending ? 'descending' : 'ascending';
  return (
    <th role="columnheader" class={kind} aria-sort={order}>
      {hiddenTitle ? (
        <span class="visually-hidden">{title}</span>
      ) : sortable && onSort ? (
        <button type="button" onClick={() => onSort({ key, descending: own !== undefined && !own.descending })}>
          {title}
          {own && <Icon name={own.descending ? 'sortDown' : 'sortUp'} />}
        </button>
      ) : (
        title
      )}
    </th>
  );
}

function TableRow<Row>({
  row,
  index,
  width,
  columns,
  id,
  name,
  selected,
  onSelect,
  below,
  dragged,
}: TableProps<Row> & { row: Row; index: number; width: number }) {
  const own = id(row);
  const chosen = selected?.has(own);
  function toggle() {
    const next = new Set(selected);
    if (!next.delete(own)) next.add(own);
    onSelect?.(next);
  }
  const more = below?.(row);
  return (
    <>
      <tr
        role="row"
        aria-rowindex={index + 2}
        aria-selected={chosen}
        data-row={own}
        onDragStart={
          dragged &&
          ((event) => {
            const { type, data } = dragged(row);
            event.dataTransfer?.setData(type, data);
          })
        }
      >
        {selected && onSelect && (
          <td role="cell" class="narrow phone-hide">
            <input type="checkbox" aria-label={texts.select(name?.(row) ?? own)} checked={chosen} onChange={toggle} />
          </td>
        )}
        {columns.map((column) => (
          <td key={column.key} role="cell" class={cellClass(column)} data-label={column.phoneLabel}>
            {column.cell(row)}
          </td>
        ))}
      </tr>
      {more !== undefined && (
        <tr role="row">
          <td role="cell" colSpan={width}>
            {more}
          </td>
        </tr>
      )}
    </>
  );
}

const cellClass = <Row,>({ number, narrow, phone }: Column<Row>) =>
  [number && 'number', narrow && 'narrow', phone && `phone-${phone}`].filter(Boolean).join(' ') || undefined;

const Gap = ({ width, height }: { width: number; height: number }) => (
  <tr class="gap">
    <td colSpan={width} style={{ height: `${height}px` }} />
  </tr>
);

/**
 * A row that goes to another place in its table loses the focus: it gets it back. After a row that goes away, the row
 * in its place gets it, and after the last one the heading of the page.
 */
function useKeptFocus(body: { current: HTMLElement | null }): void {
  const before = document.activeElement;
  const had = before instanceof HTMLElement && body.current?.contains(before) ? before : undefined;
  const row = had?.closest('tr');
  const at = row ? [...row.parentElement!.children].indexOf(row) : 0;
  const place = row && had ? focusable(row).indexOf(had) : 0;
  useLayoutEffect(() => {
    if (had === undefined || document.activeElement === had) return;
    const rows = body.current!.children;
    const others = focusable(rows[Math.min(at, rows.length - 1)]);
    const next = had.isConnected ? had : (others[place] ?? others[0]);
    if (document.activeElement === document.body) next?.focus({ preventScroll: true });
  });
  useLayoutEffect(
    () => () => {
      if (!body.current?.contains(document.activeElement)) return;
      document.querySelector<HTMLElement>('#main h1')?.focus({ preventScroll: true });
    },
    [],
  );
}

/** The rows that are drawn, and the height of a row that is not. */
function useWindow(body: { current: HTMLTableSectionElement | null }, total: number) {
  const [view, setView] = useState({ first: 0, last: Math.min(total, WINDOWED), height: 56 });
  const windowed = total > WINDOWED;
  useEffect(() => {
    if (!windowed) return;
    let frame = 0;
    function measure() {
      frame = 0;
      const element = body.current;
      if (element === null) return;
      const drawn = [...element.querySelectorAll<HTMLElement>(':scope > tr[data-row]')];
      const box = element.getBoundingClientRect();
      setView((before) => {
        const height = averageHeight(drawn) ?? before.height;
        const first = Math.max(0, Math.floor(-box.top / height) - AROUND);
        const last = Math.min(total, first + Math.ceil(window.innerHeight / height) + 2 * AROUND);
        const same = Math.abs(first - before.first) < AROUND / 2 && Math.abs(last - before.last) < AROUND / 2;
        return same && last < total ? before : { first, last, height };
      });
    }
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    window.addEventListener('scroll', later, { passive: true });
    window.addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [windowed, total]);
  return windowed ? { ...view, last: Math.min(view.last, total) } : { first: 0, last: total, height: view.height };
}

function averageHeight(rows: readonly HTMLElement[]): number | undefined {
  if (rows.length === 0) return undefined;
  return (rows.at(-1)!.getBoundingClientRect().bottom - rows[0]!.getBoundingClientRect().top) / rows.length;
}

const focusable = (row: Element | undefined) => [
  ...(row?.querySelectorAll<HTMLElement>('a[href], button, input') ?? []),
];

/** Moves the focus to what stands at the same place in another row. */
function moveInTable(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.matches('input:not([type="checkbox"]), select, textarea, [role^="menuitem"]')) return;
  const row = target.closest<HTMLElement>('tr[data-row]');
  if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const rows = [...row.parentElement!.querySelectorAll<HTMLElement>(':scope > tr[data-row]')];
  const at = rows.indexOf(row);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (to === undefined || rows[to] === undefined) return;
  const place = focusable(row).indexOf(target);
  const others = focusable(rows[to]);
  (others[place] ?? others[0])?.focus();
  event.preventDefault();
}
