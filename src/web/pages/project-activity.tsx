import type { PageProps } from '../app/router.ts';
import { api } from '../client/api.ts';
import { useCursorList } from '../client/query.ts';
import { ActivityList } from '../parts/activity-list.tsx';
import { ProjectFrame } from './projects/frame.tsx';

/** `/projects/{id}/activity` */
export default function ProjectActivityPage({ params: { id = '' } }: PageProps) {
  return <ProjectFrame id={id}>{() => <OfProject id={id} />}</ProjectFrame>;
}

function OfProject({ id }: { id: string }) {
  const list = useCursorList(
    `project ${id} activity`,
    (query, signal) => api('GET /api/metadata/project/{id}/activity', { params: { id }, query, signal }),
    { changes: ['project', 'dataset', 'members'] },
  );
  return <ActivityList list={list} />;
}
