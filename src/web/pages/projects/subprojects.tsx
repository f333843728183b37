import type { ComponentChildren } from 'preact';
import { to } from '../../client/address.ts';
import { api, type ProjectItem } from '../../client/api.ts';
import { useQuery } from '../../client/query.ts';
import type { TreeNode } from '../../parts/tree.tsx';

/** Of one level; a search finds the others. */
export const MOST_NODES = 100;

export const toNode = ({ id, name }: ProjectItem): TreeNode => ({
  id,
  name,
  href: to(`/projects/${id}`),
  folder: true,
});

/** The projects directly below one, where a tree shows them. */
export function Subprojects({ id, render }: { id: string; render: (nodes: readonly TreeNode[]) => ComponentChildren }) {
  const { data } = useQuery(
    `project ${id} subprojects`,
    (signal) =>
      api('GET /api/metadata/project/{id}/subproject/list', { params: { id }, query: { limit: MOST_NODES }, signal }),
    { changes: ['project', 'members'] },
  );
  return data === undefined || data.data.length === 0 ? null : render(data.data.map(toNode));
}
