import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from './icons.tsx';
import { toastError } from './toast.tsx';

export interface TreeNode {
  id: string;
  name: string;
  href?: string;
  /** Whether the node can be opened; its children are asked for then. */
  folder: boolean;
}

interface TreeProps {
  label: string;
  nodes: readonly TreeNode[];
  /** A component that shows the children of an open node: `({ id, render }) => render(nodes)`. */
  Children: (props: { id: string; render: (nodes: readonly TreeNode[]) => ComponentChildren }) => ComponentChildren;
  /** Id of the node of the page. */
  current?: string | undefined;
  /** Ids of nodes that are open at first. */
  opened?: readonly string[];
  /** Makes the nodes a choice of one instead of links. */
  chosen?: { id: string | undefined; choose: (node: TreeNode) => void };
  /** Nodes may be dropped onto others; for the keyboard offer the same in a menu. */
  onMove?: (id: string, target: string) => unknown;
}

/** Type of what is dragged onto a node: its id, or what `onMove` reads. */
export const DRAGGED = 'application/x-tree-node';

/** A tree whose children load when a node is opened. Arrow keys move, open and close. */
export function Tree({ label, nodes, opened = [], ...rest }: TreeProps) {
  const [changed, setChanged] = useState<Readonly<Record<string, boolean>>>({});
  const isOpen = (id: string) => changed[id] ?? opened.includes(id);
  const setOpen = (id: string, open: boolean) => setChanged((before) => ({ ...before, [id]: open }));
  const level = (list: readonly TreeNode[]): ComponentChildren => (
    <ul>
      {list.map((node) => (
        <Branch key={node.id} node={node} open={isOpen(node.id)} setOpen={setOpen} level={level} {...rest} />
      ))}
    </ul>
  );
  return (
    <div class="tree" role={rest.chosen ? 'radiogroup' : 'group'} aria-label={label} onKeyDown={moveInTree}>
      {level(nodes)}
    </div>
  );
}

function Branch({
  node,
  open,
  setOpen,
  level,
  Children,
  current,
  chosen,
  onMove,
}: Omit<TreeProps, 'label' | 'nodes' | 'opened'> & {
  node: TreeNode;
  open: boolean;
  setOpen: (id: string, open: boolean) => void;
  level: (nodes: readonly TreeNode[]) => ComponentChildren;
}) {
  const { id, name, href, folder } = node;
  const [over, setOver] = useState(false);
  const accepts = (event: DragEvent) => onMove !== undefined && event.dataTransfer?.types.includes(DRAGGED) === true;
  return (
    <li>
      <div
        class={over ? 'tree-row over' : 'tree-row'}
        data-node={id}
        draggable={onMove !== undefined}
        onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, id)}
        onDragOver={(event) => {
          if (!accepts(event)) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          setOver(false);
          const moved = event.dataTransfer?.getData(DRAGGED);
          if (!accepts(event) || !moved || moved === id) return;
          event.preventDefault();
          void Promise.resolve(onMove?.(moved, id)).catch(toastError);
        }}
      >
        {folder ? (
          <button type="button" aria-expanded={open} aria-label={name} tabIndex={-1} onClick={() => setOpen(id, !open)}>
            <Icon name="chevron" />
          </button>
        ) : (
          <i />
        )}
        {chosen ? (
          <label class="check">
            <input type="radio" name="tree" checked={chosen.id === id} onChange={() => chosen.choose(node)} />
            <span>{name}</span>
          </label>
        ) : (
          <a href={href} title={name} aria-current={current === id ? 'page' : undefined} draggable={false}>
            {name}
          </a>
        )}
      </div>
      {open && folder && <Children id={id} render={level} />}
    </li>
  );
}

/** Up and down: the row before or behind; right opens, left closes a node or goes to its parent. */
function moveInTree(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement) || !(event.currentTarget instanceof HTMLElement)) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.tree-row')];
  const row = event.target.closest<HTMLElement>('.tree-row');
  if (row === null) return;
  const at = rows.indexOf(row);
  const toggle = row.querySelector<HTMLElement>('button[aria-expanded]');
  const expanded = toggle?.getAttribute('aria-expanded') === 'true';
  const focus = (one: HTMLElement | null | undefined) => one?.querySelector<HTMLElement>('a, input')?.focus();
  switch (event.key) {
    case 'ArrowDown':
      focus(rows[at + 1]);
      break;
    case 'ArrowUp':
      focus(rows[at - 1]);
      break;
    case 'ArrowRight':
      if (toggle && !expanded) toggle.click();
      else focus(rows[at + 1]);
      break;
    case 'ArrowLeft':
      if (toggle && expanded) toggle.click();
      else focus(row.closest('ul')?.closest('li')?.querySelector<HTMLElement>('.tree-row'));
      break;
    default:
      return;
  }
  event.preventDefault();
}
